//! The schemas accept the documents and nothing else.

use super::*;
use crate::support::Folder;

fn schema(folder: &Folder, of: &str) -> jsonschema::Validator {
    let said = folder.judge(&["schema", of]);
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    jsonschema::validator_for(&serde_json::from_str(&said.stdout).unwrap()).unwrap()
}

/// Returns whether a document with one value replaced is still valid.
fn accepts(validator: &jsonschema::Validator, document: &Value, place: &str, value: Value) -> bool {
    let mut changed = document.clone();
    *changed.pointer_mut(place).unwrap_or_else(|| panic!("{place} is not there")) = value;
    validator.is_valid(&changed)
}

/// Every key of a record is in the schema.
fn assert_described(schema: &Value, record: &Value) {
    for key in record.as_object().unwrap().keys() {
        assert!(schema["properties"].get(key).is_some(), "the schema does not describe `{key}`");
    }
}

#[test]
fn the_schema_of_a_run_describes_it() {
    let folder = echo_problem();
    folder.write("in/a.in", format!("{} x\n", "9".repeat(60)));
    let arguments = ["run", "-p", "echo", "-s", FIRST, "-s", TWELVE, "--group-by", "seed", "--jsonl", "r.jsonl"];
    let (_, report) = folder.json(&arguments);
    let run = schema(&folder, "run");
    run.validate(&report).unwrap();
    for (place, value) in [
        ("/cases/0/verdict", json!("great")),
        ("/cases/0/score", json!("1.5")),
        ("/cases/0/case", Value::Null),
        ("/cases/0/features/N", json!("3")),
        ("/solvers/0/wins", json!(-1)),
        ("/groups/0/cases", json!("2")),
        ("/scoring/rule", json!("luck")),
        ("/cases", json!({})),
    ] {
        assert!(!accepts(&run, &report, place, value.clone()), "{place} may be {value}");
    }
    let text: Value = serde_json::from_str(&folder.judge(&["schema"]).stdout).unwrap();
    assert_described(&text, &report);
    for (name, records) in [("case", &report["cases"]), ("solver", &report["solvers"]), ("group", &report["groups"])] {
        records.as_array().unwrap().iter().for_each(|record| assert_described(&text["$defs"][name], record));
    }

    let lines = schema(&folder, "jsonl");
    for line in read(&folder, "r.jsonl").lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        lines.validate(&line).unwrap();
        assert!(!accepts(&lines, &line, "/type", json!("other")));
    }
}

#[test]
fn the_schemas_of_the_journals_documents_describe_them() {
    let folder = Folder::new();
    let run = ["run", "-p", "columns", "--seeds", "1-3", "-s", "bundled:columns-quickstart"];
    for _ in 0..2 {
        assert_eq!(folder.judge(&run).code, Some(0));
    }
    let documents =
        [("history", &["history", "--group-by", "colors"][..], "runs"), ("best", &["best", "-p", "columns"], "best")];
    for (of, command, rows) in documents {
        let validator = schema(&folder, of);
        let (_, document) = folder.json(command);
        validator.validate(&document).unwrap();
        let text: Value = serde_json::from_str(&folder.judge(&["schema", of]).stdout).unwrap();
        assert_described(&text, &document);
        let record =
            text["$defs"].as_object().unwrap().values().find(|record| record["properties"]["solver"].is_object());
        assert_described(record.unwrap(), &document[rows][0]);
        for (key, wrong) in [("run", Value::from("1")), ("solver", Value::from(1)), ("solver_hash", Value::Null)] {
            assert!(!accepts(&validator, &document, &format!("/{rows}/0/{key}"), wrong), "{of}: {key}");
        }
        for key in ["schema", rows] {
            let mut less = document.clone();
            less.as_object_mut().unwrap().remove(key);
            assert!(!validator.is_valid(&less), "{of}: {key}");
        }
    }
}

