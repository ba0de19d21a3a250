//! Source files are the solver's text: compilers are walled in and limited. And nothing that the judge starts outlives it,
//! compilers, checkers, generators and interactors included.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

#[allow(dead_code, reason = "it serves other tests as well")]
#[path = "harness/processes.rs"]
mod processes;
#[allow(dead_code, reason = "it serves other tests as well")]
#[path = "harness/stage.rs"]
mod stage;
#[allow(dead_code, reason = "it serves other tests as well")]
mod support;

use judge::model::Invocation;
use judge::solver::{Toolbox, fingerprint, parse_specs, prepare};
use judge_sandbox::{Exchange, Made, Options, Request, Sandbox, Sink, Stdin, TierChoice, WorkFile};
use processes::{Guarded, Process, assert_all_end, family};
use rustix::process::{Pid, Signal, kill_process};
use stage::{Stage, is_root, json, run, users_and_tiers};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use support::pace::{awaited, unhurried};
use support::require::{Need, skip};

const SECRET: &str = "8093571";

/// What becomes of a source on one case.
struct Became {
    verdict: String,
    note: String,
}

fn write(stage: &Stage, name: &str, text: &str) {
    stage.folder.write(&format!("work/{name}"), text);
}

fn judged(stage: &Stage, user: Option<u32>, tier: &str, source: &str) -> Became {
    let run = ["run", "-p", "columns", "--seeds", "1", "--no-journal", "--tier", tier, "--json", "-", "-s", source];
    let mut judge = stage.judge_as(user, &run);
    judge.env("SECRET", SECRET);
    let report = json(judge);
    assert!(!report.to_string().contains(SECRET), "{source} in tier {tier} tells the secret: {report}");
    let text = |field: &str| report["cases"][0][field].as_str().unwrap_or_default().to_owned();
    Became { verdict: text("verdict"), note: text("note") }
}

fn is_installed(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok()
}

/// Whether a source of this language can be compiled by `user` in `tier`; if not, it was said why.
fn compiles(stage: &Stage, user: Option<u32>, tier: &str, (source, text): (&str, &str)) -> bool {
    write(stage, source, text);
    let Became { verdict, note } = judged(stage, user, tier, source);
    // A compiler in root's home is out of everybody else's reach.
    let is_out_of_reach = user.is_some() && source == "good.rs";
    if verdict == "cannot-start" && note.contains("no compiler for it is installed") {
        match source {
            "good.go" => skip(Need::Go, "there is no Go"),
            "Good.java" => skip(Need::Java, "there is no Java"),
            "good.cpp" => skip(Need::Cplusplus, "there is no C++ compiler"),
            _ => assert!(is_out_of_reach, "{source} of {user:?} in tier {tier}: {note}"),
        }
        return false;
    }
    assert_eq!(verdict, "accepted", "{source} of {user:?} in tier {tier}: {note}");
    true
}

const GOOD: [(&str, &str); 5] = [
    (
        "good.c",
        "#include <stdio.h>\n#include <math.h>\nint main(int n, char **v) { printf(\"%d\\n\", (int)sqrt(n - 1)); }",
    ),
    ("good.cpp", "#include <iostream>\nint main() { std::cout << 0 << std::endl; }"),
    ("good.rs", "fn main() { println!(\"0\"); }"),
    ("good.go", "package main\nimport \"fmt\"\nfunc main() { fmt.Println(0) }"),
    (
        "Good.java",
        "public class Good { static class Other {} public static void main(String[] a) { \
         Runnable say = () -> System.out.println(0); say.run(); } }",
    ),
];

#[test]
fn every_compiler_works_in_every_tier() {
    let Some(stage) = Stage::set() else { return };
    for (user, tier) in users_and_tiers(&stage) {
        let compiled = GOOD.iter().filter(|good| compiles(&stage, user, &tier, **good)).count();
        assert!(compiled > 0, "not even the C compiler that made the stage works for {user:?} in tier {tier}");
    }
}

