//! Packages of Polygon.

use super::{catalogue, has, imported, names, package, run, total, verdicts};
use crate::support::Folder;
use crate::support::require::Need;

/// The header that the programs of these packages share, as real ones share testlib.
const HEADER: &str = "#include <cstdio>\n\
    inline int quit(int code, const char *why) { fprintf(stderr, \"%s\\n\", why); return code; }\n";

const CHECKER: &str = "#include \"testlib.h\"\nint main(int, char **argv) {\n\
    FILE *output = fopen(argv[2], \"r\"), *answer = fopen(argv[3], \"r\");\n\
    long found = 0, expected = 0;\n    fscanf(answer, \"%ld\", &expected);\n\
    if (fscanf(output, \"%ld\", &found) != 1) return quit(2, \"wrong output format no number\");\n\
    return found == expected ? quit(0, \"ok\") : quit(1, \"wrong answer they differ\");\n}\n";

const VALIDATOR: &str = "#include \"testlib.h\"\nint main() {\n    long a, b;\n    char rest;\n\
    return scanf(\"%ld %ld\", &a, &b) == 2 && scanf(\" %c\", &rest) != 1 ? 0 : quit(3, \"FAIL two numbers\");\n}\n";

const SOLUTION: &str = "awk '{print $1 + $2}'\n";

/// A testset, with its tests and groups.
fn testset(tests: &str, groups: &str) -> String {
    format!(
        "<testset name=\"tests\">\n<time-limit>1500</time-limit>\n<memory-limit>268435456</memory-limit>\n\
         <input-path-pattern>tests/%02d</input-path-pattern>\n<answer-path-pattern>tests/%02d.a</answer-path-pattern>\n\
         <tests>\n{tests}\n</tests>\n{groups}\n</testset>"
    )
}

fn xml(judging: &str, testsets: &str, assets: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\" standalone=\"no\"?>\n<problem revision=\"3\" short-name=\"Two.Sums\">\n\
         <names><name language=\"russian\" value=\"Сумма\"/><name language=\"english\" value=\"Sums\"/></names>\n\
         <statements><statement language=\"english\" path=\"statements/english.tex\"/></statements>\n\
         <judging {judging}>\n{testsets}\n</judging>\n\
         <files><resources><file path=\"files/testlib.h\"/></resources>\n\
         <executables><executable><source path=\"files/gen.sh\" type=\"sh\"/></executable></executables></files>\n\
         <assets><checker name=\"std::ncmp.cpp\" type=\"testlib\"><source path=\"files/check.cpp\" type=\"cpp.g++17\"/>\
         <testset><test-count>0</test-count></testset></checker>\n{assets}\n</assets>\n<stresses/>\n</problem>\n"
    )
}

const ASSETS: &str = "<validators><validator><source path=\"files/val.cpp\" type=\"cpp.g++17\"/></validator></validators>\n\
    <solutions><solution tag=\"main\"><source path=\"solutions/sum.sh\" type=\"sh\"/></solution>\n\
    <solution tag=\"wrong-answer\"><source path=\"solutions/first.sh\" type=\"sh\"/></solution>\n\
    <solution tag=\"time-limit-exceeded-or-accepted\"><source path=\"solutions/other.sh\" type=\"sh\"/></solution>\n\
    <solution tag=\"do-not-run\"><source path=\"solutions/draft.sh\" type=\"sh\"/></solution></solutions>";

fn polygon(xml: &str, more: &[(&str, &str)]) -> Folder {
    let files = [
        ("problem.xml", xml),
        ("files/testlib.h", HEADER),
        ("files/check.cpp", CHECKER),
        ("files/val.cpp", VALIDATOR),
        ("files/gen.sh", "[ \"$1\" -lt 100 ] || { echo too large >&2; exit 3; }\necho \"$1\" \"$2\"\n"),
        ("solutions/sum.sh", SOLUTION),
        ("solutions/other.sh", SOLUTION),
        ("solutions/first.sh", "awk '{print $1}'\n"),
        ("solutions/draft.sh", "true\n"),
        ("tests/01", "1 2\n"),
        ("tests/01.a", "3\n"),
    ];
    package(&[&files[..], more].concat())
}

