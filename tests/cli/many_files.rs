//! Many files at once: making, reading and checking them on all cores gives the same result as one by one, in the same
//! order.

use crate::support::Folder;
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, WatchFlags};
use std::mem::MaybeUninit;

#[test]
fn parallel_inputs_equal_sequential_ones() {
    let folder = Folder::new();
    let said = folder.judge(&["gen", "-p", "same-game", "--seeds", "1-60", "--dir", "cases"]);
    assert!(said.code == Some(0) && said.stderr.contains("wrote 60 cases to cases"), "{}", said.stderr);
    let said = folder.judge(&["gen", "-p", "columns", "--seeds", "3,3", "--dir", "one"]);
    assert!(said.code == Some(0) && said.stderr.contains("wrote 1 case to one"), "{}", said.stderr);
    for seed in 1..=60 {
        let alone = folder.judge(&["gen", "-p", "same-game", "--seed", &seed.to_string()]).stdout;
        assert_eq!(std::fs::read_to_string(folder.path().join(format!("cases/seed-{seed}.in"))).unwrap(), alone);
    }
    assert_eq!(std::fs::read_dir(folder.path().join("cases")).unwrap().count(), 60, "and nothing else is left there");
}

#[test]
fn the_first_failing_seed_is_named() {
    let folder = Folder::new();
    folder.script("generate", "[ $1 -lt 30 ] || { echo \"no $1\" >&2; exit 1; }; echo $1");
    folder.write(
        "problems.toml",
        "[[problem]]\nid = \"own\"\nchecker-command = \"echo 1 {answer}\"\ngenerator-command = \"./generate {seed}\"\nseeds = \"1-100\"\n\
         [problem.features]\nN = '\\d+'\n",
    );
    for arguments in [&["gen", "--seeds", "1-100", "--dir", "cases"][..], &["run", "-s", "true", "--where", "N > 5"]] {
        let said = folder.judge(arguments);
        assert_eq!(said.code, Some(2), "{arguments:?}: {}", said.stderr);
        assert!(said.stderr.contains("no 30") && said.stderr.matches("error:").count() == 1, "{}", said.stderr);
    }
}

#[test]
fn bad_inputs_are_named_once_in_order() {
    let folder = Folder::new();
    assert_eq!(folder.judge(&["gen", "-p", "columns", "--seeds", "1-40", "--dir", "cases"]).code, Some(0));
    for seed in [3, 22, 23] {
        folder.write(&format!("cases/seed-{seed}.in"), "6 13\nhello\n");
    }
    for arguments in [&["run", "-p", "columns"][..], &["run", "-p", "columns", "--repeat", "3"]] {
        let said = folder.judge(&[arguments, &["--inputs", "cases/*.in"]].concat());
        assert_eq!(said.code, Some(2), "{}", said.stderr);
        let named: Vec<_> =
            said.stderr.lines().filter_map(|line| line.strip_prefix("error: ")?.split(':').next()).collect();
        assert_eq!(named, ["cases/seed-3.in", "cases/seed-22.in", "cases/seed-23.in"], "{}", said.stderr);
        assert_eq!(said.stderr.matches("hint:").count(), 1, "{}", said.stderr);
    }
}

#[test]
fn each_answer_of_a_folder_is_ruled() {
    let folder = Folder::new();
    folder.write(
        "problems.toml",
        "[[problem]]\nid = \"double\"\nchecker-command = \"./check {input} {answer}\"\ninputs = [\"cases/*.in\"]\n",
    );
    folder.script("check", "[ $(cat $2) = $((2 * $(cat $1))) ] && cat $1 || { echo \"not twice $(cat $1)\"; exit 1; }");
    for number in 1..=40 {
        folder.write(&format!("cases/c{number}.in"), format!("{number}\n"));
        folder.write(&format!("cases/c{number}.out"), format!("{}\n", if number % 7 == 0 { 1 } else { 2 * number }));
    }
    let said = folder.judge(&["check", "-p", "double", "--dir", "cases"]);
    assert_eq!(said.code, Some(1), "{}", said.stderr);
    let rows: Vec<Vec<_>> = said.stdout.lines().map(|line| line.split_whitespace().collect()).collect();
    let rows: Vec<_> = rows
        .iter()
        .filter(|words| words.first().is_some_and(|word| word.starts_with('c') && *word != "case"))
        .collect();
    assert_eq!(rows.len(), 40, "{}", said.stdout);
    for (number, words) in (1..=40).zip(rows) {
        let (name, score) = (format!("c{number}"), number.to_string());
        if number % 7 == 0 {
            assert_eq!(words[..3], [&name, "–", "rejected"], "{}", said.stdout);
        } else {
            assert_eq!(words[..3], [&*name, &score, "accepted"], "{}", said.stdout);
        }
    }
}

#[test]
fn a_run_reads_each_input_once() {
    let folder = Folder::new();
    folder.write(
        "problems.toml",
        "[[problem]]\nid = \"double\"\nchecker-command = \"./check {input} {answer}\"\ninputs = [\"cases/*.in\"]\n\
         [problem.features]\nN = '\\d+'\n[problem.scoring]\nrule = \"relative\"\nscale = 100\n",
    );
    folder.script("check", "cat $2");
    for number in 1..=9 {
        folder.write(&format!("cases/c{number}.in"), format!("{number}\n"));
    }
    let solver = folder.script("solver", "cat").display().to_string();
    let run = ["run", "-s", &solver];
    for more in [&[][..], &["--where", "N < 4"], &["--best", "ledger"], &["--repeat", "2"]] {
        let watch = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).unwrap();
        // An event is of a file of the folder, or of the folder itself, which is listed.
        inotify::add_watch(&watch, folder.path().join("cases"), WatchFlags::OPEN).unwrap();
        let said = folder.judge(&[&run, more].concat());
        assert_eq!(said.code, Some(0), "{}", said.stderr);
        let mut room = [MaybeUninit::uninit(); 16 << 10];
        let mut reader = inotify::Reader::new(&watch, &mut room);
        let mut opened = Vec::new();
        while let Ok(event) = reader.next() {
            opened.extend(
                (!event.events().contains(ReadFlags::ISDIR))
                    .then(|| event.file_name().unwrap().to_str().unwrap().to_owned()),
            );
        }
        opened.sort();
        let files: Vec<_> = (1..=9).map(|number| format!("c{number}.in")).collect();
        assert_eq!(opened, files, "{more:?}");
    }
}
