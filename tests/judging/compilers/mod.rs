//! Source files are untrusted, so compilers are sandboxed and limited. Also tests that no process of the judge survives
//! it: compilers, checkers, generators and interactors included.

mod cache;
mod commands;
mod languages;
mod leftovers;

use crate::support::require::{Need, skip};
use crate::support::stage::{Places, Stage, is_root, json, run, strongest, users_and_tiers};
use judge_problem::Invocation;
use judge_run::runner::RunError;
use judge_run::solver::{BuildSettings, Toolbox, fingerprint, parse_specs, prepare};
use judge_sandbox::{Exchange, Options, OutputFiles, Request, Sandbox, Sink, Stdin, TierChoice, WorkFile};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

const SECRET: &str = "8093571";

/// The result of a source on one case.
struct Became {
    verdict: String,
    note: String,
}

fn write(stage: &Stage, name: &str, text: &str) {
    stage.folder.write(&format!("work/{name}"), text);
}

fn judged(stage: &Stage, user: Option<u32>, tier: &str, source: &str) -> Became {
    let run = [
        "run",
        "-p",
        "columns",
        "--seeds",
        "1",
        "--no-journal",
        "--no-cache",
        "--tier",
        tier,
        "--json",
        "-",
        "-s",
        source,
    ];
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

/// Whether a source of this language can be compiled by `user` in `tier`. If not, the reason was printed.
fn compiles(stage: &Stage, user: Option<u32>, tier: &str, (source, text): (&str, &str)) -> bool {
    write(stage, source, text);
    let Became { verdict, note } = judged(stage, user, tier, source);
    // Other users cannot reach a compiler in root's home.
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
fn every_compiler_works() {
    every_compiler_works_in(strongest);
}

#[test]
#[ignore = "CI: every tier"]
fn every_compiler_works_in_every_tier() {
    every_compiler_works_in(users_and_tiers);
}

fn every_compiler_works_in(places: Places) {
    let Some(stage) = Stage::beside_others() else { return };
    for (user, tier) in places(&stage) {
        let compiled = GOOD.iter().filter(|good| compiles(&stage, user, &tier, **good)).count();
        assert!(compiled > 0, "not even the C compiler that made the stage works for {user:?} in tier {tier}");
    }
}

#[test]
fn sources_see_no_files_or_environment() {
    sources_see_nothing_in(strongest);
}

#[test]
#[ignore = "CI: every tier"]
fn sources_see_nothing_in_every_tier() {
    sources_see_nothing_in(users_and_tiers);
}

fn sources_see_nothing_in(places: Places) {
    let Some(stage) = Stage::beside_others() else { return };
    // Files that every user may read, files that only the judge's user may read, and one next to the source.
    let public = stage.folder.write("secret.txt", SECRET);
    fs::set_permissions(&public, fs::Permissions::from_mode(0o644)).unwrap();
    write(&stage, "beside.h", SECRET);
    let files = [public.display().to_string(), stage.text("work/beside.h"), "/etc/passwd".to_owned()];
    for (user, tier) in places(&stage) {
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
#[ignore = "CI: a compiler that hangs"]
fn a_compiler_that_takes_too_much_is_stopped() {
    a_large_compiler_is_stopped_in(strongest);
}

#[test]
#[ignore = "CI: every tier"]
fn a_large_compiler_is_stopped_in_every_tier() {
    a_large_compiler_is_stopped_in(users_and_tiers);
}

fn a_large_compiler_is_stopped_in(places: Places) {
    let Some(stage) = Stage::beside_others() else { return };
    write(&stage, "zero.c", "#include \"/dev/zero\"\n");
    write(&stage, "large.c", "__asm__(\".data\\n.fill 900000000, 1, 1\\n\"); int main() {}\n");
    write(&stage, "waits.c", "#include \"/dev/stdin\"\nint main() { return 3; }\n");
    for (user, tier) in places(&stage) {
        let Became { verdict, note } = judged(&stage, user, &tier, "zero.c");
        let expected = "the compiler used more than 2 GiB of memory";
        assert!(verdict == "compile-error" && note.starts_with(expected), "{tier}: {verdict}: {note}");
        let Became { verdict, note } = judged(&stage, user, &tier, "large.c");
        assert!(verdict == "compile-error" && !note.is_empty(), "{tier}: {verdict}: {note}");
        assert_eq!(judged(&stage, user, &tier, "waits.c").verdict, "runtime-error", "{tier}");
    }
}

#[test]
fn the_start_of_compiler_output_is_shown() {
    let Some(stage) = Stage::beside_others() else { return };
    let lines: String = (0..1_000).map(|number| format!("int x{number} = y{number};\n")).collect();
    write(&stage, "wrong.c", &lines);
    let Became { verdict, note } = judged(&stage, None, "auto", "wrong.c");
    assert_eq!(verdict, "compile-error");
    assert!(note.starts_with("wrong.c:1:10: error") && note.ends_with(" more]"), "{note}");
    assert!((16 << 10..17 << 10).contains(&note.len()), "{}", note.len());
}

#[test]
fn sources_may_have_any_name_and_place() {
    let Some(stage) = Stage::beside_others() else { return };
    for name in ["-o.c", "two words\nand a line.c", "@list.c", "ünï.c"] {
        write(&stage, name, GOOD[0].1);
        assert_eq!(judged(&stage, None, "auto", &format!("./{name}")).verdict, "accepted", "{name:?}");
    }
    // A link counts by its own name, and reveals no files next to its target.
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
    write(&stage, ".judge/main.c", GOOD[0].1);
    stage.folder.write("mine.d/main.c", GOOD[0].1);
    symlink("../mine.d", stage.path("work/planted")).unwrap();
    for (folder, why) in [
        (".judge", "no program sees a journal"),
        ("planted", "outside the current folder"),
        ("planted/", "outside the current folder"),
    ] {
        let Became { verdict, note } = judged(&stage, None, "auto", folder);
        assert!(verdict == "cannot-start" && note.contains(why), "{folder}: {verdict}: {note}");
    }
    let private = stage.path("work/elsewhere");
    write(&stage, "elsewhere/own.c", GOOD[0].1);
    fs::set_permissions(private.join("own.c"), fs::Permissions::from_mode(0o600)).unwrap();
    fs::set_permissions(&private, fs::Permissions::from_mode(0o700)).unwrap();
    for (user, tier) in users_and_tiers(&stage) {
        if user.is_none() {
            let Became { verdict, note } = judged(&stage, user, &tier, "elsewhere/own.c");
            assert_eq!(verdict, "accepted", "in tier {tier}: {note}");
            continue;
        }
        let said = run(stage.judge_as(user, &["run", "-p", "columns", "--tier", &tier, "-s", "elsewhere/own.c"]));
        assert!(said.code == Some(2) && said.stderr.contains("Permission denied"), "in tier {tier}: {}", said.stderr);
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
#[ignore = "long: every compiler runs twice"]
fn compiling_again_gives_the_same_program() {
    compiling_again_is_the_same_in(strongest);
}

#[test]
#[ignore = "CI: every tier"]
fn compiling_again_is_the_same_in_every_tier() {
    compiling_again_is_the_same_in(users_and_tiers);
}

fn compiling_again_is_the_same_in(places: Places) {
    let Some(stage) = Stage::beside_others() else { return };
    let own = places(&stage).into_iter().filter(|(user, _)| user.is_none());
    for tier in own.map(|(_, tier)| tier.parse().unwrap()) {
        let helper = Some(env!("CARGO_BIN_EXE_judge").into());
        let options = Options { tier: TierChoice::Forced(tier), helper, ..Options::default() };
        let sandbox = Sandbox::open(&options).unwrap();
        // `None` for a source that is not compiled here.
        let hash = |source: &Path| {
            let toolbox = Toolbox::new(tier, BuildSettings::default());
            let spec = parse_specs(&[source.display().to_string()]).unwrap().remove(0);
            let solver = prepare(spec, &toolbox, &mut |_, request, exchange| {
                let mut worker = sandbox.worker(None).map_err(RunError::Sandbox)?;
                worker.run_with(request.clone(), Some(exchange), None).map_err(RunError::Run)
            });
            let solver = solver.unwrap();
            let is_compiled = matches!(solver.invocation, Invocation::Program(_));
            is_compiled.then(|| fingerprint(&solver, &[], &toolbox))
        };
        for (name, text) in GOOD {
            let first = hash(&stage.folder.write(name, text));
            let there = stage.folder.write(&format!("there/{name}"), text);
            assert_eq!(hash(&there), first, "{name} in {tier:?}, from another folder");
        }
        let source = stage.folder.write("good.c", GOOD[0].1);
        let first = hash(&source);
        assert_eq!(hash(&source), first, "{tier:?}, from the same folder");
        let other = hash(&stage.folder.write("good.c", "int main(void) { return 1; }\n"));
        assert!(first.is_some() && other.is_some() && first != other, "{tier:?}");
    }
}

/// The files that a shell script leaves for the judge, in a sandbox of this tier, instead of a program.
fn made(sandbox: &Sandbox, script: &str) -> OutputFiles {
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
        folder: None,
        stdout: Sink::Capture,
        stderr: Sink::Capture,
    };
    let exchange = Exchange {
        input_files: vec![WorkFile { path: "given".into(), bytes: b"hello".to_vec(), executable: false }],
        variables: vec!["HERE".into()],
        output_folder: "out".into(),
        max_files: 100,
        max_bytes: 1 << 20,
        ..Exchange::default()
    };
    sandbox.worker(None).unwrap().run_with(request, Some(&exchange), None).unwrap().1
}

#[test]
fn only_plain_files_are_taken_from_compilers() {
    let Some(stage) = Stage::beside_others() else { return };
    for (_, tier) in users_and_tiers(&stage).into_iter().filter(|(user, _)| user.is_none()) {
        let helper = Some(env!("CARGO_BIN_EXE_judge").into());
        let options = Options { tier: TierChoice::Forced(tier.parse().unwrap()), helper, ..Options::default() };
        let sandbox = Sandbox::open(&options).unwrap();
        let file = |path: &str| Ok(vec![WorkFile { path: path.into(), bytes: b"hello".to_vec(), executable: false }]);
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
            assert!(
                refused.as_ref().is_err_and(|told| told.to_string().contains(why)),
                "{script} in {tier}: {refused:?}"
            );
        }
    }
}

#[test]
fn a_source_is_run_with_its_arguments() {
    let Some(stage) = Stage::beside_others() else { return };
    write(&stage, "args.sh", "cat \"$2\" >/dev/null && echo \"$1\"\n");
    write(&stage, "data/0.txt", "0\n");
    write(&stage, "many.d/main.sh", "echo \"$1\"\n");
    for (solver, verdict) in [
        ("args.sh 0 data/0.txt", "accepted"),
        ("./args.sh '0' data/0.txt", "accepted"),
        ("args.sh x data/0.txt", "wrong-answer"),
        ("args.sh 0 data/none.txt", "runtime-error"),
        ("./many.d 0", "accepted"),
        ("named=args.sh 0 data/0.txt", "accepted"),
    ] {
        let became = judged(&stage, None, "auto", solver);
        assert_eq!(became.verdict, verdict, "{solver}: {}", became.note);
    }
    if compiles(&stage, None, "auto", GOOD[0]) {
        write(&stage, "count.c", "#include <stdio.h>\nint main(int n, char **v) { printf(\"%d\\n\", n - 3); }");
        assert_eq!(judged(&stage, None, "auto", "count.c 'a b' c").verdict, "accepted");
        assert_eq!(judged(&stage, None, "auto", "count.c").verdict, "wrong-answer");
    }
}
