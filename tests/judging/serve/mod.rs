//! `judge serve` and `judge mcp`: programs that evaluate solvers in a loop.

mod agents;
mod columns_stream;
mod evaluations;
mod http;
mod lifetime;
mod messages;
mod sealed;
mod stream;

use crate::support::Folder;
use crate::support::documents::sample;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A server on pipes, in a folder with the problem `columns`, whose answers are their own scores. It ends with this value.
pub(super) struct Served {
    pub(super) folder: Folder,
    child: Child,
    input: Option<ChildStdin>,
    output: Option<BufReader<ChildStdout>>,
    sent: u64,
}

/// Returns a folder with a problem, and with a folder for temporary files that every user can write to.
pub(super) fn place() -> Folder {
    let folder = sample();
    let open = |path: &std::path::Path, mode| std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
    open(folder.path(), 0o755);
    let temporary = folder.path().join("tmp");
    std::fs::create_dir(&temporary).unwrap();
    open(&temporary, 0o1777);
    folder
}

/// Returns the judge's command line in such a folder.
pub(super) fn command(folder: &Folder, arguments: &[&str]) -> Command {
    let mut command = folder.command(arguments);
    command.env("TMPDIR", folder.path().join("tmp"));
    command
}

impl Served {
    /// Starts `judge serve` with more arguments.
    pub(super) fn start(more: &[&str]) -> Self {
        Self::start_as(place(), &[&["serve", "--jobs", "2"], more].concat())
    }

    /// Starts a server in a folder by this command line.
    pub(super) fn start_as(folder: Folder, arguments: &[&str]) -> Self {
        let mut command = command(&folder, arguments);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (input, output) = (child.stdin.take(), child.stdout.take().map(BufReader::new));
        Self { folder, child, input, output, sent: 0 }
    }

    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends a line as it is.
    pub(super) fn send_line(&mut self, line: &str) {
        let input = self.input.as_mut().unwrap();
        input.write_all(format!("{line}\n").as_bytes()).unwrap();
        input.flush().unwrap();
    }

    /// Sends a request, and returns its id.
    pub(super) fn send(&mut self, method: &str, params: &Value) -> u64 {
        self.sent += 1;
        let id = self.sent;
        self.send_line(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string());
        id
    }

    /// Returns the next message of any kind; `None` at the end.
    pub(super) fn message(&mut self) -> Option<Value> {
        let mut line = String::new();
        (self.output.as_mut().unwrap().read_line(&mut line).unwrap() > 0).then(|| serde_json::from_str(&line).unwrap())
    }

    /// Returns the next answer.
    pub(super) fn answer(&mut self) -> Value {
        loop {
            let message = self.message().expect("the server goes on");
            if message.get("method").is_none() {
                return message;
            }
        }
    }

    /// Sends a request and returns its answer.
    pub(super) fn call(&mut self, method: &str, params: &Value) -> Value {
        let id = self.send(method, params);
        let answer = self.answer();
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    /// Returns the result of a request.
    pub(super) fn result(&mut self, method: &str, params: &Value) -> Value {
        let mut answer = self.call(method, params);
        assert!(answer.get("error").is_none(), "{params}: {answer}");
        answer["result"].take()
    }

    /// Evaluates a shell script on some seeds, with more params.
    pub(super) fn evaluate(&mut self, script: &str, seeds: &str, more: &Value) -> Value {
        let mut params = script_on(script, seeds);
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.result("evaluate", &params)
    }

    /// Returns the code of the error of a request.
    pub(super) fn error_code(&mut self, method: &str, params: &Value) -> i64 {
        let answer = self.call(method, params);
        answer["error"]["code"].as_i64().unwrap_or_else(|| panic!("{params}: {answer}"))
    }

    /// Closes the server's input, and returns its exit code.
    pub(super) fn end(&mut self) -> Option<i32> {
        self.input = None;
        self.child.wait().unwrap().code()
    }

    /// Closes both pipes, as the end of a client does, and returns the server's exit code.
    pub(super) fn vanish(&mut self) -> Option<i32> {
        self.input = None;
        self.output = None;
        self.child.wait().unwrap().code()
    }

    /// Returns the folder. The server must have ended.
    pub(super) fn into_folder(mut self) -> Folder {
        let _ = self.child.wait();
        std::mem::replace(&mut self.folder, Folder::new())
    }

    #[allow(unsafe_code, reason = "a signal to the child")]
    pub(super) fn signal(&self, signal: libc::c_int) {
        let pid = libc::pid_t::try_from(self.child.id()).unwrap();
        // SAFETY: the child is not waited for yet, so the number is its own.
        unsafe { libc::kill(pid, signal) };
    }

    /// Waits for its end after a signal.
    pub(super) fn wait(&mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }

    /// Returns its exit code, as soon as it has ended.
    pub(super) fn ended(&mut self) -> Option<Option<i32>> {
        self.child.try_wait().unwrap().map(|status| status.code())
    }

    /// The server's leftovers in the folder for temporary files.
    pub(super) fn leftovers(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.path().join("tmp")).unwrap();
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the params that evaluate a shell script on some seeds.
pub(super) fn script_on(script: &str, seeds: &str) -> Value {
    json!({"problem": "columns", "solver": {"source": script, "language": "shell"}, "seeds": seeds})
}