#[test]
fn the_schemas_of_the_other_documents_describe_them() {
    let folder = Folder::new();
    let solver = "bundled:columns-quickstart";
    let cases = ["-p", "columns", "--seeds", "1-3", "-s", solver];
    let baseline = [&["baseline", "-o", "baseline.toml"], &cases[..]].concat();
    let said = folder.judge(&baseline);
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    let compare = vec!["compare", "-p", "columns", "--seeds", "1-3", solver, "bundled:columns-greedy"];
    let rank = vec!["rank", "-p", "columns", "--seeds", "1-3", solver, "bundled:columns-greedy"];
    let commands = [
        ("rank", rank, "/solvers/0/places"),
        ("compare", compare, "/comparisons/0/first"),
        ("power", vec!["power", "--sd", "10", "--cases", "34", "--difference", "5"], "/needed/0/difference"),
        ("gate", vec!["gate", "--baseline", "baseline.toml", "-s", "false"], "/complaints/0/what"),
        ("doctor", vec!["doctor"], "/machine/physical_cores"),
        ("verify", vec!["verify", "-p", "same-game"], "/problems/0/checks/0/result"),
    ];
    for (of, command, place) in commands {
        let (_, document) = folder.json(&command);
        assert_fits(&folder, of, &document, place);
    }
    let said = folder.judge(&["exec", "--unsafe", "--json", "exec.json", "--", "true"]);
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    assert_fits(&folder, "exec", &serde_json::from_str(&read(&folder, "exec.json")).unwrap(), "/verdict");
}

#[test]
fn the_schema_of_tunes_lines_describes_them() {
    let folder = Folder::new();
    let commands = "generator-command = \"echo {seed}\"\nchecker-command = \"cat {answer}\"\n";
    folder.write("problems.toml", format!("[[problem]]\nid = \"echo\"\nseeds = \"1-3\"\n{commands}"));
    let tune = ["tune", "-p", "echo", "-s", "sh -c 'echo {n}'", "--param", "n=1..9:int", "--budget", "40"];
    let said = folder.judge(&[&tune[..], &["--jsonl", "lines.jsonl"]].concat());
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    let validator = schema(&folder, "tune");
    let text: Value = serde_json::from_str(&folder.judge(&["schema", "tune"]).stdout).unwrap();
    let lines = read(&folder, "lines.jsonl");
    assert!(lines.lines().count() > 3, "{lines}");
    for line in lines.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        validator.validate(&line).unwrap();
        assert_described(&text, &line);
        for (place, wrong) in [("/scores/0", json!("1.5")), ("/setting/n", json!(3)), ("/best", Value::Null)] {
            assert!(!accepts(&validator, &line, place, wrong), "{place}: {line}");
        }
    }
}

/// The document matches its schema, which has all its keys. Without a value at this place it does not match.
fn assert_fits(folder: &Folder, of: &str, document: &Value, place: &str) {
    let validator = schema(folder, of);
    validator.validate(document).unwrap();
    let text: Value = serde_json::from_str(&folder.judge(&["schema", of]).stdout).unwrap();
    assert_described(&text, document);
    assert!(!accepts(&validator, document, place, Value::Null), "{of}: {place} may be null");
    assert!(!accepts(&validator, document, "/schema", json!("1")), "{of}: any schema number");
}

