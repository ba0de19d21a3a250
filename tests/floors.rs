//! The floors of the packages `judge`, `judge-core` and `judge-sandbox`: a room imports only from rooms on floors strictly below its own.
//! In every package, no files import each other in a circle.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

#[path = "floors/circles.rs"]
mod circles;
#[path = "floors/modules.rs"]
mod modules;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The rooms of `judge` and `judge-core` by floor, from the ground up; their `lib.rs` show the same picture.
const FLOORS: [&[&str]; 11] = [
    &["matching", "model", "parallel", "statistics", "tune"],
    &["manifest", "plan", "condition", "program", "verdict", "scoring"],
    &["command", "executor", "paired", "gate"],
    &["solver", "cases", "journal", "interaction", "import"],
    &["runner"],
    &["engine"],
    &["report", "cli"],
    &["workflow"],
    &["ui"],
    &["commands"],
    &["main", "lib"],
];

/// The same for `judge-sandbox`.
const SANDBOX_FLOORS: [&[&str]; 13] = [
    &["clock", "os_data", "procfs", "tier"],
    &["cores", "names", "process", "request"],
    &["cgroup"],
    &["protocol"],
    &["confine", "fuzzing", "supervisor", "tier_cache"],
    &["scratch"],
    &["watch"],
    &["namespace"],
    &["helper"],
    &["worker"],
    &["sandbox"],
    &["doctor"],
    &["lib"],
];

fn floor(floors: &[&[&str]], room: &str) -> usize {
    floors
        .iter()
        .position(|rooms| rooms.contains(&room))
        .unwrap_or_else(|| panic!("the room `{room}` has no floor yet"))
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

/// The rooms of `report`, each with the ones that it may import; `renderings.rs` and `mod.rs` join them.
const REPORT_ROOMS: [(&str, &[&str]); 14] = [
    ("text", &[]),
    ("run", &["text"]),
    ("compare", &["text"]),
    ("gate", &["text"]),
    ("tune", &["text"]),
    ("past", &["text"]),
    ("doctor", &["text"]),
    ("exec", &["text"]),
    ("languages", &["text"]),
    ("merge", &["text"]),
    ("verify", &["text"]),
    ("formats", &["text"]),
    ("served", &["text"]),
    ("html", &["text", "run", "compare"]),
];

/// The rooms that a source names after `crate::`, outside comments; in `use crate::{a, b}` every one of them.
fn imports(source: &str) -> Vec<String> {
    names_after("crate::", source)
}

/// The names after a path, outside comments; in a group in braces every one of them.
fn names_after(path: &str, source: &str) -> Vec<String> {
    let code: String = source.lines().map(|line| line.split("//").next().unwrap_or("")).collect::<Vec<_>>().join("\n");
    let mut rooms = Vec::new();
    for (place, marker) in code.match_indices(path) {
        // `$crate::` and `other_crate::` are not this crate.
        if code[..place].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$') {
            continue;
        }
        let rest = &code[place + marker.len()..];
        let names = match rest.strip_prefix('{') {
            Some(group) => group.split('}').next().unwrap_or("").split(',').map(str::trim).collect(),
            None => vec![rest],
        };
        rooms.extend(names.into_iter().map(|name| {
            let end = name.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(name.len());
            name[..end].to_owned()
        }));
    }
    rooms
}

/// The files of the package below `root` that import from the same floor or above, each with one such room.
fn broken_imports(root: &Path, floors: &[&[&str]]) -> BTreeMap<String, String> {
    let mut files = Vec::new();
    sources(root, &mut files);
    assert!(files.len() > 30, "only {} sources found: is the test looking in the right folder?", files.len());
    let mut broken = BTreeMap::new();
    for file in files {
        let inside = file.strip_prefix(root).unwrap();
        let room = inside.iter().next().unwrap().to_string_lossy().trim_end_matches(".rs").to_owned();
        for import in imports(&fs::read_to_string(&file).unwrap()) {
            // What tests of both packages need to be run at all is no room.
            if import != room && import != "require" && floor(floors, &import) >= floor(floors, &room) {
                broken.insert(inside.display().to_string(), import);
            }
        }
    }
    broken
}

