//! Ctrl-C and SIGTERM. Signals belong to the process: once a run has listened to them, one hub delivers them until it ends.

use judge_problem::Exit;
use parking_lot::Mutex;
use std::future::pending;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::Builder;
use std::time::Instant;
use tokio::runtime::Runtime;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::broadcast::error::{RecvError, TryRecvError};
use tokio::sync::broadcast::{Receiver, Sender, channel};

/// The number of signals that a listener may leave unread. Of more, the last ones are kept.
const MAX_UNREAD: usize = 16;

/// Receives every signal while it lives, and also a signal that came while there was no listener.
pub struct Signals {
    receiver: Receiver<()>,
    /// The time of one more signal, which nobody has to send.
    end: Option<Instant>,
}

/// The process's signals. Each listener receives every signal, because several solvers are compiled at once.
struct SignalHub {
    /// `None` until signals are caught.
    sender: Option<Sender<()>>,
    /// A signal came between two runs.
    waiting: bool,
}

/// Whether a signal has ever come.
static SIGNAL_CAME: AtomicBool = AtomicBool::new(false);

static SIGNAL_HUB: Mutex<SignalHub> = Mutex::new(SignalHub { sender: None, waiting: false });

impl Signals {
    /// Listens to signals from now on.
    ///
    /// # Errors
    /// When they cannot be caught.
    pub fn install() -> io::Result<Self> {
        let mut hub = SIGNAL_HUB.lock();
        let sender = match &hub.sender {
            Some(sender) => sender.clone(),
            None => {
                open()?;
                hub.sender.insert(channel(MAX_UNREAD).0).clone()
            }
        };
        let receiver = sender.subscribe();
        if std::mem::take(&mut hub.waiting) {
            let _ = sender.send(());
        }
        Ok(Self::of(receiver))
    }

    /// Returns signals that are separate from the process's own, and a function that sends one.
    pub fn by_request() -> (Self, impl Fn() + Send + Sync + 'static) {
        let (sender, receiver) = channel(MAX_UNREAD);
        // The run may have ended.
        (Self::of(receiver), move || drop(sender.send(())))
    }

    /// Returns signals that come from this channel.
    pub(super) fn of(receiver: Receiver<()>) -> Self {
        Self { receiver, end: None }
    }

    /// Returns the same signals, and one more at this time.
    pub(super) fn and_at(self, end: Option<Instant>) -> Self {
        Self { end, ..self }
    }

    /// Waits for a signal.
    pub fn wait(&mut self) {
        let _ = self.receiver.blocking_recv();
    }

    /// Returns whether a signal has come since the last call.
    pub fn is_pending(&mut self) -> bool {
        matches!(self.receiver.try_recv(), Ok(()) | Err(TryRecvError::Lagged(_)))
    }

    pub(super) async fn next(&mut self) {
        let end = self.end;
        let at_end = async {
            match end {
                Some(end) => tokio::time::sleep_until(end.into()).await,
                None => pending().await,
            }
        };
        tokio::select! {
            // Without a requester, nothing ever comes.
            Ok(()) | Err(RecvError::Lagged(_)) = self.receiver.recv() => {}
            () = at_end => self.end = None,
        }
    }
}

/// Ends the process on the second Ctrl-C. This is the only place where the judge does not return to `main`: a thread
/// may be blocked by a file system that does not answer, or by a computation that cannot be interrupted. The helpers
/// and supervisors of the sandbox notice the end, kill the programs and remove their files.
pub fn exit_at_once() -> ! {
    std::process::exit(i32::from(Exit::Interrupted.code()))
}

/// Returns whether a signal has come since this process began to catch them.
pub fn was_interrupted() -> bool {
    SIGNAL_CAME.load(Ordering::SeqCst)
}

/// Catches signals from now on.
fn open() -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    let entered = runtime.enter();
    let (interrupt, terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    drop(entered);
    Builder::new().name("signals".to_owned()).spawn(move || deliver(&runtime, interrupt, terminate))?;
    Ok(())
}

fn deliver(runtime: &Runtime, mut interrupt: Signal, mut terminate: Signal) {
    loop {
        runtime.block_on(async {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
        });
        SIGNAL_CAME.store(true, Ordering::SeqCst);
        let mut hub = SIGNAL_HUB.lock();
        // There is no listener if it cannot be sent.
        if hub.sender.as_ref().is_none_or(|sender| sender.send(()).is_err()) {
            if hub.waiting {
                exit_at_once();
            }
            hub.waiting = true;
        }
    }
}