#[test]
fn a_source_sees_neither_the_judges_files_nor_its_environment() {
    let Some(stage) = Stage::set() else { return };
    // Files that everybody may read, and that only the judge's user may; and one beside the source.
    let public = stage.folder.write("secret.txt", SECRET);
    fs::set_permissions(&public, fs::Permissions::from_mode(0o644)).unwrap();
    write(&stage, "beside.h", SECRET);
    let files = [public.display().to_string(), stage.text("work/beside.h"), "/etc/passwd".to_owned()];
    for (user, tier) in users_and_tiers(&stage) {
        for file in &files {
            let embedded = format!(
                "#include <stdio.h>\n__asm__(\".section .rodata\\ntext: .incbin \\\"{file}\\\"\\n.byte 0\\n\");\n\
                 extern const char text[];\nint main() {{ puts(text); }}"
            );
            write(&stage, "incbin.c", &embedded);
            write(&stage, "include.c", &format!("int main() {{ return\n#include \"{file}\"\n; }}"));
            for source in ["incbin.c", "include.c"] {
                let Became { verdict, note } = judged(&stage, user, &tier, source);
                assert_eq!(verdict, "compile-error", "{source} of {file} in tier {tier}: {note}");
            }
        }
        if compiles(&stage, user, &tier, GOOD[2]) {
            let embedded = format!("fn main() {{ println!(\"{{}}\", include_str!({:?})); }}", files[0]);
            write(&stage, "include.rs", &embedded);
            assert_eq!(judged(&stage, user, &tier, "include.rs").verdict, "compile-error", "{tier}");
            write(&stage, "env.rs", "fn main() { println!(\"{:?}\", option_env!(\"SECRET\")); }");
            let became = judged(&stage, user, &tier, "env.rs");
            assert!(became.verdict == "wrong-answer" && became.note.contains("None"), "{tier}: {}", became.note);
        }
    }
}

#[test]
fn a_compiler_that_takes_too_much_is_stopped() {
    let Some(stage) = Stage::set() else { return };
    write(&stage, "zero.c", "#include \"/dev/zero\"\n");
    write(&stage, "large.c", "__asm__(\".data\\n.fill 900000000, 1, 1\\n\"); int main() {}\n");
    write(&stage, "waits.c", "#include \"/dev/stdin\"\nint main() { return 3; }\n");
    for (user, tier) in users_and_tiers(&stage) {
        let Became { verdict, note } = judged(&stage, user, &tier, "zero.c");
        let expected = "the compiler used more than 2 GiB of memory";
        assert!(verdict == "compile-error" && note.starts_with(expected), "{tier}: {verdict}: {note}");
        let Became { verdict, note } = judged(&stage, user, &tier, "large.c");
        assert!(verdict == "compile-error" && !note.is_empty(), "{tier}: {verdict}: {note}");
        assert_eq!(judged(&stage, user, &tier, "waits.c").verdict, "runtime-error", "{tier}");
    }
}

#[test]
fn the_head_of_what_a_compiler_says_is_shown() {
    let Some(stage) = Stage::set() else { return };
    let lines: String = (0..20_000).map(|number| format!("int x{number} = y{number};\n")).collect();
    write(&stage, "wrong.c", &lines);
    let Became { verdict, note } = judged(&stage, None, "auto", "wrong.c");
    assert_eq!(verdict, "compile-error");
    assert!(note.starts_with("wrong.c:1:10: error") && note.ends_with(" more]"), "{note}");
    assert!((16 << 10..17 << 10).contains(&note.len()), "{}", note.len());
}