#[test]
fn rooms_import_only_from_floors_below() {
    let judge = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (root, floors) in [
        (judge.join("src"), &FLOORS[..]),
        (judge.join("core/src"), &FLOORS[..]),
        (judge.join("sandbox/src"), &SANDBOX_FLOORS[..]),
    ] {
        let broken = broken_imports(&root, floors);
        assert!(broken.is_empty(), "{}: imports from the same floor or above: {broken:#?}", root.display());
    }
}

#[test]
fn the_rooms_of_reports_share_only_their_text() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/report");
    for entry in fs::read_dir(&root).unwrap() {
        let path = entry.unwrap().path();
        let room = path.file_stem().unwrap().to_string_lossy().into_owned();
        if room == "renderings" || room == "mod" {
            continue;
        }
        let found = REPORT_ROOMS.iter().find(|(name, _)| *name == room);
        let (_, allowed) = found.unwrap_or_else(|| panic!("no line says what `report/{room}` may import"));
        let mut files = Vec::new();
        if path.is_dir() {
            sources(&path, &mut files)
        } else {
            files.push(path)
        }
        for file in files {
            for import in names_after("crate::report::", &fs::read_to_string(&file).unwrap()) {
                assert!(import == room || allowed.contains(&&*import), "{} imports {import}", file.display());
            }
        }
    }
}

#[test]
fn only_one_room_knows_the_solutions_and_two_the_runtime() {
    let judge = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (inside, source) in [judge.join("src"), judge.join("core/src")].iter().flat_map(|root| texts(root)) {
        let inside = inside.display().to_string();
        let has_runtime = inside.starts_with("runner/") || inside.starts_with("ui/");
        assert!(!source.contains("tokio::") || has_runtime, "{inside} uses tokio");
        let knows_solutions = source.contains("solutions::");
        assert!(
            !knows_solutions || inside == "commands/solve.rs" || inside == "solver/find.rs",
            "{inside} uses solutions"
        );
    }
}

#[test]
fn reports_and_the_command_line_know_no_database() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for room in ["report", "cli"] {
        let mut files = Vec::new();
        sources(&root.join(room), &mut files);
        files.extend(Some(root.join(format!("{room}.rs"))).filter(|file| file.exists()));
        assert!(!files.is_empty(), "the room `{room}` has no sources");
        for file in files {
            let imports = imports(&fs::read_to_string(&file).unwrap());
            assert!(!imports.contains(&"journal".to_owned()), "{} imports the journal", file.display());
        }
    }
}

#[test]
fn the_games_and_the_solutions_stand_alone() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    for (package, strangers) in [
        ("checkers", ["solutions", "judge", "judge_core", "judge_sandbox"]),
        ("solutions", ["checkers", "judge", "judge_core", "judge_sandbox"]),
    ] {
        let mut files = Vec::new();
        sources(&root.join(package).join("src"), &mut files);
        for file in files {
            // Tests may hold a solver's own simulation against the checker.
            let source = fs::read_to_string(&file).unwrap();
            let code = source.split("#[cfg(test)]").next().unwrap();
            for stranger in strangers {
                assert!(!code.contains(&format!("{stranger}::")), "{} uses {stranger}", file.display());
            }
        }
    }
}

/// Every source of a folder by its path within it, with its text.
fn texts(root: &Path) -> Vec<(PathBuf, String)> {
    let mut files = Vec::new();
    sources(root, &mut files);
    let text = |file: PathBuf| (file.strip_prefix(root).unwrap().to_owned(), fs::read_to_string(&file).unwrap());
    files.into_iter().map(text).collect()
}

#[test]
fn no_files_import_each_other_in_a_circle() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut found = String::new();
    for package in ["judge", "judge/core", "judge/sandbox", "judge/statistics", "checkers", "solutions"] {
        let sources = texts(&root.join(package).join("src"));
        assert!(
            sources.len() > 10,
            "{package}: only {} sources: is the test looking in the right folder?",
            sources.len()
        );
        for circle in circles::circles_of(&sources) {
            found += &format!("{package}:\n{circle}");
        }
    }
    assert!(found.is_empty(), "files that import each other:\n{found}");
}

#[test]
fn imports_are_found_in_every_form() {
    let source = "use crate::model::X;\nuse crate::{plan::Y, report};\n// use crate::cli;\nlet x = crate::cases::z(); $crate::no; my_crate::no;";
    assert_eq!(imports(source), ["model", "plan", "report", "cases"]);
    assert_eq!(names_after("crate::plan::", source), Vec::<String>::new());
    assert_eq!(names_after("crate::model::", source), ["X"]);
}
