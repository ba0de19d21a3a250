use super::*;
use crate::limits::Allowance;
use crate::{CheckerChoice, CheckerProtocol, CommandLimits, ExternalChecker};
use std::time::Duration;

const PROBLEM: &str = "[[problem]]\nid = \"p\"\nchecker = \"columns\"\nseeds = \"1\"\n";

fn retention(journal: &str) -> Result<Retention, ManifestError> {
    Catalogue::parse("p.toml", &format!("{journal}{PROBLEM}"), Path::new("/")).map(|all| all.retention)
}

#[test]
fn best_scores_are_read_or_complained_of_by_line() {
    let read = |text: &str| read_best_scores("best.toml", text);
    let scores = read("seed-1 = 15\ntiny = \"-123456789012345678901\"\n\"a b\" = 1_000\nz = -0.250\n").unwrap();
    let shown: Vec<_> = scores.iter().map(|(case, score)| format!("{case} {score}")).collect();
    assert_eq!(shown, ["a b 1000", "seed-1 15", "tiny -123456789012345678901", "z -0.25"]);
    let error = read("seed-1 = 15\nseed-2 = nan\nseed-3 = \"x\"\n").unwrap_err().to_string();
    assert!(error.contains("best.toml:2:") && error.contains("best.toml:3:"), "{error}");
    assert!(read("seed-1: 15").is_err());
}

#[test]
fn the_journal_keeps_what_the_catalogue_says() {
    assert_eq!(retention("").unwrap(), Retention::default());
    assert_eq!(retention("[journal]\nkeep-answers = \"all\"\n").unwrap(), Retention::All);
    assert_eq!(retention("[journal]\nkeep-answers = \"0 B\"\n").unwrap(), Retention::UpTo(Bytes(0)));
    let complaints = retention("[journal]\nkeep-answers = \"3 days\"\nkeep = 1\n").unwrap_err().complaints;
    assert_eq!(complaints.len(), 2, "{complaints:?}");
}

#[test]
fn a_case_is_complained_of_at_its_own_line() {
    let case = |more: &str| format!("{PROBLEM}{more}[[problem.case]]\nseed = 1\n");
    let error = Catalogue::parse("p.toml", &case(""), Path::new("/")).unwrap_err().to_string();
    assert!(error.contains("two cases are named `seed-1`") && error.contains("p.toml:5:"), "{error}");
    let text = PROBLEM.replace("seeds = \"1\"\n", "scoring = { rule = \"thresholds\" }\n");
    let text = format!("{text}[[problem.case]]\nseed = 2\nthresholds = [1]\n[[problem.case]]\nseed = 3\n");
    let error = Catalogue::parse("p.toml", &text, Path::new("/")).unwrap_err().to_string();
    assert!(error.contains("the case `seed-3` has no thresholds") && error.contains("p.toml:7:"), "{error}");
    for bad in ["[5, 53]", "\"5\""] {
        let text = text.replace("[1]", bad).replace("seed = 3", "seed = 3\nthresholds = [1]");
        let error = Catalogue::parse("p.toml", &text, Path::new("/")).unwrap_err().to_string();
        assert!(error.contains("thresholds") && !error.contains("has no thresholds"), "{error}");
    }
}