#[test]
fn a_source_may_have_any_name_and_stand_anywhere() {
    let Some(stage) = Stage::set() else { return };
    for name in ["-o.c", "two words\nand a line.c", "@list.c", "ünï.c"] {
        write(&stage, name, GOOD[0].1);
        assert_eq!(judged(&stage, None, "auto", &format!("./{name}")).verdict, "accepted", "{name:?}");
    }
    // A link counts by its own name, and shows nothing beside the file that it leads to.
    write(&stage, "elsewhere/file", GOOD[0].1);
    symlink("elsewhere/file", stage.path("work/link.c")).unwrap();
    assert_eq!(judged(&stage, None, "auto", "link.c").verdict, "accepted");
    // Unless that is the judge's own business: a link may have come with a solver.
    let mine = stage.folder.write("mine", SECRET);
    fs::set_permissions(&mine, fs::Permissions::from_mode(0o600)).unwrap();
    write(&stage, ".judge/journal", SECRET);
    for (target, why) in [(&*mine, "is a link to"), (Path::new(".judge/journal"), "journal")] {
        let _ = fs::remove_file(stage.path("work/planted.c"));
        symlink(target, stage.path("work/planted.c")).unwrap();
        let Became { verdict, note } = judged(&stage, None, "auto", "planted.c");
        assert!(verdict == "cannot-start" && note.contains(why), "{verdict}: {note}");
    }
    let private = stage.path("work/elsewhere");
    write(&stage, "elsewhere/own.c", GOOD[0].1);
    fs::set_permissions(private.join("own.c"), fs::Permissions::from_mode(0o600)).unwrap();
    fs::set_permissions(&private, fs::Permissions::from_mode(0o700)).unwrap();
    for (user, tier) in users_and_tiers(&stage) {
        let Became { verdict, note } = judged(&stage, user, &tier, "elsewhere/own.c");
        let expected = if user.is_none() { "accepted" } else { "cannot-start" };
        assert_eq!(verdict, expected, "{user:?} in tier {tier}: {note}");
    }
    fs::set_permissions(&private, fs::Permissions::from_mode(0o755)).unwrap();
    let others = users_and_tiers(&stage).into_iter().filter(|(user, _)| user.is_some() || !is_root());
    for (user, tier) in others.take(1) {
        fs::set_permissions(private.join("own.c"), fs::Permissions::from_mode(0o000)).unwrap();
        let Became { verdict, note } = judged(&stage, user, &tier, "elsewhere/own.c");
        assert!(verdict == "cannot-start" && note.contains("Permission denied"), "{verdict}: {note}");
    }
}

#[test]
fn a_compiled_solver_is_the_same_when_it_is_compiled_again() {
    let Some(stage) = Stage::set() else { return };
    let own = users_and_tiers(&stage).into_iter().filter(|(user, _)| user.is_none());
    for tier in own.map(|(_, tier)| tier.parse().unwrap()) {
        let helper = Some(env!("CARGO_BIN_EXE_judge").into());
        let options = Options { tier: TierChoice::Forced(tier), helper, ..Options::default() };
        let sandbox = Sandbox::open(&options).unwrap();
        // `None` for what is not compiled here.
        let hash = |source: &Path| {
            let mut toolbox = Toolbox::new(tier).unwrap();
            let spec = parse_specs(&[source.display().to_string()]).unwrap().remove(0);
            let solver = prepare(spec, &mut toolbox, &mut |request, exchange| {
                sandbox.worker(None)?.run_with_files(request, exchange)
            });
            let solver = solver.unwrap();
            let is_compiled = matches!(solver.invocation, Invocation::Program(_));
            is_compiled.then(|| fingerprint(&solver, &[], &toolbox))
        };
        for (name, text) in GOOD {
            let source = stage.folder.write(name, text);
            let first = hash(&source);
            assert_eq!(hash(&source), first, "{name} in {tier:?}");
            let there = stage.folder.write(&format!("there/{name}"), text);
            assert_eq!(hash(&there), first, "{name} in {tier:?}, from another folder");
        }
        let first = hash(&stage.folder.write("good.c", GOOD[0].1));
        let other = hash(&stage.folder.write("good.c", "int main(void) { return 1; }\n"));
        assert!(first.is_some() && other.is_some() && first != other, "{tier:?}");
    }
}

