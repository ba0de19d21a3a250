//! Signals, and pipe ends that other processes hold.

use super::*;
use crate::support::Folder;
use crate::support::pace::awaited;
use std::io::Write as _;

#[test]
fn an_interrupt_shows_what_was_finished() {
    let folder = Folder::new();
    let solver = folder.script("slow", "read w h; read k; [ $w = 6 ] || sleep 60; echo 0");
    let mut arguments = vec!["run", "-p", "columns", "--seeds", "1-50", "--jobs", "1", "--wall", "60s", "-s"];
    arguments.extend([solver.to_str().unwrap(), "--jsonl", "live"]);
    for signal in ["INT", "TERM"] {
        let interrupted = || {
            let _ = std::fs::remove_file(folder.path().join("live"));
            let started = Instant::now();
            let child = folder.command(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
            awaited(Duration::from_secs(10), "the first case is over", || {
                std::fs::read_to_string(folder.path().join("live")).ok().filter(|text| text.contains("seed-1\""))
            });
            let mut kill = std::process::Command::new("kill");
            assert!(kill.args([&format!("-{signal}"), &child.id().to_string()]).status().unwrap().success());
            let output = child.wait_with_output().unwrap();
            let stdout = String::from_utf8(output.stdout).unwrap();
            assert_eq!(output.status.code(), Some(130), "{stdout}");
            assert!(stdout.contains("seed-1 "), "{stdout}");
            assert!(stdout.contains("interrupted"), "{stdout}");
            assert!(started.elapsed() < Duration::from_secs(50), "it waited for its solver");
        };
        unhurried("an interrupt", interrupted).unwrap();
    }
}

/// A shell that ignores SIGCHLD passes this on to the judge. The judge can still wait for compilers and checkers.
#[test]
fn inherited_signals_and_files_do_no_harm() {
    let folder = Folder::new();
    folder.write("bot.rs", "fn main() { println!(\"0\"); }");
    let judge = env!("CARGO_BIN_EXE_judge");
    let script =
        format!("trap '' CHLD PIPE HUP; umask 077; exec {judge} run -p columns --seeds 1-2 -s bot.rs --json -");
    let output = std::process::Command::new("bash").args(["-c", &script]).current_dir(folder.path()).output();
    let Ok(output) = output else {
        skip(Need::Bash, "there is no bash");
        return;
    };
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(of_cases(&report, "verdict"), ["accepted", "accepted"], "{report}");
}

#[test]
fn output_that_cannot_be_written_is_said() {
    let folder = Folder::new();
    let lines = ["run", "-p", "columns", "--seeds", "1", "-s", "true", "--jsonl", "-"];
    for arguments in [&["list"][..], &["help", "run"], &["--version"], &lines] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = folder.command(arguments).stdout(full).stderr(Stdio::piped()).output().unwrap();
        assert_eq!(output.status.code(), Some(3), "{arguments:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("cannot write to standard output"), "{arguments:?}");
    }
}

#[test]
fn a_server_says_that_nobody_gets_its_answers() {
    let folder = Folder::new();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut command = folder.command(&["serve"]);
    let mut server = command.stdin(Stdio::piped()).stdout(full).stderr(Stdio::piped()).spawn().unwrap();
    // It ends though its input does not.
    let mut input = server.stdin.take().unwrap();
    input.write_all(b"{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"status\"}\n").unwrap();
    let output = server.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&output.stderr).contains("cannot write to standard output"));
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let folder = Folder::new();
    let mut child =
        folder.command(&["gen", "-p", "deletion-game", "--seed", "6"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
    assert_eq!(first.trim(), "6");
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_fifo_without_a_reader_delays_nothing() {
    let folder = Folder::new();
    let fifo = folder.path().join("fifo");
    rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    unhurried("a FIFO", || write_to_a_fifo(&folder, &fifo)).unwrap();
}

fn write_to_a_fifo(folder: &Folder, fifo: &Path) {
    let exec = |command: [&str; 3]| {
        let began = Instant::now();
        let wall = format!("{}ms", patiently(Duration::from_millis(500)).as_millis());
        let words = ["exec", "--wall", &wall, "--stdout", "fifo", "--", command[0], command[1], command[2]];
        let said = folder.judge(&words);
        let took = began.elapsed();
        in_time(took < patiently(Duration::from_secs(10)), || format!("{took:?}: {}", said.stderr));
        said
    };
    let unread = exec(["/usr/bin/printf", "%s", "hello"]);
    assert_eq!(unread.code, Some(2));
    assert!(unread.stderr.contains("this FIFO has no reader: start the reader first"), "{}", unread.stderr);
    let flags = rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::NONBLOCK;
    let idle = rustix::fs::open(fifo, flags, rustix::fs::Mode::empty()).unwrap();
    let flood = exec(["/bin/sh", "-c", "while :; do echo 0123456789; done"]);
    assert_eq!(flood.code, Some(1));
    assert!(flood.stderr.contains("wall-limit"), "{}", flood.stderr);
    let small = exec(["/usr/bin/printf", "%s", "hello"]);
    assert_eq!(small.code, Some(3), "the pipe is full: {}", small.stderr);
    assert!(small.stderr.contains("waiting for the program's output to be read"), "{}", small.stderr);
    drop(idle);
}

#[test]
fn a_run_that_cannot_begin_empties_no_file() {
    let folder = Folder::new();
    let kept = folder.write("kept", "text");
    for input in ["missing", "./kept"] {
        let said = folder.judge(&["exec", "--stdin", input, "--stdout", "kept", "--", "cat"]);
        assert_eq!(said.code, Some(2), "{}", said.stderr);
        assert_eq!(std::fs::read_to_string(&kept).unwrap(), "text", "{input}");
    }
    for flags in [["--dir", "missing"], ["--stderr", "missing/x"], ["--json", "missing/x"]] {
        let said = folder.judge(&[&["exec", "--stdout", "kept"], &flags[..], &["--", "echo", "hello"]].concat());
        assert_eq!(said.code, Some(2), "{}", said.stderr);
        assert_eq!(std::fs::read_to_string(&kept).unwrap(), "text", "{flags:?}");
    }
    std::os::unix::fs::symlink("kept", folder.path().join("link")).unwrap();
    let said = folder.judge(&["exec", "--stdout", "kept", "--stderr", "link", "--", "echo", "hello"]);
    assert!(said.code == Some(2) && said.stderr.contains("cannot both go to link"), "{}", said.stderr);
    for [one, other] in [["--stdout", "--stderr"], ["--stdout", "--json"], ["--stderr", "--json"]] {
        let said = folder.judge(&["exec", one, "kept", other, "./kept", "--", "echo", "hello"]);
        assert_eq!(said.code, Some(2), "{}", said.stderr);
        assert!(said.stderr.contains(&format!("{one} and {other} cannot both go to ./kept")), "{}", said.stderr);
        assert_eq!(std::fs::read_to_string(&kept).unwrap(), "text", "{one} {other}");
    }
}

#[test]
fn a_hyphen_is_the_judges_own_stream() {
    let folder = Folder::new();
    let said = folder.judge(&["exec", "--stdout", "-", "--stderr", "-", "--", "sh", "-c", "echo one; echo two >&2"]);
    assert_eq!((said.code, &*said.stdout), (Some(0), "one\n"), "{}", said.stderr);
    assert!(said.stderr.contains("two\n"), "{}", said.stderr);
    for stdout in ["-", "/dev/stdout"] {
        let said = folder.judge(&["exec", "--stdout", stdout, "--json", "-", "--", "echo", "hello"]);
        assert_eq!((said.code, &*said.stdout), (Some(2), ""), "{}", said.stderr);
        assert!(said.stderr.contains("--stdout and --json cannot both go to standard output"), "{}", said.stderr);
    }
    let said = folder.judge(&["exec", "--json", "-", "--", "echo", "hello"]);
    assert!(
        said.stdout.starts_with('{') && said.stderr.contains("not the 6 B of the program: --stdout FILE keeps them"),
        "{}",
        said.stderr
    );
    assert!(!folder.path().join("-").exists());
}

#[test]
fn a_relative_folder_for_temporary_files_works_from_any_folder() {
    let folder = Folder::new();
    let problem = "[[problem]]\nid = \"p\"\ngenerator-command = \"echo {seed}\"\nchecker-command = \"cat {answer}\"\n";
    folder.write("problems.toml", format!("{problem}seeds = \"1-2\"\n"));
    folder.write("sub/empty", "");
    for temporary in [".", "..", "", "sub"] {
        let arguments = ["run", "-p", "p", "-s", "cat", "--tier", "bare", "--no-journal"];
        let output = folder.command(&arguments).env("TMPDIR", temporary).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "`{temporary}`: {}", String::from_utf8_lossy(&output.stdout));
    }
    assert_eq!(std::fs::read_dir(folder.path().join("sub")).unwrap().count(), 1);
}

#[test]
fn a_missing_temporary_folder_is_no_solvers_fault() {
    let folder = Folder::new();
    folder.write("bot/main.sh", "cat");
    let arguments = ["run", "-p", "columns", "-s", "bot/", "--seeds", "1", "--no-journal"];
    let output = folder.command(&arguments).env("TMPDIR", folder.path().join("none")).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() != Some(1) && output.stdout.is_empty(), "{stderr}");
    assert!(stderr.contains("hint: "), "{stderr}");
}