/// Problems, good ones and bad ones.
const PROBLEMS: [&str; 44] = [
    "checker = \"columns\"\nseeds = \"1-5\"\n",
    "checker-command = \"cat {answer}\"\ninputs = [\"*.in\"]\n",
    "checker = \"columns\"\nseeds = \"1\"\n[problem.limits]\ncpu = \"4s\"\nmemory = \"64 MiB\"\nprocesses = 3\n",
    "checker = \"columns\"\nseeds = \"1\"\n[problem.limits]\ncpu = \"4\"\n",
    "checker = \"columns\"\nseeds = \"1\"\n[problem.limits]\ncpus = \"4s\"\n",
    "checker = \"columns\"\nseeds = \"1\"\nspeed = 3\n",
    "checker = \"columns\"\nseeds = \"1\"\n[problem.scoring]\nrule = \"relative\"\ndirection = \"min\"\n",
    "checker = \"columns\"\nseeds = \"1\"\n[problem.scoring]\nrule = \"luck\"\n",
    "checker = \"columns\"\nseeds = \"1\"\n[problem.features]\nN = '\\d+'\n",
    "checker = \"columns\"\nseeds = \"1\"\n[problem.features]\n\"1N\" = '\\d+'\n",
    "checker = \"columns\"\nchecker-command = \"cat {answer}\"\nseeds = \"1\"\n",
    "interactor-command = \"./i {input} {report}\"\ninputs = [\"*.in\"]\n",
    "interactor-command = \"./i {input}\"\ninputs = [\"*.in\"]\n",
    "interactor-command = \"./i {report}\"\nchecker-command = \"cat {answer}\"\ninputs = [\"*.in\"]\n",
    "checker = \"columns\"\n[[problem.case]]\nseed = 3\nbest = \"123456789012345678901234567890\"\n",
    "checker = \"columns\"\n[[problem.case]]\nseed = 3\nthresholds = [9, 8, 7]\n",
    "checker = \"columns\"\n[[problem.case]]\nseed = 3\nthresholds = [9, 8, 7]\nthreshold-points = [3, 2, 1]\n",
    "checker = \"columns\"\n[[problem.case]]\nseed = 3\nthreshold-points = [3, 2, 1]\n",
    "checker = \"columns\"\n[[problem.case]]\nseed = 3\nthresholds = [9, 8, 7, 6, 5, 4, 3, 2, 1]\n",
    "checker = \"columns\"\n[[problem.case]]\nseed = 3\nweight = \"1/3\"\n",
    "checker = \"columns\"\n[[problem.case]]\nseed = 3\nweight = 0.5\n",
    "checker = \"columns\"\n[[problem.case]]\nseed = 3\nweight = \"1/0\"\n",
    "checker = \"columns\"\n[[problem.case]]\nseed = 3\nweight = -1\n",
    "checker = \"columns\"\nseeds = \"1\"\n[problem.scoring]\nrule = \"rank\"\nscale = 10\nbest = \"ledger\"\n",
    "checker = \"columns\"\nseeds = \"1\"\n[problem.scoring]\nscale = 10\n",
    "checker = \"columns\"\nseeds = \"1\"\n[problem.scoring]\nfailure = -5\n",
    "checker = \"columns\"\nseeds = \"1\"\n[problem.scoring]\nrule = \"log\"\nfailure = -5\n",
    "checker = \"columns\"\nseeds = \"1\"\n[[problem.group]]\nname = \"a\"\nseeds = \"1\"\nall-or-nothing = true\n",
    "checker = \"columns\"\nseeds = \"1\"\n[[problem.group]]\nname = \"a\"\ncases = [\"seed-1\"]\nweight = 30\n",
    "checker = \"columns\"\nseeds = \"1-2\"\n[[problem.group]]\nname = \"a\"\nseeds = \"1\"\naggregate = \"min\"\n[[problem.group]]\nname = \"b\"\nseeds = \"2\"\ndepends-on = [\"a\"]\n",
    "checker = \"columns\"\nseeds = \"1\"\n[[problem.group]]\nname = \"a\"\nseeds = \"1\"\naggregate = \"max\"\n",
    "checker = \"columns\"\nseeds = \"1\"\n[[problem.group]]\nname = \"a\"\nseeds = \"1\"\naggregate = \"min\"\nall-or-nothing = true\n",
    "checker = \"columns\"\nseeds = \"1\"\n[[problem.group]]\nname = \"a\"\n",
    "checker = \"columns\"\nseeds = \"1\"\n[[problem.group]]\nseeds = \"1\"\n",
    "checker = \"columns\"\n[[problem.case]]\nname = \"a\"\n",
    "checker = \"columns\"\nseeds = \"1\"\n[journal]\nkeep-answers = \"all\"\n",
    "checker = \"columns\"\nseeds = \"1\"\n[journal]\nkeep-answers = \"64 MiB\"\n",
    "checker = \"columns\"\nseeds = \"1\"\n[journal]\nkeep-answers = \"3 days\"\n",
    "checker = \"columns\"\nseeds = \"1\"\n[journal]\nkeep = 1\n",
    "checker = \"columns\"\nseeds = \"1,\\t3-5\"\n[engine.slurm]\nretries = \"2\"\nsubmit-wait = \"5s\"\n",
    "checker = \"columns\"\nseeds = \"1\"\n[language.x]\nextensions = \"x\"\nrun = \"x {source}\"\n",
    "checker = \"columns\"\nseeds = \"1\"\n[problem.sealed]\nqueries = \"5\"\n",
    "checker = \"columns\"\n[[problem.case]]\nseed = 3\nweight = \"1e-3\"\n",
    "seeds = \"1\"\n",
];