/// What a shell script leaves for the judge, in a sandbox of this tier, instead of a program.
fn made(sandbox: &Sandbox, script: &str) -> Made {
    let request = Request {
        program: "/bin/sh".into(),
        argv: ["sh", "-c", script].map(Into::into).into(),
        environment: vec![("PATH".into(), "/usr/bin:/bin".into())],
        stdin: Stdin::Empty,
        limits: judge_sandbox::Limits {
            cpu: Some(Duration::from_secs(20)),
            wall: Some(Duration::from_secs(60)),
            memory: Some(512 << 20),
            stdout: 1 << 10,
            stderr: 1 << 10,
            processes: Some(8),
            disk: 64 << 20,
        },
        visible: Vec::new(),
        hidden: Vec::new(),
        stdout: Sink::Capture,
        stderr: Sink::Capture,
    };
    let exchange = Exchange {
        given: vec![WorkFile { path: "given".into(), bytes: b"hello".to_vec() }],
        variables: vec!["HERE".into()],
        made_in: "out".into(),
        most_files: 100,
        most_bytes: 1 << 20,
    };
    sandbox.worker(None).unwrap().run_with_files(&request, &exchange).unwrap().1
}

#[test]
fn only_files_are_taken_from_what_a_compiler_leaves() {
    let Some(stage) = Stage::set() else { return };
    for (_, tier) in users_and_tiers(&stage).into_iter().filter(|(user, _)| user.is_none()) {
        let helper = Some(env!("CARGO_BIN_EXE_judge").into());
        let options = Options { tier: TierChoice::Forced(tier.parse().unwrap()), helper, ..Options::default() };
        let sandbox = Sandbox::open(&options).unwrap();
        let file = |path: &str| Ok(vec![WorkFile { path: path.into(), bytes: b"hello".to_vec() }]);
        assert_eq!(made(&sandbox, "mkdir -p out/a && cat given > \"$HERE/out/a/b\""), file("a/b"), "{tier}");
        assert_eq!(made(&sandbox, "cat given > out/x; exit 1"), Ok(Vec::new()), "{tier}: it failed");
        for (script, why) in [
            ("ln -s /etc/passwd out/x", "neither a folder nor a file"),
            ("ln -s ../given out/x", "neither a folder nor a file"),
            ("mkfifo out/x", "neither a folder nor a file"),
            ("rmdir out; ln -s /etc out", "out: "),
            ("mv out gone", "out: "),
            ("head -c 2000000 /dev/zero > out/x", "larger than"),
            ("i=0; while [ $i -lt 200 ]; do : > out/$i; i=$((i+1)); done", "more than 100 files"),
        ] {
            let refused = made(&sandbox, script);
            assert!(refused.as_ref().is_err_and(|told| told.contains(why)), "{script} in {tier}: {refused:?}");
        }
    }
}

/// Keeps the compiler busy for a minute, without much memory.
const LONG: &str = "#define A(x) x x x x x x x x x x\nA(A(A(A(A(A(A(int foo = bar;)))))))\nint main() {}\n";

/// Waits until a judge runs so many processes of this name, and returns its whole family.
fn family_with(judge: &Guarded, name: &str, count: usize) -> Vec<Process> {
    awaited(Duration::from_secs(20), &format!("{name} starts"), || {
        let family = family(judge.0.id());
        (family.iter().filter(|process| process.name == name).count() >= count).then_some(family)
    })
}

fn send(pid: u32, signal: Signal) {
    // Whoever has gone already needs no signal.
    let _ = kill_process(Pid::from_raw(pid.cast_signed()).unwrap(), signal);
}

