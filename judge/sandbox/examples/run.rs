//! The smallest user of the crate: runs one command TIMES times and prints the results.
//!
//! `run TIER TIMES CPU_MS WALL_MS MEMORY_MB OUTPUT_KB PROCESSES STDIN_MB PROGRAM [ARGUMENT]…`

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program for people to try, which prints")]

use std::ffi::OsString;
use std::sync::Arc;
use std::time::{Duration, Instant};

use judge_sandbox::{Limits, Options, Request, Sandbox, Stdin, TierChoice, Visible};

fn main() {
    judge_sandbox::become_helper_if_asked();
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let number = |index: usize| arguments[index].to_str().unwrap().parse::<u64>().unwrap();
    let tier = match arguments[0].to_str().unwrap() {
        "auto" => TierChoice::Auto,
        name => TierChoice::Forced(name.parse().unwrap()),
    };
    let sandbox = Sandbox::open(&Options { tier, ..Options::default() }).unwrap();
    println!("tier {}", sandbox.tier());
    for gap in sandbox.gaps() {
        println!("gap {}: {}", gap.what, gap.meaning);
    }
    let visible = std::env::var_os("VISIBLE");
    let limits = Limits {
        cpu: Some(Duration::from_millis(number(2))),
        wall: Some(Duration::from_millis(number(3))),
        memory: Some(number(4) << 20),
        stdout: number(5) << 10,
        stderr: 64 << 10,
        processes: Some(number(6) as u32),
        disk: 256 << 20,
    };
    let request = Request {
        argv: arguments[8..].to_vec(),
        environment: vec![("PATH".into(), "/usr/bin:/bin".into())],
        stdin: match number(7) {
            0 => Stdin::Empty,
            megabytes => Stdin::Bytes(Arc::from(vec![b'x'; (megabytes as usize) << 20])),
        },
        visible: visible.map(|path| Visible { path: path.into(), writable: false }).into_iter().collect(),
        ..Request::new(&arguments[8], limits)
    };
    let mut worker = sandbox.worker(None).unwrap();
    for _ in 0..number(1) {
        let began = Instant::now();
        let result = worker.run(&request);
        let took = began.elapsed();
        match result {
            Ok(run) => {
                println!("{:?} {:?} {:?} answered in {took:?}", run.end, run.breaches, run.usage);
                println!("{}{}", String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
            }
            Err(fault) => println!("FAULT {fault}: {:?}", std::error::Error::source(&fault)),
        }
    }
}
