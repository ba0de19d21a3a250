//! The same over HTTP on this machine.

use super::{command, place, script_on};
use crate::support::Folder;
use crate::support::pace::awaited;
use crate::support::processes::{Process, family};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::Duration;

struct Listening {
    folder: Folder,
    child: Child,
    port: u16,
    token: String,
}

impl Listening {
    fn start() -> Self {
        let folder = place();
        let mut command = command(&folder, &["serve", "--jobs", "2", "--listen", "127.0.0.1:0"]);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let said: Value = serde_json::from_str(&line).unwrap();
        let rest = said["listening"].as_str().unwrap().strip_prefix("http://127.0.0.1:").unwrap();
        let port = rest.strip_suffix("/rpc").unwrap().parse().unwrap();
        Self { folder, child, port, token: said["token"].as_str().unwrap().to_owned() }
    }

    /// Sends a request with these headers, and returns the connection.
    fn send(&self, headers: &[String], body: &str) -> TcpStream {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let head = format!("POST /rpc HTTP/1.1\r\n{}\r\nContent-Length: {}", headers.join("\r\n"), body.len());
        stream.write_all(format!("{head}\r\nConnection: close\r\n\r\n{body}").as_bytes()).unwrap();
        stream
    }

    fn headers(&self) -> Vec<String> {
        vec![format!("Host: 127.0.0.1:{}", self.port), format!("Authorization: Bearer {}", self.token)]
    }

    /// Returns the status and the body of an answer.
    fn ask(&self, headers: &[String], body: &str) -> (u16, String) {
        let mut text = String::new();
        self.send(headers, body).read_to_string(&mut text).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
    }

    fn call(&self, method: &str, params: &Value) -> Value {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
        let (status, body) = self.ask(&self.headers(), &body);
        assert_eq!(status, 200, "{body}");
        serde_json::from_str(&body).unwrap()
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn only_those_with_the_token_are_answered() {
    let listening = Listening::start();
    let status = json!({"jsonrpc": "2.0", "id": 1, "method": "status"}).to_string();
    let [host, token] = [&listening.headers()[0], &listening.headers()[1]].map(String::clone);
    assert_eq!(listening.ask(&[host.clone(), token.clone()], &status).0, 200);
    assert_eq!(listening.ask(std::slice::from_ref(&host), &status).0, 403);
    assert_eq!(listening.ask(&[host.clone(), "Authorization: Bearer 0".to_owned()], &status).0, 403);
    assert_eq!(listening.ask(&["Host: evil.example".to_owned(), token.clone()], &status).0, 403);
    let foreign = [host, token, "Origin: http://evil.example".to_owned()];
    assert_eq!(listening.ask(&foreign, &status).0, 403);
    assert_eq!(listening.ask(&listening.headers(), "{").0, 200);
    assert_eq!(listening.ask(&listening.headers(), &json!({"jsonrpc": "2.0", "method": "status"}).to_string()).0, 204);
}

#[test]
fn long_messages_and_tokens_in_addresses_are_refused() {
    let listening = Listening::start();
    let (status, body) = listening.ask(&listening.headers(), &"x".repeat((16 << 20) + 1));
    assert!(status == 200 && body.contains("-32700") && body.contains("16 MiB"), "{status}: {body}");
    let mut stream = TcpStream::connect(("127.0.0.1", listening.port)).unwrap();
    let first = format!("POST /rpc?token={} HTTP/1.1\r\n{}", listening.token, listening.headers()[0]);
    let head = format!("{first}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 403"), "{answer}");
}

#[test]
fn several_clients_may_use_one_id() {
    let listening = Listening::start();
    std::thread::scope(|scope| {
        let asked: Vec<_> = (1..=6)
            .map(|score| {
                let params = script_on(&format!("echo {score}"), "1-2");
                let listening = &listening;
                scope.spawn(move || (score, listening.call("evaluate", &params)))
            })
            .collect();
        for (score, answer) in asked.into_iter().map(|asked| asked.join().unwrap()) {
            assert_eq!(answer["result"]["total"], 2 * score, "{answer}");
        }
    });
}

#[test]
fn a_busy_port_has_a_hint_of_its_own() {
    let listening = Listening::start();
    let said = listening.folder.judge(&["serve", "--listen", &format!("127.0.0.1:{}", listening.port)]);
    assert!(said.code == Some(2) && said.stderr.contains("--listen 127.0.0.1:0"), "{}", said.stderr);
}

#[test]
fn a_closed_connection_cancels_its_request() {
    let listening = Listening::start();
    let running = || listening.call("status", &json!({}))["result"]["running"].as_u64().unwrap();
    for _ in 0..3 {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "evaluate", "params": script_on("sleep 60", "1-9")});
        let stream = listening.send(&listening.headers(), &body.to_string());
        awaited(Duration::from_secs(10), "it runs", || (running() == 1).then_some(()));
        drop(stream);
        awaited(Duration::from_secs(10), "it ends", || (running() == 0).then_some(()));
    }
    assert_eq!(listening.call("evaluate", &script_on("echo 4", "1"))["result"]["total"], 4);
}

#[test]
#[ignore = "long: a hundred clients vanish, each while another of its requests' steps is under way"]
fn a_hundred_vanished_clients_leave_nothing() {
    let mut listening = Listening::start();
    let counts = |listening: &Listening| {
        let status = &listening.call("status", &json!({}))["result"];
        (status["running"].as_u64().unwrap(), status["waiting"].as_u64().unwrap())
    };
    listening.call("evaluate", &script_on("echo 1", "1-2"));
    let server = Process::of(listening.child.id()).unwrap();
    let (memory, files) = (server.status("VmRSS").unwrap(), server.files());
    for number in 0..100 {
        let params = script_on(&format!("sleep 9; echo {number}"), "1-3");
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "evaluate", "params": params}).to_string();
        let stream = listening.send(&listening.headers(), &body);
        std::thread::sleep(Duration::from_millis(number * 7 % 60));
        drop(stream);
    }
    awaited(Duration::from_secs(20), "all requests end", || (counts(&listening) == (0, 0)).then_some(()));
    let lives = family(listening.child.id());
    assert!(lives.iter().all(|process| process.name != "sleep" && process.name != "sh"), "{lives:?}");
    let (memory_after, files_after) = (server.status("VmRSS").unwrap(), server.files());
    assert!(memory_after < memory + 8 * 1024, "from {memory} to {memory_after} KiB");
    assert!(files_after <= files + 4, "from {files} to {files_after} files");
    assert_eq!(listening.call("evaluate", &script_on("echo 4", "1"))["result"]["total"], 4);
    rustix::process::kill_process(rustix::process::Pid::from_child(&listening.child), rustix::process::Signal::TERM)
        .unwrap();
    listening.child.wait().unwrap();
    let left = std::fs::read_dir(listening.folder.path().join("tmp")).unwrap().count();
    assert_eq!(left, 0, "files are left");
}