/// Starts the judge, ends it while it runs what `name` says, and sees that nothing is left.
fn dies(stage: &Stage, user: Option<u32>, arguments: &[&str], (name, count): (&str, usize), signals: &[Signal]) {
    let what = format!("{name} of {user:?}, {arguments:?}, after {signals:?}");
    let mut judge = Guarded(stage.judge_as(user, arguments).spawn().unwrap());
    let family = family_with(&judge, name, count);
    signals.iter().for_each(|signal| send(judge.0.id(), *signal));
    assert_all_end(&family, &what);
    let code = judge.0.wait().unwrap().code();
    assert_eq!(code, (signals[0] != Signal::KILL).then_some(130), "{what}");
    // What is left behind by a judge that had no time to clear up is swept by the next one.
    let clears_up = matches!(signals, [Signal::INT] | [Signal::TERM]);
    assert!(!clears_up || stage.leftovers(judge.0.id()).is_empty(), "{what}");
}

/// Does that for everybody, in every tier, in every way.
fn dies_with_the_judge(stage: &Stage, arguments: &[&str], whom: (&str, usize)) {
    for (user, tier) in users_and_tiers(stage) {
        let arguments = [arguments, &["--tier", &tier]].concat();
        for signals in [&[Signal::KILL][..], &[Signal::INT], &[Signal::TERM], &[Signal::INT, Signal::INT]] {
            unhurried("a helper command dies with the judge", || dies(stage, user, &arguments, whom, signals)).unwrap();
        }
        let swept = run(stage.judge_as(user, &["exec", "--tier", &tier, "--", "/bin/true"]));
        assert_eq!((swept.code, stage.leftovers(0)), (Some(0), Vec::new()), "{tier}: {}", swept.stderr);
    }
}

#[test]
fn a_compiler_ends_with_the_judge() {
    let Some(stage) = Stage::set() else { return };
    write(&stage, "long.cpp", LONG);
    if !is_installed("g++") {
        skip(Need::Cplusplus, "there is no C++ compiler");
        return;
    }
    let run = ["run", "-p", "columns", "--seeds", "1", "--no-journal", "-s", "long.cpp"];
    dies_with_the_judge(&stage, &run, ("cc1plus", 1));
}

/// A shell script that leaves one process in its group, one that has left its session, and one that nobody waits for.
const FAMILY: &str = "sleep 1000 & setsid sleep 1000 & (setsid sleep 1000 &); sleep 1000";

/// A problem whose commands do nothing, but for one.
fn problem(stage: &Stage, command: &str, script: &str) {
    let folder = stage.path("work");
    let mut lines = vec!["[[problem]]".to_owned(), "id = \"p\"".to_owned(), "seeds = \"1-2\"".to_owned()];
    let commands = match command {
        "interactor" => vec!["generator", "interactor"],
        _ => vec!["generator", "checker"],
    };
    for name in commands {
        let body = if name == command { script } else { "echo 1" };
        stage.folder.script(&format!("work/{name}"), body);
        let arguments = if name == "interactor" { " {input} {report}" } else { "" };
        lines.push(format!("{name}-command = \"{}{arguments}\"", folder.join(name).display()));
    }
    fs::write(folder.join("problems.toml"), lines.join("\n")).unwrap();
}

#[test]
fn helper_commands_end_with_the_judge() {
    let Some(stage) = Stage::set() else { return };
    for command in ["generator", "checker", "interactor"] {
        problem(&stage, command, FAMILY);
        // An interactor waits for a solver that waits for it.
        let solver = if command == "interactor" { "cat" } else { "echo 1" };
        let run = ["run", "-p", "p", "--jobs", "1", "--no-journal", "-s", solver];
        dies_with_the_judge(&stage, &run, ("sleep", 4));
    }
}