#[test]
fn a_mistake_is_one_complaint_with_its_mend() {
    let with = |lines: &str| format!("[[problem]]\nid = \"p\"\n{lines}");
    let columns = |lines: &str| with(&format!("checker = \"columns\"\n{lines}"));
    let checker = |lines: &str| with(&format!("checker-command = \"c {{answer}}\"\n{lines}"));
    let limit = |line: &str| checker(&format!("inputs = [\"*\"]\n[problem.limits]\n{line}"));
    let codes = |codes| {
        checker(&format!(
            "inputs = [\"*\"]\nchecker-protocol = \"regex\"\nscore-regex = \"1\"\nreject-exit-codes = [{codes}]"
        ))
    };
    let group = "\n[[problem.group]]\nname = \"g\"\ncases = [\"seed-*\"]";
    let rule = "scoring.rule = \"thresholds\"\n[[problem.case]]\nseed = 1\nthresholds = ";
    for (text, place, mend) in [
        (columns("seeds = \"6-1\""), "4:9", "write `1-6`"),
        (columns(&format!("seeds = \"one\"{group}")), "4:9", "seeds"),
        (columns("[[problem.case]]\nseed = 1\nfile = \"1.in\""), "6:8", "remove either"),
        (columns(&format!("{rule}[1]")), "7:14", "nine thresholds"),
        (columns(&format!("{rule}1")), "7:14", "an array of numbers"),
        (columns("[[problem.case]]\nseed = 1\nname = \"\""), "6:8", "expected a name"),
        (codes("0"), "7:22", "from 1 to 255"),
        (codes("2, 300"), "7:25", "from 1 to 255"),
        (checker("seeds = \"1\"\ngenerator-command = \"g {seed} {n}\""), "5:31", "add `generator-parameters = { n = "),
        (checker("seeds = \"1\"\ngenerator-command = \"g {seeds-file} {seed}\""), "5:37", "remove it: this generator"),
        (limit("cpu = \"0s\""), "6:7", "more than zero"),
        (limit("memory = \"0 B\""), "6:10", "more than zero"),
        (limit("checker-wall = \"0s\""), "6:16", "more than zero"),
        (checker("seeds = \"1-3\""), "4:9", "add `generator-command` to the problem, or name files"),
        (checker("[[problem.case]]\nseed = 1"), "4:1", "add `generator-command`"),
        (columns("seeds = \"1-3,2,9\""), "4:9", "name each seed once: \"1-3,9\""),
        (columns("seeds = \"1-3\"\n[[problem.case]]\nseed = 2\nweight = 2"), "5:1", "or take 2 out of `seeds`"),
        (columns("inputs = [\"a/*\", \"[\"]"), "4:18", "`[[]` for `[` itself"),
        (with("checker = \"tokens\"\nanswers = \"[a/b]\"\ninputs = [\"*\"]"), "4:11", "`[[]` for `[` itself"),
        (with("checker = \"check {answer}\"\nseeds = \"1\""), "3:11", "is `checker-command`"),
        (codes("2]\nreject-regx = [\"x\""), "8:1", "did you mean `reject-regex`?"),
        (checker("inputs = [\"*\"]\n[[problem.expect]]\nsolver = \"s\"\nseeds = \"1\""), "7:9", "`generator-command`"),
    ] {
        let error = Catalogue::parse("p.toml", &text, Path::new("/")).unwrap_err();
        let (complaints, said) = (error.complaints.len(), error.to_string());
        assert!(complaints == 1 && said.contains(&format!("p.toml:{place}\n")) && said.contains(mend), "{said}");
    }
}

#[test]
fn a_bad_value_is_not_missing() {
    let problem = |lines: &str| format!("[[problem]]\nid = \"p\"\n{lines}");
    let columns = |lines: &str| problem(&format!("checker = \"columns\"\nseeds = \"1\"\n{lines}"));
    let case = |line: &str| columns(&format!("[[problem.case]]\n{line}"));
    let group = |line: &str| columns(&format!("[[problem.group]]\nname = \"g\"\n{line}"));
    let points = "seed = 2\nthresholds = [5, 4]\nthreshold-points = [\"x\", 0]";
    let sealed =
        "seeds = \"1\"\nchecker-command = \"c {answer}\"\ngenerator-command = 5\n[problem.sealed]\nqueries = 2";
    for (text, line) in [
        (columns("").replace("\"p\"", "5"), 2),
        (columns("").replace("\"columns\"", "5"), 3),
        (columns("").replace("\"p\"", "[]"), 2),
        (columns("").replace("\"columns\"", "[]"), 3),
        (problem("checker-command = 5\nseeds = \"1\""), 3),
        (problem("interactor-command = 5\nseeds = \"1\""), 3),
        (problem("tester-command = 5\nseeds = \"1\""), 3),
        (case("seed = -1"), 6),
        (case("file = 5"), 6),
        (case(points), 8),
        (case("seed = 2\nthresholds = 5\nthreshold-points = [1]"), 7),
        (group("cases = \"1\""), 7),
        (group("cases = [5]"), 7),
        (group("seeds = \"x\""), 7),
        (group("seeds = \"x\"").replace("seeds = \"1\"\n", ""), 6),
        (columns("view-command = \"{folder}/v {answer}\"\nview-file = 5"), 6),
        (columns("view-command = 5\nview-file = \"v.html\""), 5),
        (columns("[[problem.expect]]\nsolver = 5"), 6),
        (problem(sealed), 5),
        (problem("seeds = \"1\"\nchecker = \"column\"\ngenerator-seeds = \"list\""), 4),
        (problem("checker = \"column\"\n[[problem.group]]\nname = \"g\"\nseeds = \"1\""), 3),
    ] {
        let error = Catalogue::parse("p.toml", &text, Path::new("/")).unwrap_err();
        let (complaints, said) = (error.complaints.len(), error.to_string());
        assert!(complaints == 1 && said.contains(&format!("p.toml:{line}:")), "{text}\n{said}");
    }
}

