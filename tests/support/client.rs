//! A server of `judge ui`, and requests to it, byte by byte.

use crate::support::Folder;
use crate::support::pace::patiently;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A server, which ends with this value.
pub(crate) struct Server {
    child: Child,
    pub(crate) port: u16,
    pub(crate) token: String,
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    head: String,
    pub(crate) body: String,
}

impl Server {
    /// Starts a server in a folder, with more arguments.
    pub(crate) fn start(folder: &Folder, more: &[&str]) -> Self {
        Self::start_at(folder, &[&["ui", "--port", "0"], more].concat())
    }

    /// Starts a server by this command line.
    pub(crate) fn start_at(folder: &Folder, arguments: &[&str]) -> Self {
        Self::of(folder.command(arguments))
    }

    /// Starts a server by this command.
    pub(crate) fn of(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut url = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut url).unwrap();
        let rest = url.trim().strip_prefix("http://127.0.0.1:").unwrap_or_else(|| panic!("{url:?}"));
        let (port, token) = rest.split_once("/?token=").unwrap();
        Self { child, port: port.parse().unwrap(), token: token.to_owned() }
    }

    /// Returns the address with the token.
    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/?token={}", self.port, self.token)
    }

    /// Sends the lines of a request, and returns the connection.
    pub(crate) fn send(&self, lines: &[&str]) -> TcpStream {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(patiently(Duration::from_secs(20)))).unwrap();
        stream.write_all(format!("{}\r\nConnection: close\r\n\r\n", lines.join("\r\n")).as_bytes()).unwrap();
        stream
    }

    /// Sends the lines of a request, and returns the answer.
    pub(crate) fn ask(&self, lines: &[&str]) -> Answer {
        Answer::read(self.send(lines))
    }

    /// Returns the headers of an ordinary request with the token.
    pub(crate) fn headers(&self) -> [String; 2] {
        [format!("Host: 127.0.0.1:{}", self.port), format!("Authorization: Bearer {}", self.token)]
    }

    /// Asks for an address, with the token.
    pub(crate) fn get(&self, address: &str) -> Answer {
        let [host, token] = self.headers();
        self.ask(&[&format!("GET {address} HTTP/1.1"), &host, &token])
    }

    /// Sends a document, with the token and more headers.
    pub(crate) fn post(&self, address: &str, document: &Value, more: &[&str]) -> Answer {
        let body = document.to_string();
        let [host, token] = self.headers();
        let length = format!("Content-Length: {}", body.len());
        let request = format!("POST {address} HTTP/1.1");
        let lines = [&[&*request, &host, &token, "Content-Type: application/json", &length], more].concat();
        let mut stream = self.send(&lines);
        stream.write_all(body.as_bytes()).unwrap();
        Answer::read(stream)
    }

    /// Asks for a document, with the token.
    pub(crate) fn json(&self, address: &str) -> Value {
        let answer = self.get(address);
        assert_eq!(answer.status, 200, "{address}: {}", answer.body);
        serde_json::from_str(&answer.body).unwrap()
    }

    /// Sends a signal, and returns the exit code.
    pub(crate) fn end_by(mut self, signal: libc::c_int) -> Option<i32> {
        self.signal(signal);
        self.child.wait().unwrap().code()
    }

    #[allow(unsafe_code, reason = "a signal to the child")]
    fn signal(&self, signal: libc::c_int) {
        let pid = libc::pid_t::try_from(self.child.id()).unwrap();
        // SAFETY: the child is not waited for yet, so the number is its own.
        unsafe { libc::kill(pid, signal) };
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if self.child.try_wait().is_ok_and(|ended| ended.is_none()) {
            self.signal(libc::SIGTERM);
            let _ = self.child.wait();
        }
    }
}

impl Answer {
    fn read(mut stream: TcpStream) -> Self {
        let mut text = Vec::new();
        stream.read_to_end(&mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{text:?}"));
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Self { status, head: head.to_owned(), body: body.to_owned() }
    }

    /// Returns a header; empty if there is none.
    pub(crate) fn header(&self, name: &str) -> &str {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.filter(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value).next().unwrap_or_default()
    }
}