/// Problems with checker protocols, answers and decimals: good ones and bad ones.
const PROTOCOLS: [&str; 20] = [
    "checker-command = \"./check\"\nchecker-protocol = \"testlib\"\ninputs = [\"*.in\"]\nanswers = \"*.ans\"\n",
    "checker-command = \"./check\"\nchecker-protocol = \"judge\"\ninputs = [\"*.in\"]\n",
    "checker-command = \"./check {answer}\"\nchecker-protocol = \"unknown\"\ninputs = [\"*.in\"]\n",
    "interactor-command = \"./i\"\nchecker-command = \"./c\"\nchecker-protocol = \"testlib\"\ninputs = [\"*.in\"]\n",
    "interactor-command = \"./i\"\nchecker-command = \"./c\"\nchecker-protocol = \"kattis\"\ninputs = [\"*.in\"]\n",
    "checker-command = \"./v\"\nchecker-protocol = \"kattis\"\nvalidation-passes = 2\nchecker-arguments = \"a b\"\ninputs = [\"*.in\"]\n",
    "checker-command = \"./v {answer}\"\nvalidation-passes = 2\ninputs = [\"*.in\"]\n",
    "checker-command = \"./v {answer}\"\nchecker-protocol = \"regex\"\nscore-regex = 'S (x)'\nscore-match = \"last\"\nscore-stream = \"stderr\"\nreject-exit-codes = [1]\ninputs = [\"*.in\"]\n",
    "checker-command = \"./v {answer}\"\nchecker-protocol = \"regex\"\nscore-regex = 'S (x)'\nscore-match = \"lst\"\ninputs = [\"*.in\"]\n",
    "checker = \"tokens\"\nchecker-arguments = [\"float_tolerance\", \"1e-6\"]\nanswers = [\"a/*.ans\", \"b/*.ans\"]\ninputs = [\"*.in\"]\n",
    "checker = \"tokens\"\n[[problem.case]]\nfile = \"a\"\nanswer = \"b\"\n",
    "checker = \"columns\"\nseeds = \"1\"\nvalidator-command = \"./v\"\nmay-accept = [\"empty\"]\n[[problem.expect]]\nsolver = \"a\"\nscore = \"1-2\"\n",
    "checker = \"columns\"\nseeds = \"1\"\nmay-accept = [\"emty\"]\n",
    "checker = \"columns\"\nseeds = \"1\"\n[[problem.expect]]\nsolver = \"a\"\nverdict = [\"time-limit\", \"wall-limit\"]\nmin-score = 1.5\n",
    "checker = \"columns\"\nseeds = \"1\"\n[[problem.expect]]\nsolver = \"a\"\nverdict = \"judge-error\"\n",
    "checker = \"columns\"\nseeds = \"1\"\n[[problem.expect]]\nsolver = \"a\"\nscore = 1\nmax-score = 2\n",
    "checker = \"columns\"\nseeds = \"1\"\n[[problem.expect]]\nverdict = \"accepted\"\n",
    "checker = \"columns\"\n[[problem.case]]\nseed = 3\nbest = 12.5\n",
    "checker = \"columns\"\n[[problem.case]]\nseed = 3\nbest = \"x\"\n",
    "checker = \"columns\"\nseeds = \"1\"\n[problem.scoring]\nfailure = -0.5\n",
];

#[test]
fn the_schema_of_catalogues_agrees_with_the_judge() {
    let folder = Folder::new();
    let validator = schema(&folder, "problems");
    let valid = |text: &str| validator.is_valid(&serde_json::to_value(text.parse::<toml::Table>().unwrap()).unwrap());
    let own = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../problems.toml")).unwrap();
    assert!(valid(&own));
    let head = "[[problem]]\nid = \"x\"\n";
    for body in PROBLEMS.iter().chain(&PROTOCOLS) {
        let text = format!("{head}{body}");
        folder.write("problems.toml", &text);
        let said = folder.judge(&["list"]);
        assert_eq!(valid(&text), said.code == Some(0), "{body}{}", said.stderr);
    }
}