const TESTS: &str = "<test method=\"manual\" sample=\"true\"/>\n<test cmd=\"gen 3 4\" method=\"generated\"/>";

#[test]
fn missing_tests_come_from_the_packages_programs() {
    if !has("g++", Need::Cplusplus) {
        return;
    }
    let folder = polygon(
        &xml("cpu-name=\"x\" input-file=\"\" run-count=\"1\"", &testset(TESTS, ""), ASSETS),
        &[
            ("tests/01", "1 2\r\n"),
            ("tests/01.a", "3\r\n"),
            ("files/val.cpp", &format!("{VALIDATOR}// validator.group() == \"s1\"\n")),
        ],
    );
    let said = folder.judge(&["import", "pack", "--to", "out"]);
    assert_eq!(said.code, Some(0), "{}{}", said.stdout, said.stderr);
    assert!(said.stderr.contains("compiling 2 programs and making 2 files"), "{}", said.stderr);
    for line in [
        "wrote out/problems.toml: problem two-sums",
        "taken  2 cases",
        "taken  the checker files/check.cpp",
        "taken  the validator files/val.cpp",
        "taken  1 input, made by the generators",
        "taken  1 answer, made by the main solution",
        "taken  2 files with line ends of Windows, which become line feeds",
        "the validator files/val.cpp gets no `--group` and no `--testset`",
        "left   problem.xml:4: <statements>: texts are not judged",
        "<testset> in <checker>: tests of the program itself are not run",
        "<stresses>: stress tests are no cases",
        "solutions/draft.sh: the tag `do-not-run` has no verdict",
        "judge verify --problems out/problems.toml:",
    ] {
        assert!(said.stdout.contains(line), "{line}: {}", said.stdout);
    }
    let text = catalogue(&folder);
    for line in [
        "title = \"Sums\"",
        "checker-command = \"./programs/checker\"    # compiled from files/check.cpp",
        "validator-command = \"./programs/validator\"",
        "checker-protocol = \"testlib\"",
        "inputs = [\"tests/*.in\"]",
        "cpu = \"1.5s\"",
        "memory = \"256 MiB\"",
        "rule = \"exact\"",
        "verdict = [\"accepted\", \"time-limit\", \"wall-limit\"]",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    assert_eq!(
        names(&folder.path().join("out/programs")),
        ["check.cpp", "checker", "testlib.h", "val.cpp", "validator"]
    );
    assert_eq!(names(&folder.path().join("out/solutions")), ["first.sh", "other.sh", "sum.sh"]);
    let read = |name: &str| std::fs::read_to_string(folder.path().join("out/tests").join(name)).unwrap();
    assert_eq!((read("02.in"), read("02.ans"), read("01.in")), ("3 4\n".into(), "7\n".into(), "1 2\n".into()));
}

/// A checker, a validator and two generators, each of several files. The package lists the files that are not headers.
const SHARED: [(&str, &str); 9] = [
    ("files/check.cpp", "#include \"compare.cpp\"\nint main(int, char **argv) { return compare(argv[2], argv[3]); }\n"),
    (
        "files/compare.cpp",
        "#include \"testlib.h\"\n#include \"parts/words.inc\"\nint compare(const char *found, const char *expected) {\n\
         long a = 0, b = 0;\n    fscanf(fopen(expected, \"r\"), \"%ld\", &b);\n\
         return fscanf(fopen(found, \"r\"), \"%ld\", &a) == 1 && a == b ? quit(0, OK) : quit(1, DIFFERS);\n}\n",
    ),
    ("files/parts/words.inc", "#define OK \"ok\"\n#define DIFFERS \"wrong answer they differ\"\n"),
    (
        "files/val.cpp",
        "#include \"testlib.h\"\n#include \"limits.hpp\"\nint main() { long a, b;\n\
         return scanf(\"%ld %ld\", &a, &b) == 2 && a <= MAX ? 0 : quit(3, \"FAIL too many\"); }\n",
    ),
    ("files/limits.hpp", "#define MAX 40\n"),
    ("files/pair.cpp", "#include \"testlib.h\"\n#include \"limits.hpp\"\nint main() { printf(\"%d 1\\n\", MAX); }\n"),
    ("files/near.py", "import sys, numbers_of\nprint(*numbers_of.near(int(sys.argv[1])))\n"),
    ("files/numbers_of.py", "def near(n):\n    return n, n + 1\n"),
    ("files/olymp.sty", "\\ProvidesPackage{olymp}\n"),
];

#[test]
#[ignore = "CI: many programs are compiled"]
fn programs_find_the_packages_resources() {
    if !has("g++", Need::Cplusplus) || !has("python3", Need::Python) {
        return;
    }
    let tests = "<test method=\"manual\"/>\n<test cmd=\"pair\"/>\n<test cmd=\"near 7\"/>\n<test cmd=\"gen 3 4\"/>";
    let resources = ["compare.cpp", "parts/words.inc", "numbers_of.py", "olymp.sty"]
        .map(|name| format!("<file path=\"files/{name}\"/>"));
    let generators =
        ["pair.cpp", "near.py"].map(|name| format!("<executable><source path=\"files/{name}\"/></executable>"));
    let xml = xml("", &testset(tests, ""), ASSETS)
        .replace("</resources>", &format!("{}</resources>", resources.concat()))
        .replace("</executables>", &format!("{}</executables>", generators.concat()));
    let folder = polygon(&xml, &SHARED);
    imported(&folder);
    let inputs = ["01", "02", "03", "04"]
        .map(|name| std::fs::read_to_string(folder.path().join(format!("out/tests/{name}.in"))).unwrap());
    assert_eq!(inputs, ["1 2\n", "40 1\n", "7 8\n", "3 4\n"]);
    assert_eq!(verdicts(&folder, "echo 15"), ["01 wrong-answer", "02 wrong-answer", "03 accepted", "04 wrong-answer"]);
    let kept = names(&folder.path().join("out/programs"));
    assert!(["compare.cpp", "limits.hpp", "parts"].iter().all(|name| kept.iter().any(|kept| kept == name)), "{kept:?}");
    assert!(!kept.iter().any(|name| name == "olymp.sty" || name == "numbers_of.py"), "{kept:?}");
}

#[test]
fn groups_have_points_and_dependencies() {
    if !has("g++", Need::Cplusplus) {
        return;
    }
    let tests = "<test method=\"manual\" group=\"0\" points=\"0.0\"/>\n<test cmd=\"gen 3 4\" group=\"1\" points=\"10.0\"/>\n\
                 <test cmd=\"gen 5 6\" group=\"1\" points=\"20.0\"/>\n<test cmd=\"gen 50 6\" group=\"2\" points=\"70\"/>";
    let groups = "<groups><group name=\"0\" points-policy=\"complete-group\" points=\"0\" feedback-policy=\"icpc\"/>\n\
                  <group name=\"1\" points-policy=\"each-test\"><dependencies><dependency group=\"0\"/></dependencies></group>\n\
                  <group name=\"2\" points-policy=\"complete-group\" points=\"70.0\"><dependencies>\
                  <dependency group=\"1\"/></dependencies></group></groups>";
    let folder = polygon(&xml("", &testset(tests, groups), ASSETS), &[]);
    let said = imported(&folder);
    assert!(said.contains("`feedback-policy`: all results are shown"), "{said}");
    assert_eq!(total(&folder, SOLUTION.trim()), "100");
    let but = |number: u32| format!("awk '{{print $1 + $2 + ($1 == {number})}}'");
    assert_eq!(total(&folder, &but(3)), "20");
    assert_eq!(total(&folder, &but(50)), "30");
    assert_eq!(total(&folder, &but(1)), "0");
}

#[test]
#[ignore = "CI: many programs are compiled"]
fn further_testsets_add_the_tests_that_are_new() {
    if !has("g++", Need::Cplusplus) {
        return;
    }
    let more = "<testset name=\"pretests\"><time-limit>1000</time-limit>\
                <input-path-pattern>pretests/%d</input-path-pattern><answer-path-pattern>pretests/%d.a</answer-path-pattern>\
                <tests><test method=\"manual\"/><test method=\"manual\"/><test method=\"manual\"/></tests></testset>";
    let files = [
        ("pretests/1", "1 2\n"),
        ("pretests/1.a", "3\n"),
        ("pretests/2", "8 8\n"),
        ("pretests/2.a", "16\n"),
        // Like an answer of the main testset.
        ("pretests/3", "3\n"),
        ("pretests/3.a", "3\n"),
    ];
    let folder = polygon(&xml("", &format!("{more}{}", testset(TESTS, "")), ASSETS), &files);
    let said = imported(&folder);
    assert!(said.contains("testset pretests: 1 of its tests are among those of tests already"), "{said}");
    assert!(said.contains("testset pretests: it has other limits"), "{said}");
    let accepted = ["01 accepted", "02 accepted", "pretests-2 accepted", "pretests-3 accepted"];
    assert_eq!(verdicts(&folder, SOLUTION.trim()), accepted);
    let scored = TESTS.replace("<test ", "<test points=\"50\" ");
    let folder = polygon(&xml("", &format!("{more}{}", testset(&scored, "")), ASSETS), &files);
    imported(&folder);
    assert_eq!(total(&folder, SOLUTION.trim()), "100");
}

#[test]
fn tests_with_a_point_before_their_number_stay_apart() {
    if !has("g++", Need::Cplusplus) {
        return;
    }
    let tests = "<test method=\"manual\"/>\n<test method=\"manual\"/>";
    let text = xml("", &testset(tests, ""), ASSETS).replace("tests/%02d", "tests/in.%d");
    let files = [("tests/in.1", "1 2\n"), ("tests/in.1.a", "3\n"), ("tests/in.2", "8 8\n"), ("tests/in.2.a", "16\n")];
    let folder = polygon(&text, &files);
    imported(&folder);
    assert_eq!(verdicts(&folder, SOLUTION.trim()), ["in.1 accepted", "in.2 accepted"]);
}

/// Asks for a number above the secret one.
const INTERACTOR: &str = "#include \"testlib.h\"\nint main(int, char **argv) {\n\
    FILE *input = fopen(argv[1], \"r\"), *output = fopen(argv[2], \"w\");\n    long secret = 0, found = 0;\n\
    fscanf(input, \"%ld\", &secret);\n    printf(\"%ld\\n\", secret);\n    fflush(stdout);\n\
    if (scanf(\"%ld\", &found) != 1) return quit(2, \"no number\");\n    fprintf(output, \"%ld\\n\", found);\n\
    return quit(0, \"ok\");\n}\n";

#[test]
fn interactors_converse_and_the_checker_decides() {
    if !has("g++", Need::Cplusplus) {
        return;
    }
    let assets = "<interactor><source path=\"files/interactor.cpp\" type=\"cpp.g++17\"/></interactor>";
    let folder =
        polygon(&xml("", &testset("<test method=\"manual\"/>", ""), assets), &[("files/interactor.cpp", INTERACTOR)]);
    imported(&folder);
    assert_eq!(verdicts(&folder, "sh -c 'read -r n; echo $((n + 2))'"), ["01 accepted"]);
    let report = run(&folder, "sh -c 'read -r n; echo $n'");
    assert_eq!(report["cases"][0]["verdict"], "wrong-answer", "{report}");
    assert!(report["cases"][0]["note"].as_str().unwrap().contains("they differ"), "{report}");
}

#[test]
fn a_wrong_solution_may_have_points() {
    if !has("g++", Need::Cplusplus) {
        return;
    }
    let text = xml("", &testset("<test method=\"manual\"/>", ""), ASSETS);
    let points = "#include \"testlib.h\"\nint quitp(double) { return quit(7, \"points 0.5\"); }\nint main() { return quitp(0.5); }\n";
    let folder = polygon(&text, &[("files/check.cpp", points)]);
    imported(&folder);
    let wrong = "solver = \"solutions/first.sh\"\nverdict = [\"accepted\", \"wrong-answer\"]";
    assert!(catalogue(&folder).contains(wrong), "{}", catalogue(&folder));
    assert_eq!(total(&folder, "echo 1"), "0.5");
}

#[test]
fn malformed_packages_are_refused_with_file_and_line() {
    let with = |tests: &str| xml("", &testset(tests, ""), ASSETS);
    let good = with(TESTS);
    let cases: [(String, &str); 15] = [
        (
            good.replace("</judging>", "</judgin>"),
            "problem.xml:17: expected 'judging' tag, not 'judgin': expected an XML document",
        ),
        (good.replace(">1500<", ">soon<"), "problem.xml:7: bad <time-limit>: `soon`: expected a whole number"),
        (good.replace(">1500<", ">0<"), "problem.xml:7: bad <time-limit>: `0`: expected a whole number from 1"),
        (good.replace(">1500<", ">99999999999999<"), "problem.xml:7: bad <time-limit>: `99999999999999`"),
        (
            with("<test method=\"manual\" points=\"-1\"/>"),
            "problem.xml:12: bad value of `points`: `-1`: expected a number, at",
        ),
        (with("<test method=\"manual\" points=\"nan\"/>"), "problem.xml:12: bad value of `points`: `nan`"),
        (good.replace("tests/%02d<", "tests/x<"), "bad <input-path-pattern>: `tests/x`"),
        (good.replace("tests/%02d<", "../%02d<"), "bad <input-path-pattern>: `../%02d`"),
        (with("<test method=\"manual\"/>\n<test method=\"manual\"/>"), "problem.xml:13: there is no file `tests/02`"),
        (with("<test cmd=\"make 1\" method=\"generated\"/>").replace("tests/%02d<", "t/%02d<"), "no generator `make`"),
        (good.replace("files/check.cpp", "files/none.cpp"), "there is no file `files/none.cpp` in the package"),
        (good.replace("files/check.cpp", "/etc/hostname"), "a link to /etc/hostname"),
        (good.replace("<checker", "<cheker").replace("</checker", "</cheker"), "the problem has no checker"),
        (good.replace("revision", "x=\"1\" x"), "problem.xml:2: "),
        (
            good.replace("name=\"tests\"", "name=\"../evil\""),
            "problem.xml:6: bad `name` of a testset: `../evil`: expected a name without `/`",
        ),
    ];
    for (text, message) in &cases {
        let folder = polygon(text, &[]);
        let said = folder.judge(&["import", "pack", "--to", "out"]);
        assert_eq!(said.code, Some(2), "{message}: {}{}", said.stdout, said.stderr);
        assert!(said.stderr.contains(message), "{message}: {}", said.stderr);
        assert!(!folder.path().join("out").exists(), "{message}");
        assert!(!folder.path().join("evil").exists(), "{message}");
    }
    let shares = xml("treat-points-from-checker-as-percent=\"true\"", &testset(TESTS, ""), ASSETS);
    for (text, check, message) in [
        (shares, "quitp(0.5, \"half\")", "points of the checker as a share of the points of a test"),
        (
            good,
            "checker.group() == \"s1\"",
            "the checker files/check.cpp gets no `--group` and no `--testset`: this is not",
        ),
    ] {
        let said = polygon(&text, &[("files/check.cpp", &*format!("// {check}\n"))]).judge(&["import", "pack"]);
        assert!(said.code == Some(2) && said.stderr.contains(message), "{}", said.stderr);
    }
}

#[test]
fn programs_that_fail_are_shown_and_leave_nothing() {
    if !has("g++", Need::Cplusplus) {
        return;
    }
    let failing = xml("", &testset("<test cmd=\"gen 100 1\" method=\"generated\"/>", ""), ASSETS);
    let folder = polygon(&failing.replace("tests/%02d<", "t/%02d<"), &[]);
    let said = folder.judge(&["import", "pack", "--to", "out"]);
    assert!(said.code == Some(2) && said.stderr.contains("too large"), "{}", said.stderr);
    assert!(said.stderr.contains("'the generator gen' 100 1 does not make tests/01.in"), "{}", said.stderr);
    assert!(names(folder.path()).iter().all(|name| [".judge-cache", "pack"].contains(&&**name)));
    let folder = polygon(&xml("", &testset(TESTS, ""), ASSETS), &[("files/check.cpp", "int main( {}")]);
    let said = folder.judge(&["import", "pack", "--to", "out"]);
    assert!(said.code == Some(2) && said.stderr.contains("the checker does not compile"), "{}", said.stderr);
    assert!(names(folder.path()).iter().all(|name| [".judge-cache", "pack"].contains(&&**name)));
}
