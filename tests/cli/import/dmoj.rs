//! Problems of DMOJ.

use super::{catalogue, has, imported, names, package, total, verdicts};
use crate::support::Folder;
use crate::support::require::Need;
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// Files of four cases: the answer is the double of the input.
const FILES: [(&str, &str); 8] = [
    ("d.1.in", "1\n"),
    ("d.1.out", "2\n"),
    ("d.2.in", "2\n"),
    ("d.2.out", "4\n"),
    ("d.3.in", "3\n"),
    ("d.3.out", "6\n"),
    ("d.4.in", "4\n"),
    ("d.4.out", "8\n"),
];

const BATCHES: &str = "archive: d.zip\ntest_cases:\n- {in: d.1.in, out: d.1.out, points: 10}\n\
    - points: 30\n  batched:\n  - {in: d.2.in, out: d.2.out}\n  - {in: d.3.in, out: d.3.out}\n\
    - points: 60\n  dependencies: [1]\n  batched:\n  - {in: d.3.in, out: d.3.out}\n  - {in: d.4.in, out: d.4.out}\n";

fn with_archive(config: &str) -> Folder {
    let folder = package(&[("init.yml", config)]);
    let mut zip = ZipWriter::new(std::fs::File::create(folder.path().join("pack/d.zip")).unwrap());
    for (name, text) in FILES {
        zip.start_file(name, SimpleFileOptions::default()).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.finish().unwrap();
    folder
}

#[test]
fn archive_batches_have_points_and_dependencies() {
    let config = BATCHES.replace("[1]", "[1, 1]");
    let folder = with_archive(&format!("{config}hints: [unicode]\n"));
    let said = imported(&folder);
    for line in [
        "taken  5 cases",
        "taken  2 batches, each all or nothing",
        "left   init.yml: `hints`",
        "left   init.yml: checker `standard`",
        "left   limits",
    ] {
        assert!(said.contains(line), "{line}: {said}");
    }
    assert!(catalogue(&folder).contains("depends-on = [\"batch1\"]\n"), "{}", catalogue(&folder));
    assert_eq!(names(&folder.path().join("out/data")).len(), 8);
    assert_eq!(total(&folder, "awk '{print $1 * 2}'"), "100");
    assert_eq!(total(&folder, "awk '{print $1 * 2 + ($1 == 4)}'"), "40");
    assert_eq!(total(&folder, "awk '{print $1 * 2 + ($1 == 2)}'"), "10");
    assert_eq!(total(&folder, "awk '{print $1 * 2 + ($1 == 1)}'"), "90");
}

#[test]
fn a_file_of_the_folder_is_used_before_the_archive() {
    let folder = with_archive("archive: d.zip\ntest_cases:\n- {in: d.1.in, out: d.1.out}\n");
    folder.write("pack/d.1.out", "5\n");
    imported(&folder);
    assert_eq!(verdicts(&folder, "echo 5"), ["d.1 accepted"]);
}

#[test]
fn a_failed_case_without_points_ends_the_rest() {
    let config = "points: 5\ntest_cases:\n- {in: d.1.in, out: d.1.out}\n- {in: d.2.in, out: d.2.out, points: 0}\n\
                  - {in: d.3.in, out: d.3.out, points: 10}\n- batched:\n  - {in: d.4.in, out: d.4.out}\n";
    let folder = package(&[&[("init.yml", config)][..], &FILES].concat());
    let said = imported(&folder);
    assert!(said.contains("taken  1 batch, all or nothing"), "{said}");
    assert!(!said.contains("`points`"), "{said}");
    assert_eq!(total(&folder, "awk '{print $1 * 2}'"), "20");
    assert_eq!(total(&folder, "awk '{print $1 * 2 + ($1 == 2)}'"), "5");
    assert_eq!(total(&folder, "awk '{print $1 * 2 + ($1 == 3)}'"), "10");
}

#[test]
fn pretests_come_first_and_have_no_points() {
    let config = "test_cases:\n- {in: d.1.in, out: d.1.out, points: 4}\n- {in: d.4.in, out: d.4.out, points: 6}\n\
                  pretest_test_cases:\n- {in: d.2.in, out: d.2.out, points: 9}\n\
                  - {points: 0, batched: [{in: d.3.in, out: d.3.out}]}\n";
    let folder = package(&[&[("init.yml", config)][..], &FILES].concat());
    let said = imported(&folder);
    assert!(said.contains("taken  4 cases") && !said.contains("pretest"), "{said}");
    assert_eq!(total(&folder, "awk '{print $1 * 2}'"), "10");
    assert_eq!(total(&folder, "awk '{print $1 * 2 + ($1 == 4)}'"), "4");
    assert_eq!(total(&folder, "awk '{print $1 * 2 + ($1 == 2)}'"), "0");
    assert_eq!(total(&folder, "awk '{print $1 * 2 + ($1 == 3)}'"), "0");
}

#[test]
fn a_batch_of_pretests_keeps_its_points() {
    let config = "pretest_test_cases:\n- {points: 5, batched: [{in: d.1.in, out: d.1.out}]}\ntest_cases:\n\
                  - {points: 10, batched: [{in: d.2.in, out: d.2.out}]}\n\
                  - {points: 20, dependencies: [1], batched: [{in: d.3.in, out: d.3.out}]}\n";
    let folder = package(&[&[("init.yml", config)][..], &FILES].concat());
    imported(&folder);
    assert_eq!(total(&folder, "awk '{print $1 * 2}'"), "35");
    assert_eq!(total(&folder, "awk '{print $1 * 2 + ($1 == 1)}'"), "10");
}

#[test]
fn merged_mappings_of_yaml_count() {
    let config = "test_cases:\n- &one {in: d.1.in, out: d.1.out, points: 10}\n- {<<: *one, in: d.2.in}\n\
                  - {<<: [{out: d.3.out}, *one], in: d.3.in, points: 5}\n";
    let folder = package(&[&[("init.yml", config)][..], &FILES].concat());
    imported(&folder);
    assert_eq!(total(&folder, "awk '{print $1 == 3 ? 6 : 2}'"), "25");
}

#[test]
fn cases_inherit_from_their_batch_and_problem() {
    let program = "import sys\nprint(*sys.argv[1:])\nprint(2 * sum(map(int, sys.argv[1:])), file=sys.stderr)\n";
    let config = "generator: gen.py\ngenerator_args: [1, 1]\npoints: 3\ntest_cases:\n- {points: 5}\n\
                  - {points: 5, generator_args: [2]}\n- {generator_args: []}\n\
                  - {in: d.1.in, out: d.1.out, generator_args: [], points: 20}\n";
    let folder = package(&[&[("init.yml", config), ("gen.py", program)][..], &FILES].concat());
    let said = imported(&folder);
    assert!(!said.contains("generator_args"), "{said}");
    assert_eq!(total(&folder, "echo 4"), "10");
    assert_eq!(total(&folder, "echo 0"), "3");
    assert_eq!(total(&folder, "echo 2"), "20");
    let config = "out: d.2.out\ntest_cases:\n- {in: d.2.in, points: 10}\n- in: d.1.in\n  points: 30\n  batched:\n  \
                  - {out: d.1.out}\n  - {in: d.2.in}\n- batched:\n  - {in: d.3.in, points: 60}\n  - {points: 60}\n  out: d.3.out\n";
    let folder = package(&[&[("init.yml", config)][..], &FILES].concat());
    let said = imported(&folder);
    assert!(!said.contains("`in`") && !said.contains("`out`") && !said.contains("`points`"), "{said}");
    assert_eq!(total(&folder, "awk '{print $1 * 2} END {if (NR == 0) print 6}'"), "100");
    assert_eq!(total(&folder, "awk '{print $1 * 2}'"), "40");
    assert_eq!(total(&folder, "echo 4"), "10");
}

#[test]
fn cases_of_one_name_are_numbered() {
    let config = "test_cases:\n- {out: a/1.out}\n- {out: a/1.out}\n- {out: b/1.out}\n\
                  - batched:\n  - {in: a/1.in, out: a/1.out}\n  - {in: b/1.in, out: b/1.out}\n";
    let files = [("init.yml", config), ("a/1.in", "1\n"), ("a/1.out", "2\n"), ("b/1.in", "2\n"), ("b/1.out", "4\n")];
    let folder = package(&files);
    imported(&folder);
    let expected = ["1 accepted", "1-2 accepted", "1-3 wrong-answer", "batch1-1 accepted", "batch1-1-2 wrong-answer"];
    assert_eq!(verdicts(&folder, "echo 2"), expected);
}

#[test]
fn the_comparisons_of_dmoj_are_tokens() {
    let config = "test_cases:\n- {in: d.1.in, out: d.1.out}\n";
    let cases: [(&str, &str, &str); 6] = [
        ("", "case_sensitive", "1 wrong-answer"),
        ("checker: identical\n", "case_sensitive space_change_sensitive", "1 wrong-answer"),
        ("checker: floats\n", "case_sensitive float_tolerance 1e-6", "1 wrong-answer"),
        ("checker: {name: floats, args: {precision: 1}}\n", "case_sensitive float_tolerance 1e-1", "1 accepted"),
        (
            "checker: {name: floats, args: {precision: 1, error_mode: relative}}\n",
            "float_relative_tolerance 1e-1",
            "1 accepted",
        ),
        ("checker: {name: floatsabs, args: {precision: 2}}\n", "float_absolute_tolerance 1e-2", "1 wrong-answer"),
    ];
    for (checker, arguments, verdict) in cases {
        let folder = package(&[("init.yml", &format!("{config}{checker}")), FILES[0], FILES[1]]);
        let folder_names = imported(&folder);
        assert!(catalogue(&folder).contains(arguments), "{checker}: {folder_names}");
        assert_eq!(verdicts(&folder, "echo 2.05"), [format!("d.{verdict}")], "{checker}");
    }
}

#[test]
fn folders_of_killed_imports_are_removed() {
    let folder =
        package(&[("init.yml", "test_cases:\n- {in: a.in, out: a.out, points: 1}\n"), ("a.in", "1"), ("a.out", "1")]);
    let namespace = std::fs::metadata("/proc/self/ns/pid").unwrap().ino();
    let left = format!(".judge-sandbox.{namespace}.999999999.1.new.0.x");
    folder.write(&format!("{left}/file"), "");
    imported(&folder);
    assert!(!folder.path().join(left).exists());
}

#[test]
fn a_missing_input_is_empty() {
    let config = "test_cases:\n- {out: d.1.out, points: 10}\n- {in: d.2.in, out: d.2.out}\n- {out: d.3.out}\n";
    let folder = package(&[&[("init.yml", config)][..], &FILES].concat());
    imported(&folder);
    let solver = "awk '{print $1 * 2} END {if (NR == 0) print 2}'";
    assert_eq!(verdicts(&folder, solver), ["d.1 accepted", "d.2 accepted", "d.3 wrong-answer"]);
}

/// A checker with the arguments of testlib that accepts numbers at most 1 away from the answer.
const NEAR: &str = "import sys\nfound, expected = (int(open(name).read()) for name in sys.argv[2:4])\n\
    print('near' if abs(found - expected) < 2 else 'far', file=sys.stderr)\nsys.exit(abs(found - expected) > 1)\n";

#[test]
fn a_custom_checker_runs_as_testlib() {
    let config =
        "test_cases:\n- {in: d.1.in, out: d.1.out}\n- {in: d.2.in, out: d.2.out}\nchecker:\n  name: bridged\n  args:\n";
    let script =
        format!("{config}    {{files: near.py, lang: PY3, type: testlib, time_limit: 3, memory_limit: 262144}}\n");
    let folder = package(&[&[("init.yml", &*script), ("near.py", NEAR)][..], &FILES].concat());
    let said = imported(&folder);
    assert!(said.contains("taken  the checker: near.py"), "{said}");
    for line in [
        "checker-command = \"python3 checker/near.py\"",
        "checker-protocol = \"testlib\"",
        "checker-wall = \"3s\"",
        "checker-memory = \"262144 KiB\"",
    ] {
        assert!(catalogue(&folder).contains(line), "{line}: {}", catalogue(&folder));
    }
    assert_eq!(verdicts(&folder, "echo 3"), ["d.1 accepted", "d.2 accepted"]);
    assert_eq!(verdicts(&folder, "echo 1"), ["d.1 accepted", "d.2 wrong-answer"]);
    let swapped = format!(
        "{config}    files: near.py\n    args_format_string: '{{input_file}} {{answer_file}} {{output_file}}'\n"
    );
    let folder = package(&[&[("init.yml", &*swapped), ("near.py", NEAR)][..], &FILES].concat());
    let said = imported(&folder);
    assert!(said.contains("left   init.yml: `checker.args.type`: exit codes other than 0 and 1"), "{said}");
    let command = "checker-command = \"python3 checker/near.py {input} {expected} {answer}\"";
    assert!(catalogue(&folder).contains(command), "{}", catalogue(&folder));
    assert_eq!(verdicts(&folder, "echo 1"), ["d.1 accepted", "d.2 wrong-answer"]);
}

#[test]
fn a_program_decides_without_files_too() {
    let even = "import sys\nsys.exit(int(open(sys.argv[2]).read()) % 2)\n";
    let config = "test_cases:\n- {points: 3}\nchecker: {name: bridged, args: {files: even.py, type: testlib}}\n";
    let folder = package(&[("init.yml", config), ("even.py", even)]);
    imported(&folder);
    assert_eq!(verdicts(&folder, "echo 4"), ["case1 accepted"]);
    assert_eq!(verdicts(&folder, "echo 5"), ["case1 wrong-answer"]);
}

/// Asks for the number of the input: more, less, or right.
const ASKS: &str = "import sys
secret = int(open(sys.argv[1]).read())
for line in sys.stdin:
    guess = int(line)
    if guess == secret:
        print('right', flush=True)
        sys.exit(0)
    print('more' if guess < secret else 'less', flush=True)
sys.exit('no guess was right')
";

#[test]
fn a_custom_interactor_runs_as_testlib() {
    let config = "test_cases:\n- {in: one.in}\n- {in: two.in, out: two.out}\ninteractive: {files: ask.py, lang: PY3";
    let files = [("ask.py", ASKS), ("one.in", "1\n"), ("two.in", "2\n"), ("two.out", "2\n")];
    let left = "left   init.yml: `interactive.type`: exit codes other than 0 and 1";
    for (settings, command) in [
        (", type: testlib, time_limit: 3}\n", "python3 interactor/ask.py"),
        (", time_limit: 3}\n", "python3 interactor/ask.py {input} {expected}"),
        (
            ", time_limit: 3, args_format_string: '{input_file} {output_file}'}\n",
            "python3 interactor/ask.py {input} {output}",
        ),
    ] {
        let folder = package(&[&[("init.yml", &*format!("{config}{settings}"))][..], &files].concat());
        let said = imported(&folder);
        assert!(said.contains("taken  the interactor: ask.py"), "{said}");
        assert_eq!(said.contains(left), !settings.contains("testlib"), "{said}");
        let text = catalogue(&folder);
        for line in [
            &format!("interactor-command = \"{command}\""),
            "checker-protocol = \"testlib\"",
            "interactor-wall = \"3s\"",
        ] {
            assert!(text.contains(line), "{line}: {text}");
        }
        assert_eq!(verdicts(&folder, "sh -c 'echo 1; read -r line; echo 2'"), ["one accepted", "two accepted"]);
        assert_eq!(verdicts(&folder, "echo 1"), ["one accepted", "two wrong-answer"]);
    }
}

#[test]
fn a_compiled_checker_finds_its_header() {
    if !has("g++", Need::Cplusplus) {
        return;
    }
    let config = "test_cases:\n- {in: d.1.in, out: d.1.out}\n\
                  checker: {name: bridged, args: {files: [check.cpp, own.h], lang: CPP17, type: testlib}}\n";
    let files = [
        ("init.yml", config),
        ("own.h", "#include <cstdio>\n"),
        (
            "check.cpp",
            "#include \"own.h\"\nint main(int, char **argv) {\n    int a = 0, b = 0;\n\
             fscanf(fopen(argv[2], \"r\"), \"%d\", &a);\n    fscanf(fopen(argv[3], \"r\"), \"%d\", &b);\n    fputs(\"compared\", stderr);\n    return a != b;\n}\n",
        ),
    ];
    let folder = package(&[&files[..], &FILES].concat());
    imported(&folder);
    assert_eq!(verdicts(&folder, "echo 2"), ["d.1 accepted"]);
    assert_eq!(verdicts(&folder, "echo 3"), ["d.1 wrong-answer"]);
}

#[test]
fn a_generator_makes_inputs_and_answers() {
    let program =
        "import sys\nn = int(sys.argv[1]) + int(sys.stdin.read() or 0)\nprint(n)\nprint(2 * n, file=sys.stderr)\n";
    let config = "generator: {source: gen.py, args: [7], time_limit: 2}\ntest_cases:\n- {in: d.1.in, out: d.1.out}\n\
                  - {generator_args: [30]}\n- {generator_in: d.4.in}\n- batched:\n  - {generator_args: ['2'], out: d.2.out}\n\
                  \x20 - {}\n  generator_args: [50]\n";
    let folder = package(&[&[("init.yml", config), ("gen.py", program)][..], &FILES].concat());
    let said = imported(&folder);
    for line in
        ["taken  5 cases", "taken  4 inputs, made by the generator", "`generator.time_limit`: generators run once"]
    {
        assert!(said.contains(line), "{line}: {said}");
    }
    let accepted = ["case2 accepted", "case3 accepted", "case4 accepted", "case5 accepted", "d.1 accepted"];
    assert_eq!(verdicts(&folder, "awk '{print $1 * 2}'"), accepted);
    let made = names(&folder.path().join("out/data/generated"));
    let expected = ["case2.in", "case2.out", "case3.in", "case3.out", "case4.in", "case5.in", "case5.out"];
    assert_eq!(made, expected);
    let read = |name: &str| std::fs::read_to_string(folder.path().join("out/data/generated").join(name)).unwrap();
    assert_eq!([read("case2.in"), read("case3.in"), read("case5.out")], ["30\n", "11\n", "100\n"]);
}

#[test]
fn generators_get_arguments_as_python_writes_them() {
    let program = "import sys\nprint(0)\nprint(*sys.argv[1:], file=sys.stderr)\n";
    let config = "generator: gen.py\ntest_cases:\n- generator_args: [1_000_000, 010, 08, 0x1F, 0o17, -0, +5, yes, Off, \
                  'yes', \"010\", 1e5, 1.5e3, 1.50, 0.000001, 12345678901234567890123, \
                  1:30, -1:0:05, 0:01.5, 1:60, '1:30', n=1]\n";
    let folder = package(&[("init.yml", config), ("gen.py", program)]);
    imported(&folder);
    let made = std::fs::read_to_string(folder.path().join("out/data/generated/case1.out")).unwrap();
    let expected = "1000000 8 08 31 0o17 0 5 True False yes 010 1e5 1.5e3 1.5 1e-06 12345678901234567890123 \
                    90 -3605 1.5 1:60 1:30 n=1\n";
    assert_eq!(made, expected);
}

#[test]
fn the_output_limit_is_that_of_the_package() {
    let config = "test_cases:\n- {in: d.1.in, out: d.1.out}\n";
    for (more, line) in [("output_limit_length: 3\n", "output = \"3B\"\n"), ("", "output = \"24MiB\"    # the default")]
    {
        let folder = package(&[&[("init.yml", &*format!("{config}{more}"))][..], &FILES].concat());
        let said = imported(&folder);
        assert!(!said.contains("output_limit_length"), "{said}");
        assert!(catalogue(&folder).contains(line), "{}", catalogue(&folder));
    }
}

#[test]
fn lines_end_as_dmoj_ends_them() {
    let config = "test_cases:\n- {in: 1.in, out: 1.out}\nchecker: identical\n";
    for (more, input, answer) in [("", "1\n\n2\n", "3\n"), ("binary_data: Yes\n", "1\r\n\r2\r\n", "3")] {
        let config = format!("{config}{more}");
        let folder = package(&[("init.yml", &*config), ("1.in", "1\r\n\r2\r\n"), ("1.out", "3")]);
        let said = imported(&folder);
        assert!(!said.contains("binary_data"), "{said}");
        let read = |name: &str| std::fs::read_to_string(folder.path().join("out/data").join(name)).unwrap();
        assert_eq!((&*read("1.in"), &*read("1.out")), (input, answer));
    }
}

#[test]
fn unsupported_settings_are_refused_with_their_line() {
    let one = "test_cases:\n- {in: d.1.in, out: d.1.out}\n";
    let bridged = |args: &str| format!("{one}checker: {{name: bridged, args: {{{args}}}}}\n");
    let cases: [(String, &str); 27] = [
        (format!("{one}checker+: \"'floats'\"\n"), "a value that a program of init.yml computes (`checker+`)"),
        (one.replace("out:", "points++: \"node = 5\", out:"), "a program of init.yml computes (`points++`)"),
        (
            format!("{one}interactive: own.py\n"),
            "init.yml: an interactor in Python, which runs inside DMOJ's judge: this is not supported",
        ),
        (format!("{one}custom_judge: j.py\n"), "`custom_judge`"),
        (format!("generator: g.cpp\n{one}"), "init.yml:1: there is no file `g.cpp`: expected a source beside init.yml"),
        (format!("generator: {{source: d.1.in, flags: [-O3]}}\n{one}"), "a generator that is compiled with `flags`"),
        (format!("generator: d.1.in\n{one}"), "a generator in no language of `judge languages`"),
        (
            one.replace("out:", "generator_args: [1], out:"),
            "init.yml:2: `generator_args` of a case that is not generated",
        ),
        (one.replace("out:", "checker: floats, out:"), "a case with a `checker` of its own"),
        (bridged("lang: C"), "there is no `files`"),
        (bridged("files: d.1.in"), "a checker in another language than Python, C, C++, Rust or Go"),
        (bridged("files: d.1.in, type: coci"), "a checker of the type `coci`, which gives points in its own way"),
        (format!("{one}checker: linecount\n"), "init.yml: the checker `linecount`, which gives points for each line"),
        (format!("{one}checker: own.py\n"), "init.yml: the checker `own.py`, which runs inside DMOJ's judge"),
        (format!("{one}checker: strict\n"), "init.yml:3: checker `strict`: expected `standard`"),
        (format!("{one}checker: {{args: {{}}}}\n"), "init.yml:3: there is no `checker.name`"),
        ("test_cases: {input_format: x}\n".to_owned(), "init.yml:1: `test_cases` are not listed"),
        ("archive: d.zip\n".to_owned(), "there are no `test_cases`"),
        ("points: 1\ntest_cases: []\n".to_owned(), "init.yml:2: there are no `test_cases`: expected a list of cases"),
        (format!("{one}- batched: []\n"), "init.yml:3: a batch without cases: expected a list of cases"),
        ("test_cases:\n- {in: d.1.in}\n".to_owned(), "init.yml:2: there is no `test_cases[0].out`"),
        ("test_cases:\n- {in: d.9.in, out: d.1.out}\n".to_owned(), "there is no file `d.9.in`"),
        ("test_cases:\n- {in: ../d, out: d.1.out}\n".to_owned(), "init.yml:2: `../d`: expected a file of the package"),
        (format!("archive: no.zip\n{one}"), "init.yml:1: there is no file `no.zip`"),
        (
            format!("generator_args: [1]\n{one}generator: g.py\n"),
            "init.yml:1: `generator_args` of a case that is not generated",
        ),
        (
            format!("{one}- points: 7\n  batched:\n  - {{out: d.1.out}}\n  - {{out: d.2.out, points: 5}}\n"),
            "init.yml:6: points of cases in one batch: 7 and 5: expected the same",
        ),
        (BATCHES.replace("[1]", "[2]").replace("archive: d.zip\n", ""), "init.yml:8: bad dependency `2`"),
    ];
    cases.iter().for_each(|(config, message)| assert_refused(config, message));
}

#[test]
fn a_skipped_batch_without_points_is_refused() {
    let config = BATCHES.replace("points: 60", "points: 0").replace("archive: d.zip\n", "");
    let message = "init.yml:8: dependencies of a batch without points: expected points of the batch";
    assert_refused(&format!("{config}- {{in: d.1.in, out: d.1.out}}\n"), message);
}

fn assert_refused(config: &str, message: &str) {
    let folder = package(&[&[("init.yml", config), ("g.py", "")][..], &FILES].concat());
    let said = folder.judge(&["import", "pack", "--to", "out"]);
    assert_eq!(said.code, Some(2), "{message}: {}{}", said.stdout, said.stderr);
    assert!(said.stderr.contains(message), "{message}: {}", said.stderr);
    assert_eq!(names(folder.path()), ["pack"], "{message}");
}

#[test]
fn a_folder_of_several_kinds_must_be_told() {
    let folder = with_archive(BATCHES);
    folder.write("pack/problem.yaml", "name: D\n");
    let said = folder.judge(&["import", "pack", "--to", "out"]);
    assert_eq!(said.code, Some(2), "{}", said.stdout);
    let several = "pack is a package of several kinds: problem.yaml (kattis), init.yml (dmoj)";
    assert!(said.stderr.contains(several), "{}", said.stderr);
    assert!(said.stderr.contains("hint: say which one it is: --kind kattis"), "{}", said.stderr);
    let said = folder.judge(&["import", "pack", "--to", "out", "--kind", "dmoj", "--id", "p"]);
    assert_eq!(said.code, Some(0), "{}{}", said.stdout, said.stderr);
}
