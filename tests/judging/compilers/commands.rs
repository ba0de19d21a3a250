//! A command of the problem's author: its output, its limit, and its failures to start.

use judge_run::command::{CommandError, CommandOutput, run};
use std::path::Path;
use std::time::{Duration, Instant};

fn shell(script: &str, limit: Duration) -> Result<CommandOutput, CommandError> {
    judge_run::command::use_as_supervisor(Path::new(env!("CARGO_BIN_EXE_judge")));
    run(&["sh".into(), "-c".into(), script.into()], Path::new("/"), limit)
}

#[test]
fn large_outputs_do_not_block() {
    let script = "head -c 300000 /dev/zero; head -c 300000 /dev/zero >&2; exit 3";
    let finished = shell(script, Duration::from_secs(20)).unwrap();
    let lengths = (finished.stdout.len(), finished.stderr.len());
    assert_eq!((finished.status.code(), lengths), (Some(3), (300_000, 300_000)));
}

#[test]
fn a_hanging_command_ends_with_its_children() {
    let started = Instant::now();
    let result = shell("sleep 60 & setsid sleep 60 & sleep 60", Duration::from_millis(100));
    assert!(matches!(result, Err(CommandError::Timeout { .. })));
    assert!(started.elapsed() < Duration::from_secs(20));
}

#[test]
fn one_that_cannot_be_started_says_why() {
    judge_run::command::use_as_supervisor(Path::new(env!("CARGO_BIN_EXE_judge")));
    let missing = run(&["/no/such/program".into()], Path::new("/"), Duration::from_secs(20));
    assert!(matches!(missing, Err(CommandError::Start { source, .. }) if source.raw_os_error() == Some(2)));
}

#[test]
fn one_after_the_other_and_many_at_once() {
    let many = (0..8).map(|number| {
        std::thread::spawn(move || {
            for _ in 0..5 {
                let finished = shell(&format!("exit {number}"), Duration::from_secs(60)).unwrap();
                assert_eq!(finished.status.code(), Some(number));
            }
        })
    });
    many.collect::<Vec<_>>().into_iter().for_each(|thread| thread.join().unwrap());
}