#[test]
fn integers_may_have_another_base() {
    let text = "[[problem]]\nid = \"p\"\nchecker-command = \"c {answer}\"\nchecker-protocol = \"regex\"\n\
                score-regex = \"1\"\nreject-exit-codes = [0x1, 0b11]\ninputs = [\"*\"]\n\
                limits = { processes = 0x1_0 }\nscoring = { failure = 0o17 }\n";
    let problem = Catalogue::parse("p.toml", text, Path::new("/")).unwrap().problems.remove(0);
    let CheckerChoice::External(ExternalChecker { protocol: CheckerProtocol::Regex(search), .. }) = problem.checker
    else {
        panic!("another checker");
    };
    assert_eq!((search.reject_codes, problem.limits.processes), (vec![1, 3], 16));
    assert_eq!(problem.failure, Some(15.into()));
    let text = text.replace("0x1_0", "0x1_0000_0000");
    assert!(Catalogue::parse("p.toml", &text, Path::new("/")).is_err());
}

#[test]
fn limits_of_checkers_hold_for_their_helpers() {
    let tokens = "[[problem]]\nid = \"p\"\nchecker = \"tokens\"\ninputs = [\"*\"]\n";
    let limits = "[problem.limits]\nchecker-wall = \"5s\"\nchecker-memory = \"9 MB\"\n";
    let read = |line: &str| {
        let all = Catalogue::parse("p.toml", &format!("{tokens}{line}\n{limits}"), Path::new("/"));
        all.map(|mut all| all.problems.remove(0).helper_limits.checker)
    };
    let expected = CommandLimits { wall: Time(Duration::from_secs(5)), memory: Bytes(9_000_000) };
    assert_eq!(read("validator-command = \"grep -q . {input}\"").unwrap(), expected);
    assert_eq!(read("view-command = \"{folder}/v {answer}\"\nview-file = \"v\"").unwrap(), expected);
    assert_eq!(read("").unwrap_err().complaints.len(), 2);
}

#[test]
fn seeds_of_groups_become_cases_once() {
    let read = |tables: &str| {
        let text = format!("[[problem]]\nid = \"p\"\nchecker = \"columns\"\n{tables}");
        Catalogue::parse("p.toml", &text, Path::new("/")).map(|mut all| all.problems.remove(0).cases)
    };
    let group = |name: &str, members: &str| format!("[[problem.group]]\nname = \"{name}\"\n{members}\n");
    let case = |seed: u32| format!("[[problem.case]]\nseed = {seed}\n");
    for (listed, seeds, expected) in [(1, "1-3", "1, 2, 3"), (2, "1-3,2-4", "2, 1, 3, 4"), (9, "1-3", "9, 1, 2, 3")] {
        let cases = read(&(case(listed) + &group("a", &format!("seeds = \"{seeds}\"")))).unwrap();
        let seeds: Vec<_> = cases.iter().filter_map(|case| case.seed()).map(|seed| seed.to_string()).collect();
        assert_eq!(seeds.join(", "), expected, "{listed}");
    }
    let by_name = group("b", "cases = [\"seed-*\"]");
    let shared = [
        (case(9) + &group("a", "seeds = \"1-3\"") + &by_name, "the case `seed-1` is in the groups `a` and `b`"),
        (group("a", "seeds = \"1-3\"") + &group("b", "seeds = \"3-5\""), "the seed 3 is in the groups `a` and `b`"),
    ];
    for (tables, expected) in shared {
        let complaints = read(&tables).unwrap_err().complaints;
        assert_eq!(complaints.iter().map(|one| &*one.message).collect::<Vec<_>>(), [expected]);
    }
    let tens: String = (0..10).map(|ten| group(&format!("g{ten}"), &format!("seeds = \"{ten}\""))).collect();
    let began = std::time::Instant::now();
    assert_eq!(read(&format!("seeds = \"1-9000000\"\n{tens}")).unwrap().len(), 9_000_000);
    assert!(began.elapsed() < Duration::from_secs(20), "the cases were walked through");
}

