//! The overhead of `judge serve` on a program's run, compared with a bare loop that starts the same program: `cargo
//! bench -p judge --bench serve`.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a bench prints, and may panic")]

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

const ROUNDS: usize = 2_000;

/// A server on pipes.
struct Served {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Served {
    fn start(folder: &Path, jobs: usize) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_judge"));
        command.args(["serve", "--problems", "builtin", "--jobs", &jobs.to_string()]).current_dir(folder);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let (input, output) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        Self { child, input, output }
    }

    fn send(&mut self, id: usize, solver: &Value) {
        let params = json!({"problem": "columns", "solver": solver, "seeds": "1", "fresh": true});
        let line = json!({"jsonrpc": "2.0", "id": id, "method": "evaluate", "params": params});
        self.input.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    fn answer(&mut self) {
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).unwrap() > 0, "the server goes on");
            if !line.starts_with("{\"jsonrpc\":\"2.0\",\"method\"") {
                assert!(line.contains("\"runs\":1"), "{line}");
                return;
            }
        }
    }

    /// Returns the evaluations a second with this many requests under way.
    fn rate(&mut self, solver: &Value, rounds: usize, under_way: usize) -> f64 {
        (0..under_way).for_each(|id| self.send(id, solver));
        let began = Instant::now();
        for id in under_way..rounds + under_way {
            self.answer();
            self.send(id, solver);
        }
        let rate = rounds as f64 / began.elapsed().as_secs_f64();
        (0..under_way).for_each(|_| self.answer());
        rate
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Starts a program on an input and reads its answer, as a loop without a judge does.
fn bare(words: &[&str], input: &[u8]) {
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // The program may not read it.
    let _ = child.stdin.take().unwrap().write_all(input);
    assert!(!child.wait_with_output().unwrap().stdout.is_empty());
}

fn bare_rate(words: &[&str], input: &[u8], rounds: usize, threads: usize) -> f64 {
    let began = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| (0..rounds / threads).for_each(|_| bare(words, input)));
        }
    });
    rounds as f64 / began.elapsed().as_secs_f64()
}

fn milliseconds(rate: f64) -> f64 {
    1e3 / rate
}

/// Compiles a small static program.
fn static_program(folder: &Path) -> Option<PathBuf> {
    let (source, program) = (folder.join("bot.c"), folder.join("bot"));
    std::fs::write(&source, "#include <stdio.h>\nint main(void) { puts(\"0\"); return 0; }\n").unwrap();
    let compiled = Command::new("cc").args(["-O2", "-static", "-o"]).args([&program, &source]).status();
    compiled.is_ok_and(|status| status.success()).then_some(program)
}

fn main() {
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = static_program(folder.path()) else {
        println!("skipped: there is no cc that makes static programs: apt-get install gcc libc6-dev");
        return;
    };
    let case =
        Command::new(env!("CARGO_BIN_EXE_judge")).args(["gen", "-p", "columns", "--seed", "1"]).output().unwrap();
    let (name, input) = (program.display().to_string(), case.stdout);
    let solver = json!({ "path": name });

    // In turns, because other programs change the speed of the machine.
    println!("| | bare loop | judge serve | ratio |\n|---|---:|---:|---:|");
    let mut pairs = [(1, Vec::new()), (2, Vec::new())];
    for (jobs, rates) in &mut pairs {
        let mut served = Served::start(folder.path(), *jobs);
        // With one request at a time, each request is a round trip. With two jobs, further requests wait, so no job
        // waits for this client.
        let under_way = *jobs * *jobs;
        served.rate(&solver, 200, under_way);
        for _ in 0..5 {
            let alone = bare_rate(&[&name], &input, ROUNDS / 5, *jobs);
            rates.push((alone, served.rate(&solver, ROUNDS / 5, under_way)));
        }
    }
    let [(_, one), (_, two)] = pairs.map(|(jobs, rates)| (jobs, median(rates)));
    let (bare_ms, served_ms) = (milliseconds(one.0), milliseconds(one.1));
    println!("| round trip of a static program | {bare_ms:.3} ms | {served_ms:.3} ms | {:.2} |", served_ms / bare_ms);
    println!("| evaluations a second with two jobs | {:.0} | {:.0} | {:.2} |", two.0, two.1, two.1 / two.0);
    let source = "print(0)\n";
    let script = folder.path().join("bot.py");
    std::fs::write(&script, source).unwrap();
    let mut served = Served::start(folder.path(), 1);
    let python = json!({"source": source, "language": "python"});
    served.rate(&python, 20, 1);
    let alone = bare_rate(&["python3", &script.display().to_string()], &input, 100, 1);
    let judged = served.rate(&python, 100, 1);
    println!(
        "| a Python program | {:.1} ms | {:.1} ms | {:.2} |",
        milliseconds(alone),
        milliseconds(judged),
        alone / judged
    );
    println!("most of a round trip: 1.5 x {bare_ms:.3} + 0.2 = {:.3} ms", 1.5 * bare_ms + 0.2);
    println!("`status` over HTTP, on a connection that is kept: {:.3} ms", http_status(folder.path()));
}

/// Returns the median of the round trips of `status` over one connection, in milliseconds.
fn http_status(folder: &Path) -> f64 {
    let mut command = Command::new(env!("CARGO_BIN_EXE_judge"));
    command.args(["serve", "--problems", "builtin", "--listen", "127.0.0.1:0"]).current_dir(folder);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let said: Value = serde_json::from_str(&line).unwrap();
    let (listening, token) = (said["listening"].as_str().unwrap(), said["token"].as_str().unwrap());
    let host = listening.trim_start_matches("http://").trim_end_matches("/rpc");
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "status"}).to_string();
    let head = format!(
        "POST /rpc HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\nContent-Length: {}",
        body.len()
    );
    let request = format!("{head}\r\n\r\n{body}");
    let mut stream = TcpStream::connect(host).unwrap();
    let mut trips: Vec<f64> = (0..500)
        .map(|_| {
            let began = Instant::now();
            stream.write_all(request.as_bytes()).unwrap();
            // The answer is short, and comes in one piece.
            assert!(stream.read(&mut [0; 1 << 16]).unwrap() > 0);
            began.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    let _ = child.kill();
    let _ = child.wait();
    trips.sort_by(f64::total_cmp);
    trips[trips.len() / 2]
}

/// Returns the pair whose ratio is the median.
fn median(mut rates: Vec<(f64, f64)>) -> (f64, f64) {
    rates.sort_by(|left, right| (left.1 / left.0).total_cmp(&(right.1 / right.0)));
    rates[rates.len() / 2]
}
