//! A client: its messages come in, answers and notifications go out.

use crate::evaluator::Evaluator;
use crate::methods::{Later, Methods, Step};
use crate::rpc::{self, Answer, Id, Request, RpcError, code, json};
use crate::task::Task;
use parking_lot::Mutex;
use serde::Serialize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Sends a line to the client.
type Send = dyn Fn(&str) + std::marker::Send + Sync;

/// Takes the answer to a message; `None`: there is none.
type Reply = Box<dyn FnOnce(Option<String>) + std::marker::Send>;

/// A client, or all of a server of HTTP.
pub struct Client {
    evaluator: Arc<Evaluator>,
    methods: Methods,
    /// Sends notifications. Without it, the same id may be in use twice, because several clients share this value.
    notify: Option<Arc<Send>>,
    running: Mutex<Vec<(Id, Arc<Task>)>>,
}

/// A message whose answer may still be pending.
#[must_use]
pub struct Pending {
    client: Arc<Client>,
    task: Option<Arc<Task>>,
}

impl Pending {
    /// Lets the request continue. Otherwise it is cancelled when this is dropped.
    pub fn detach(mut self) {
        self.task = None;
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        self.task.iter().for_each(|task| self.client.evaluator.cancel(task));
    }
}

#[derive(Serialize)]
struct Cancelled {
    cancelled: bool,
}

impl Client {
    /// Returns a client that gets notifications by `notify`. Without it, the value represents several clients, which
    /// get none.
    pub fn new(evaluator: Arc<Evaluator>, methods: Methods, notify: Option<Arc<Send>>) -> Arc<Self> {
        Arc::new(Self { evaluator, methods, notify, running: Mutex::default() })
    }

    /// Takes a message. `reply` gets the answer, at once or later, from any thread.
    pub fn receive_one(
        self: &Arc<Self>,
        message: &[u8],
        reply: impl FnOnce(Option<String>) + std::marker::Send + 'static,
    ) -> Pending {
        let reply: Reply = Box::new(reply);
        let nothing = Pending { client: Arc::clone(self), task: None };
        if message.len() > crate::MAX_MESSAGE {
            reply(Some(Self::refuse_long()));
            return nothing;
        }
        let request = match rpc::parse(message) {
            Ok(Some(request)) => request,
            Ok(None) => {
                reply(None);
                return nothing;
            }
            Err((id, error)) => {
                reply(Some(rpc::answer_line(&id, &Err(error))));
                return nothing;
            }
        };
        let Request { id, method, params } = request;
        let step = self.methods.step(&self.evaluator, id.as_ref(), &method, params);
        let Some(id) = id else {
            // A notification gets no answer, so it can only cancel.
            if let Ok(Step::Cancel(id)) = step {
                self.cancel(&id);
            }
            reply(None);
            return nothing;
        };
        let answer = match step {
            Ok(Step::Later(later)) => return self.begin(id, later, reply),
            Ok(Step::Now(answer)) => answer,
            Ok(Step::Cancel(id)) => Ok(json(&Cancelled { cancelled: self.cancel(&id) })),
            Err(error) => Err(error),
        };
        reply(Some(rpc::answer_line(&id, &answer)));
        nothing
    }

    /// Returns the error of a message that is too long.
    pub(crate) fn refuse_long() -> String {
        let error = format!("a message is longer than {} MiB", crate::MAX_MESSAGE >> 20);
        rpc::answer_line(&Id::unknown(), &Err(RpcError::new(code::PARSE, error)))
    }

    /// Cancels the requests of this id. Returns whether there are any.
    fn cancel(&self, id: &Id) -> bool {
        let running = self.running.lock();
        let tasks = running.iter().filter(|(running, _)| running == id).map(|(_, task)| Arc::clone(task));
        let tasks: Vec<_> = tasks.collect();
        drop(running);
        tasks.iter().for_each(|task| self.evaluator.cancel(task));
        !tasks.is_empty()
    }

    /// Puts a request into the queue.
    fn begin(self: &Arc<Self>, id: Id, later: Later, reply: Reply) -> Pending {
        let Later { priority, progress, work } = later;
        let notify = self.notify.clone().zip(progress).map(|(send, progress)| {
            let notify: Box<dyn Fn(_) + std::marker::Send + Sync> = Box::new(move |now| send(&progress(now)));
            notify
        });
        let task = Task::new(self.evaluator.rank(priority), notify);
        {
            let mut running = self.running.lock();
            if self.notify.is_some() && running.iter().any(|(other, _)| *other == id) {
                drop(running);
                let error = RpcError::new(code::INVALID_REQUEST, format!("the id {} is in use", id.json()));
                reply(Some(rpc::answer_line(&id, &Err(error))));
                return Pending { client: Arc::clone(self), task: None };
            }
            running.push((id.clone(), Arc::clone(&task)));
        }
        // Refused requests are answered here, the others by the queue.
        let reply = Arc::new(Mutex::new(Some(reply)));
        let (client, own, answers) = (Arc::clone(self), Arc::clone(&task), Arc::clone(&reply));
        let of_request = id.clone();
        let job = move || {
            let answer = own.check().and_then(|()| guarded(|| work(&own)));
            client.answer(&of_request, &own, &answers, &answer);
        };
        if let Err(error) = self.evaluator.queue.push(Arc::clone(&task), Box::new(job)) {
            self.answer(&id, &task, &reply, &Err(error));
            return Pending { client: Arc::clone(self), task: None };
        }
        Pending { client: Arc::clone(self), task: Some(task) }
    }

    fn answer(&self, id: &Id, task: &Arc<Task>, reply: &Mutex<Option<Reply>>, answer: &Answer) {
        self.running.lock().retain(|(_, other)| !Arc::ptr_eq(other, task));
        self.evaluator.queue.done(task);
        if let Some(reply) = reply.lock().take() {
            reply(Some(rpc::answer_line(id, answer)));
        }
    }
}

/// Does the work of a request. A panic is a fault of the judge, and ends no other request.
fn guarded(work: impl FnOnce() -> Answer) -> Answer {
    let done = catch_unwind(AssertUnwindSafe(work));
    done.unwrap_or_else(|_| Err(RpcError::new(code::FAULT, "the judge ended on a panic")))
}