#[test]
fn seeds_of_groups_need_a_generator() {
    let text = "[[problem]]\nid = \"p\"\nchecker-command = \"c {answer}\"\ninputs = [\"*\"]\n\
                [[problem.group]]\nname = \"a\"\nseeds = \"1-3\"\n";
    let error = Catalogue::parse("p.toml", text, Path::new("/")).unwrap_err();
    assert_eq!(error.complaints.len(), 1);
    assert!(error.to_string().contains("no cases from seeds\n --> p.toml:5:1"), "{error}");
}

fn slurm(text: &str) -> Result<SlurmTable, ManifestError> {
    Catalogue::parse("p.toml", &format!("{text}{PROBLEM}"), Path::new("/x")).map(|all| all.slurm)
}

#[test]
fn the_table_is_read_or_complained_of() {
    assert_eq!(slurm("").unwrap(), SlurmTable::default());
    let read = slurm(
        "[engine.slurm]\nworkdir = \"runs\"\nsbatch = \"--partition=short --comment='a b'\"\nconstraint = \"epyc\"\nretries = 5\nsubmit-wait = \"5s\"\n",
    );
    let expected = SlurmTable {
        workdir: Some("/x/runs".into()),
        sbatch: vec!["--partition=short".to_owned(), "--comment=a b".to_owned()],
        constraint: Some("epyc".to_owned()),
        retries: Some(5),
        submit_wait: Some(Time(Duration::from_secs(5))),
    };
    assert_eq!(read.unwrap(), expected);
    for (wrong, complaints) in [
        ("[engine.slurm]\nworkdr = \"x\"\nretries = -1\n", 2),
        ("[engine.slurm]\nsbatch = \"'open\"\n", 1),
        ("[engine.slurm]\nsubmit-wait = 5\n", 1),
        ("[engine.pbs]\nx = 1\n", 1),
    ] {
        assert_eq!(slurm(wrong).unwrap_err().complaints.len(), complaints, "{wrong}");
    }
}

fn with_answers(answers: &[(&str, &str, &str)]) -> Result<Catalogue, String> {
    let mut text = "[[problem]]\nid = \"p\"\nchecker = \"tokens\"\n".to_owned();
    for (name, file, answer) in answers {
        text += &format!("[[problem.case]]\nname = \"{name}\"\nfile = \"{file}\"\nanswer = \"{answer}\"\n");
    }
    Catalogue::parse("p.toml", &text, Path::new("/")).map_err(|error| error.to_string())
}

#[test]
fn an_input_file_has_one_answer() {
    assert!(with_answers(&[("a", "1.in", "1.ans"), ("b", "1.in", "1.ans"), ("c", "2.in", "2.ans")]).is_ok());
    let error = with_answers(&[("a", "1.in", "1.ans"), ("b", "2.in", "1.ans"), ("c", "1.in", "2.ans")]).unwrap_err();
    assert_eq!(error.matches("the same `file` and different answers: 1.in").count(), 2, "{error}");
    assert!(error.contains("p.toml:7:10") && error.contains("p.toml:15:10"), "{error}");
}

fn errors(text: &str) -> Vec<String> {
    let read = read_languages("l.toml", text, built_in_languages());
    let complaints = read.unwrap_err().complaints;
    complaints.iter().map(|complaint| complaint.render("l.toml", text)).collect()
}

#[test]
fn the_built_in_languages_are_complete() {
    let languages = built_in_languages();
    assert!(languages.iter().count() > 20);
    for language in languages.iter() {
        assert!(!language.run.is_empty(), "{}", language.name);
        assert!(!language.extensions.is_empty() || !language.files.is_empty(), "{}", language.name);
    }
    assert!(languages.endings().starts_with(".rs, .cpp, .cc"), "{}", languages.endings());
    for ending in ["py", "kt", "ts", "cs", "hs", "ml", "php", "lua", "pas", "zig", "sh", "pl", "rb", "java"] {
        assert!(languages.with_extension(ending).next().is_some(), "{ending}");
    }
}

