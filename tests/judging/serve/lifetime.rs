//! The end of a server: it leaves nothing behind.

use super::{Served, script_on};
use crate::support::pace::awaited;
use crate::support::processes::{assert_all_end, family};
use serde_json::json;
use std::time::Duration;

/// Starts a server that is at work: a source is prepared, and a program runs.
fn busy() -> (Served, Vec<crate::support::processes::Process>) {
    let mut served = Served::start(&[]);
    served.evaluate("echo 1", "1-2", &json!({}));
    served.send("evaluate", &script_on("sleep 60; echo 1", "1-9"));
    let id = served.id();
    let all = awaited(Duration::from_secs(20), "the program starts", || {
        let all = family(id);
        all.iter().any(|process| process.name == "sleep").then_some(all)
    });
    (served, all)
}

fn assert_nothing_left(served: &Served, all: &[crate::support::processes::Process], how: &str) {
    assert_all_end(all, how);
    awaited(Duration::from_secs(5), how, || served.leftovers().is_empty().then_some(()));
}

#[test]
fn the_end_of_input_cancels_what_runs() {
    let (mut served, all) = busy();
    assert_eq!(served.end(), Some(0));
    assert_eq!(served.answer()["error"]["code"], -32000);
    assert_nothing_left(&served, &all, "a server whose input has ended");
}

#[test]
fn an_input_that_cannot_be_read_is_named() {
    let folder = super::place();
    let input = std::fs::File::open(folder.path()).unwrap();
    let said = super::command(&folder, &["serve"]).stdin(input).output().unwrap();
    let error = String::from_utf8_lossy(&said.stderr);
    assert!(said.status.code() == Some(3) && error.contains("cannot read standard input: "), "{error}");
}

#[test]
fn sigterm_ends_it_cleanly() {
    let (mut served, all) = busy();
    served.signal(libc::SIGTERM);
    assert_eq!(served.wait(), Some(0));
    assert_nothing_left(&served, &all, "a server that was asked to end");
}

#[test]
fn sigterm_ends_it_while_nobody_reads() {
    let mut served = Served::start(&[]);
    // The answers are longer than a pipe, the requests are not.
    for _ in 0..400 {
        served.send("rules", &json!({"problem": "columns"}));
    }
    std::thread::sleep(Duration::from_millis(300));
    served.signal(libc::SIGTERM);
    assert_eq!(awaited(Duration::from_secs(10), "the server ends", || served.ended()), Some(0));
}

#[test]
fn a_killed_server_leaves_nothing() {
    let (mut served, all) = busy();
    assert!(!served.leftovers().is_empty());
    served.signal(libc::SIGKILL);
    assert_eq!(served.wait(), None);
    assert_nothing_left(&served, &all, "a killed server");
}

#[test]
fn idle_servers_keep_no_programs() {
    let mut served = Served::start(&[]);
    for script in ["echo 1", "sleep 60 & echo 2", "exit 1"] {
        served.evaluate(script, "1-3", &json!({}));
    }
    let id = served.id();
    awaited(Duration::from_secs(5), "the programs end", || {
        family(id).iter().all(|process| process.name != "sleep" && process.name != "sh").then_some(())
    });
}

#[test]
#[ignore = "long: a hundred servers, each of whose clients vanishes"]
fn a_hundred_vanished_clients_leave_nothing() {
    let mut folder = super::place();
    for number in 0..100 {
        let mut served = Served::start_as(folder, &["serve", "--jobs", "2"]);
        if number % 2 == 0 {
            served.evaluate("echo 1", "1", &json!({}));
        }
        served.send("evaluate", &script_on(&format!("sleep 9; echo {number}"), "1-9"));
        std::thread::sleep(Duration::from_millis(number * 7 % 90));
        let all = family(served.id());
        assert_eq!(served.vanish(), Some(0));
        assert_nothing_left(&served, &all, "a server whose client has vanished");
        folder = served.into_folder();
    }
}

/// The number of evaluations of the soak test, unless `JUDGE_SOAK` sets another one.
const SOAK: u32 = 3_000;

#[test]
#[ignore = "long: 3,000 evaluations, hostile ones among them, some of them cancelled; JUDGE_SOAK is another number"]
fn a_long_life_needs_no_more_memory_or_files() {
    let count: u32 = std::env::var("JUDGE_SOAK").map_or(SOAK, |count| count.parse().unwrap());
    let mut served = Served::start(&["--cpu", "200ms"]);
    let own = |served: &Served| family(served.id()).into_iter().next().unwrap();
    let round = |served: &mut Served, number: u32| {
        let script = match number % 500 {
            0 | 100 | 200 => "while :; do :; done".to_owned(),
            50 => "f() { f | f & }; f".to_owned(),
            150 => "yes".to_owned(),
            250 => "kill -SEGV $$".to_owned(),
            350 => "echo > file; sleep 60 & echo 2".to_owned(),
            _ => format!("echo {number}"),
        };
        // The allocator keeps freed buffers of large outputs.
        let more = json!({"limits": {"wall": "500ms", "output": "64KiB"}, "fresh": true});
        assert!(served.evaluate(&script, "1", &more)["verdict"].is_string());
        if number.is_multiple_of(30) {
            let id = served.send("evaluate", &script_on(&format!("sleep 9; echo {number}"), "1-3"));
            served.send("cancel", &json!({"id": id}));
            let codes = [served.answer(), served.answer()];
            assert!(codes.iter().any(|answer| answer["error"]["code"] == -32000), "{codes:?}");
        }
    };
    let warm = 500.min(count / 2);
    (0..warm).for_each(|number| round(&mut served, number));
    let (before, files, processes) =
        (own(&served).status("VmRSS").unwrap(), own(&served).files(), family(served.id()).len());
    (warm..count).for_each(|number| round(&mut served, number));
    let (after, files_after) = (own(&served).status("VmRSS").unwrap(), own(&served).files());
    let all = awaited(Duration::from_secs(5), "the programs end", || {
        let all = family(served.id());
        (all.len() <= processes + 1).then_some(all)
    });
    println!(
        "{count} evaluations: memory from {before} to {after} KiB, files from {files} to {files_after}, processes from \
         {processes} to {}, {} entries in the folder for temporary files",
        all.len(),
        served.leftovers().len()
    );
    // Results of up to 64 MiB are remembered.
    let kept = 64 * 1024 * u64::from(count > 2 * SOAK);
    assert!(after < before + 8 * 1024 + kept, "from {before} to {after} KiB");
    assert!(files_after <= files + 4, "from {files} to {files_after} files");
    assert!(served.leftovers().len() < 80, "{:?}", served.leftovers().len());
    assert_eq!(served.end(), Some(0));
    assert_eq!(served.leftovers(), Vec::<String>::new());
    assert_all_end(&all, "a server that has ended");
}
