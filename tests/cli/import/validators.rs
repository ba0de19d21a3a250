//! Validators in packages of Kattis: their arguments, and validators with scripts that build or run them.

use super::{catalogue, has, imported, package, verdicts};
use crate::support::Folder;
use crate::support::require::Need;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;

/// Accepts inputs up to its argument.
const UP_TO: &str = "import sys\nsys.exit(42 if int(input()) <= int(sys.argv[1]) else 43)\n";

const FILES: [(&str, &str); 5] = [
    ("data/secret/a/one.in", "1\n"),
    ("data/secret/a/one.ans", "1\n"),
    ("data/secret/b/two.in", "2\n"),
    ("data/secret/b/two.ans", "2\n"),
    ("input_validators/up_to.py", UP_TO),
];

/// Files of settings.
type Settings<'a> = &'a [(&'a str, &'a str)];

const NEW: &str = "problem_format_version: 2023-07\nname: Two\nlimits: {time_limit: 1}\n";

const OLD: &str = "name: Two\nlimits: {time_limit: 1}\n";

#[test]
fn validators_get_the_arguments_of_all_cases() {
    if !has("python3", Need::Python) {
        return;
    }
    let cases: [(&str, Settings<'_>, &str, Option<i32>); 8] = [
        (OLD, &[("data/testdata.yaml", "input_validator_flags: 9\n")], "up_to.py 9;", Some(0)),
        (OLD, &[("data/secret/testdata.yaml", "input_validator_flags: {up_to: 9 x}\n")], "up_to.py 9 x;", Some(0)),
        (OLD, &[("data/testdata.yaml", "input_validator_flags: 1\n")], "up_to.py 1;", Some(1)),
        (
            OLD,
            &[("data/testdata.yaml", "input_validator_flags: {name: up_to.py, flags: 9 x}\n")],
            "up_to.py 9 x;",
            Some(0),
        ),
        (OLD, &[("data/testdata.yaml", "input_validator_flags: {name: other, flags: 9}\n")], "up_to.py;", Some(1)),
        (NEW, &[("data/test_group.yaml", "input_validator_args: ['9']\n")], "up_to.py 9;", Some(0)),
        (
            NEW,
            &[
                ("data/secret/a/test_group.yaml", "input_validator_args: {up_to: ['2', a b], other: [x]}\n"),
                ("data/secret/b/two.yaml", "input_validator_args: ['2', a b]\n"),
            ],
            "up_to.py 2 '\\''a b'\\'';",
            Some(0),
        ),
        (NEW, &[("data/secret/one.yaml", "")], "up_to.py;", Some(1)),
    ];
    for (config, settings, command, code) in cases {
        let folder = package(&[&[("problem.yaml", config)], &FILES[..], settings].concat());
        imported(&folder);
        let text = catalogue(&folder);
        assert!(text.contains(command), "{settings:?}: {text}");
        let said = folder.judge(&["verify", "--problems", "out/problems.toml"]);
        assert_eq!(said.code, code, "{settings:?}: {}{}", said.stdout, said.stderr);
    }
}

#[test]
fn legacy_flags_of_a_named_output_validator_are_read() {
    let settings = ("data/testdata.yaml", "output_validator_flags: {name: default, flags: float_tolerance 1e-6}\n");
    let folder = package(&[&[("problem.yaml", OLD), settings], &FILES[..4]].concat());
    imported(&folder);
    let text = catalogue(&folder);
    assert!(text.contains("checker-arguments = \"float_tolerance 1e-6\""), "{text}");
}

#[test]
fn a_validator_whose_arguments_differ_is_left_out() {
    let settings = [
        ("problem.yaml", OLD),
        ("data/secret/a/testdata.yaml", "input_validator_flags: 1\n"),
        ("data/secret/b/testdata.yaml", "input_validator_flags: 2\n"),
    ];
    let folder = package(&[&settings[..], &FILES].concat());
    let said = imported(&folder);
    let line = "left   the input validator up_to.py: its arguments differ: `1` in data/secret/a; `2` in data/secret/b";
    assert!(said.contains(line), "{said}");
    assert!(!catalogue(&folder).contains("validator-command"), "{}", catalogue(&folder));
}

/// A package whose output validator has these files, some of them executable scripts.
fn with_scripts(files: &[(&str, &str)]) -> Folder {
    let config = [("problem.yaml", "validation: custom\nlimits: {time_limit: 1}\n")];
    let folder = package(&[&config, &FILES[..4], files].concat());
    for (name, _) in files.iter().filter(|(name, _)| name.ends_with("/build") || name.ends_with("/run")) {
        std::fs::set_permissions(folder.path().join("pack").join(name), Permissions::from_mode(0o755)).unwrap();
    }
    folder
}

#[test]
fn a_validator_script_finds_files_beside_it() {
    let run = "#!/bin/sh\n. \"$(dirname \"$0\")/words.sh\"\n[ \"$(cat)\" = \"$(cat \"$2\")\" ] && exit \"$YES\"\nexit \"$NO\"\n";
    let files = [("output_validators/v/run", run), ("output_validators/v/words.sh", "YES=42 NO=43\n")];
    let folder = with_scripts(&files);
    imported(&folder);
    assert_eq!(verdicts(&folder, "cat"), ["one accepted", "two accepted"]);
    assert_eq!(verdicts(&folder, "echo 1"), ["one accepted", "two wrong-answer"]);
    let refused = |folder: &Folder, why: &str| {
        let said = folder.judge(&["import", "pack", "--to", "no", "--no-verify"]);
        assert_eq!(said.code, Some(2), "{why}: {}", said.stdout);
        assert!(said.stderr.contains(why), "{why}: {}", said.stderr);
        assert!(!folder.path().join("no").exists(), "{why}");
    };
    refused(&with_scripts(&[files[0], ("output_validators/v/build", "true\n")]), "with scripts to build and to run it");
    std::fs::set_permissions(folder.path().join("pack/output_validators/v/run"), Permissions::from_mode(0o644))
        .unwrap();
    refused(&folder, "whose `run` is not executable");
    let build = "output_validators/v/build";
    refused(&with_scripts(&[(build, "#!/bin/sh\necho bad parts >&2; exit 1\n")]), "no program run");
    refused(&with_scripts(&[(build, "#!/bin/sh\nprintf '#!/bin/sh\\n' > run; chmod +x run\n")]), "run is a script");
}

#[test]
fn a_script_builds_a_validator() {
    if !has("gcc", Need::Cc) {
        return;
    }
    let source = "#include <stdio.h>\nint main(int argc, char **argv) {\n    int found = 0, expected = 0;\n\
                  FILE *answer = fopen(argv[2], \"r\");\n    return argc > 3 && fscanf(answer, \"%d\", &expected) == 1\n\
                  && scanf(\"%d\", &found) == 1 && found == expected ? 42 : 43;\n}\n";
    let folder = with_scripts(&[
        (
            "output_validators/v/build",
            "#!/bin/sh\nset -e\ngcc -DPARTS=1 -c -o parts.o src/parts.c\ngcc -o run parts.o\n",
        ),
        ("output_validators/v/src/parts.c", source),
    ]);
    let said = imported(&folder);
    assert!(said.contains("taken  the output validator output_validators/v"), "{said}");
    assert_eq!(verdicts(&folder, "cat"), ["one accepted", "two accepted"]);
    assert_eq!(verdicts(&folder, "echo 1"), ["one accepted", "two wrong-answer"]);
}

#[test]
fn a_header_beside_a_validator_is_compiled_along() {
    if !has("g++", Need::Cplusplus) {
        return;
    }
    let source = "#include <cstdio>\n#include \"shared.h\"\nint main(int, char **argv) {\n\
                  int found, expected;\n    fscanf(fopen(argv[2], \"r\"), \"%d\", &expected);\n\
                  return verdict(scanf(\"%d\", &found) == 1 && found == expected);\n}\n";
    let folder = with_scripts(&[
        ("output_validators/check.cpp", source),
        ("output_validators/shared.h", "inline int verdict(bool good) { return good ? 42 : 43; }\n"),
        ("output_validators/README.md", "How it compares.\n"),
        ("input_validators/check.py", "import sys\nsys.exit(42)\n"),
        ("input_validators/note.txt", "It accepts everything.\n"),
    ]);
    let said = imported(&folder);
    assert!(said.contains("taken  the output validator output_validators/check.cpp"), "{said}");
    assert!(!said.contains("a problem has one validator"), "{said}");
    assert_eq!(verdicts(&folder, "cat"), ["one accepted", "two accepted"]);
    assert_eq!(verdicts(&folder, "echo 1"), ["one accepted", "two wrong-answer"]);
}