/// While nothing runs that the first signal could end, the second ends the judge.
#[test]
fn after_compiling_the_second_signal_ends_what_no_run_listens_for() {
    let Some(stage) = Stage::set() else { return };
    problem(&stage, "generator", FAMILY);
    let catalogue = stage.path("work/problems.toml");
    let text = fs::read_to_string(&catalogue).unwrap();
    fs::write(&catalogue, format!("{text}\n[problem.features]\nn = '(\\d+)'\n")).unwrap();
    write(&stage, "one.c", GOOD[0].1);
    write(&stage, "two.c", GOOD[0].1);
    let mut judge = Guarded(stage.judge(&["compare", "-p", "p", "one.c", "two.c", "--where", "n>0"]).spawn().unwrap());
    let family = family_with(&judge, "sleep", 4);
    send(judge.0.id(), Signal::INT);
    std::thread::sleep(Duration::from_millis(200));
    assert!(judge.0.try_wait().unwrap().is_none(), "the first signal waits for a run");
    send(judge.0.id(), Signal::INT);
    assert_eq!(judge.0.wait().unwrap().code(), Some(130));
    unhurried("a judge between compiling and running", || {
        assert_all_end(&family, "a judge between compiling and running")
    })
    .unwrap();
}

#[test]
fn a_command_ends_with_its_supervisor() {
    let Some(stage) = Stage::set() else { return };
    problem(&stage, "checker", "exec sleep 1000");
    let arguments = ["run", "-p", "p", "--jobs", "1", "--no-journal", "-s", "echo 1"];
    let all_killed = || {
        let mut judge = Guarded(stage.judge(&arguments).spawn().unwrap());
        let family = family_with(&judge, "sleep", 1);
        let helpers: Vec<_> = family.iter().filter(|process| process.name != "sleep").collect();
        for signal in [Signal::STOP, Signal::KILL] {
            helpers.iter().for_each(|process| send(process.pid, signal));
        }
        judge.0.wait().unwrap();
        assert_all_end(&family, "a judge and all its helpers");
    };
    unhurried("the judge and its helpers are killed", all_killed).unwrap();
}

#[test]
fn what_a_command_leaves_behind_ends_with_it() {
    let Some(stage) = Stage::set() else { return };
    problem(&stage, "checker", "echo 1; (setsid sleep 1000 & echo $! >> pids) < /dev/null > /dev/null 2>&1");
    let report = json(stage.judge(&["run", "-p", "p", "-s", "echo 1", "--no-journal", "--json", "-"]));
    assert_eq!(report["cases"][1]["verdict"], "accepted", "{report}");
    let pids = fs::read_to_string(stage.path("work/pids")).unwrap();
    assert_eq!(pids.lines().count(), 2);
    for pid in pids.lines() {
        let process = Process::of(pid.parse().unwrap());
        assert!(process.as_ref().is_none_or(|process| process.name != "sleep"), "{process:?}");
    }
}

mod commands {
    use judge::command::{CommandError, CommandOutput, run};
    use std::path::Path;
    use std::time::{Duration, Instant};

    fn shell(script: &str, limit: Duration) -> Result<CommandOutput, CommandError> {
        judge_sandbox::use_as_supervisor(Path::new(env!("CARGO_BIN_EXE_judge")));
        run(&["sh".into(), "-c".into(), script.into()], Path::new("/"), limit, None)
    }

    #[test]
    fn large_outputs_do_not_block() {
        let script = "head -c 300000 /dev/zero; head -c 300000 /dev/zero >&2; exit 3";
        let finished = shell(script, Duration::from_secs(20)).unwrap();
        let lengths = (finished.stdout.len(), finished.stderr.len());
        assert_eq!((finished.status.code(), lengths), (Some(3), (300_000, 300_000)));
    }

    #[test]
    fn a_command_that_hangs_is_ended_with_its_children() {
        let started = Instant::now();
        let result = shell("sleep 60 & setsid sleep 60 & sleep 60", Duration::from_millis(100));
        assert!(matches!(result, Err(CommandError::Timeout { .. })));
        assert!(started.elapsed() < Duration::from_secs(20));
    }

    #[test]
    fn one_that_cannot_be_started_says_why() {
        judge_sandbox::use_as_supervisor(Path::new(env!("CARGO_BIN_EXE_judge")));
        let missing = run(&["/no/such/program".into()], Path::new("/"), Duration::from_secs(20), None);
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
}