#[test]
fn a_table_may_change_a_field_alone() {
    let text = "[language.cpp]\ntime-factor = 1.5\nextra-memory = \"64 MiB\"\nextra-processes = 4\n";
    let languages = read_languages("l.toml", text, built_in_languages()).unwrap();
    let (own, plain) = (languages.find("cpp").unwrap(), built_in_languages().find("cpp").unwrap().clone());
    let time_factor = "1.5".parse().unwrap();
    assert_eq!(own.allowance, Allowance { time_factor, extra_memory: Bytes(64 << 20), extra_processes: 4 });
    assert_eq!((&own.compile, &own.run), (&plain.compile, &plain.run));
}

#[test]
fn a_table_replaces_fields_and_claims_the_endings_that_it_names() {
    let read = |text: &str, known: &Languages| read_languages("l.toml", text, known).unwrap();
    let names = |languages: &Languages| -> Vec<String> {
        languages.with_extension("py").map(|language| language.name.clone()).collect()
    };
    let table = |name: &str| format!("[language.{name}]\nextensions = [\"py\"]\nrun = \"{name} {{source}}\"\n");
    let languages = read(&(table("python") + &table("pypy")), &Languages::default());
    assert_eq!((names(&languages), languages.endings()), (vec!["python".into(), "pypy".into()], ".py".into()));
    let patched = read("[language.pypy]\nrun = \"pypy3 -u {source}\"", &languages);
    assert_eq!(names(&patched), ["python", "pypy"], "it says nothing of endings");
    assert_eq!(patched.find("pypy").unwrap().run, ["pypy3 -u {source}"]);
    let claimed = read(&(table("cython") + "[language.pypy]\nextensions = [\"py\"]"), &languages);
    assert_eq!(names(&claimed), ["cython", "pypy", "python"]);
    assert_eq!(claimed.find("pypy").unwrap().run, ["pypy {source}"]);
}

#[test]
fn what_is_wrong_is_shown_with_its_place() {
    for (text, place, message) in [
        ("[language.cpp]\ncompiler = \"g++\"", "l.toml:2:1", "did you mean `compile`?"),
        ("[language.cpp]\ncompile = \"g++ {sorce}\"", "l.toml:2:16", "did you mean `{source}`?"),
        ("[language.cpp]\ncompile = [\"g++ 'x\"]", "l.toml:2:12", "quotes match"),
        ("[language.cpp]\nrun = \"main\"", "l.toml:2:7", "add `{program}`"),
        ("[language.cpp]\nrun = 7", "l.toml:2:7", "expected a text, or an array of texts"),
        ("[language.python]\nrun = \"{program}\"", "l.toml:1:11", "has no `compile`"),
        ("[language.python]\ncompile = \"cp {source} {out}\"", "l.toml:1:11", "`run` has `{source}`"),
        ("[language.cpp]\nextensions = [\".cpp\"]", "l.toml:2:15", "without its point"),
        ("[language.cpp]\ntime-factor = 0.5", "l.toml:2:15", "from 1 to 100"),
        ("[language.cpp]\nextra-memory = \"5 GiB\"", "l.toml:2:16", "at most 4 GiB"),
        ("[language.cpp]\nextra-processes = 257", "l.toml:2:19", "at most 256"),
        ("[language.cpp.environment]\n\"A=\" = \"1\"", "l.toml:2:1", "expected letters"),
        ("[language.cpp.environment]\nA = \"{memory}\"", "l.toml:2:6", "did you mean `{memory-mb}`?"),
        ("[language.\"C++ 20\"]\nrun = \"{program}\"", "l.toml:1:11", "expected lower-case letters"),
        ("language = 1", "l.toml:1:12", "a table, written [language.NAME]"),
        ("[language]\ncpp = 1", "l.toml:2:7", "a table, written [language.NAME]"),
        ("[languages.cpp]\n", "l.toml:1:2", "did you mean `language`?"),
    ] {
        let errors = errors(text);
        assert!(errors[0].contains(&format!("{place}\n")) && errors[0].contains(message), "{text}: {}", errors[0]);
    }
    let errors_of_new = errors("[language.new]\nextensions = [\"new\"]\nrun = \"{program}\"");
    assert!(errors_of_new[0].contains("has no `compile`"), "{errors_of_new:?}");
    let errors = errors("[language.new]\npackage = \"new\"");
    assert_eq!(errors.len(), 2, "{errors:?}");
    assert!(errors[0].contains("has no `run`") && errors[1].contains("has no `extensions`"), "{errors:?}");
}
