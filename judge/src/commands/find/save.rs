//! Writes the cases found as inputs with a catalogue, which `judge run --problems DIR/problems.toml` plays.

use super::Seen;
use judge_problem::{Catalogue, Problem};
use judge_run::cases::Inputs;
use judge_session::{Failure, load};
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};
use toml::{Table, Value};

/// The first line of a catalogue that was written here.
const HEADER: &str = "# Written by `judge find --save`.";

/// The keys of a problem's own cases. The cases found replace them.
const OWN_CASES: [&str; 7] = ["seeds", "inputs", "case", "group", "expect", "answers", "generator-seeds"];

/// Endings of files that other files of their folder include.
const INCLUDED: [&str; 5] = ["h", "hpp", "py", "cpp", "rs"];

/// Fails if the folder has a catalogue that was not written here.
pub(super) fn check(problem: &Problem, folder: &Path) -> Result<(), Failure> {
    let file = folder.join("problems.toml");
    let text = match fs::read_to_string(&file) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return load::make_folder(folder),
        Err(error) => return Err(Failure::usage(format!("cannot read {}: {error}", file.display()))),
    };
    let is_own = fs::canonicalize(folder).ok() == fs::canonicalize(&problem.folder).ok();
    if is_own || !text.starts_with(HEADER) {
        let error = format!("{} is another catalogue, which --save would replace", file.display());
        return Err(Failure::usage(error).with_hint("name a new folder: --save found"));
    }
    Ok(())
}

/// Writes the inputs, the expected answers that are known, the catalogue, and the files that its commands name.
pub(super) fn save(catalogue: &Catalogue, problem: &Problem, found: &[&Seen], folder: &Path) -> Result<(), Failure> {
    let inputs = Inputs::of(problem);
    let mut names = Vec::new();
    for seen in found {
        let stem = seen.pick.case.name.to_string().replace('/', "_");
        let stem = stem.strip_suffix(".in").unwrap_or(&stem);
        let made;
        let input = match &seen.pick.input {
            Some(input) => input,
            None => {
                made = inputs.load(&seen.pick.case)?;
                &made
            }
        };
        let name = format!("{stem}.in");
        load::write("the input", &folder.join(&name), input)?;
        names.push(Value::String(glob_escaped(&name)));
        if let Some(answer) = &seen.right_answer {
            load::write("the answer", &folder.join(format!("{stem}.ans")), answer)?;
        }
    }
    let answers = found.iter().any(|seen| seen.right_answer.is_some()).then(|| Value::String("*.ans".to_owned()));
    let text = catalogue_text(catalogue, problem, names, answers, folder)?;
    load::write("the catalogue", &folder.join("problems.toml"), text.as_bytes())
}

/// Returns a pattern that matches only this file name.
fn glob_escaped(name: &str) -> String {
    name.chars()
        .map(|letter| if matches!(letter, '[' | '*' | '?') { format!("[{letter}]") } else { letter.to_string() })
        .collect()
}

/// Returns the catalogue with only this problem, whose cases are the inputs found.
fn catalogue_text(
    catalogue: &Catalogue,
    problem: &Problem,
    names: Vec<Value>,
    answers: Option<Value>,
    folder: &Path,
) -> Result<String, Failure> {
    let mut whole: Table = catalogue.text.parse().map_err(Failure::fault)?;
    let problems = whole.get_mut("problem").and_then(Value::as_array_mut);
    let of_id = |value: &Value| value.get("id").and_then(Value::as_str) == Some(&problem.id);
    let found = problems.and_then(|problems| problems.iter().find(|value| of_id(value)).cloned());
    let Some(Value::Table(mut own)) = found else {
        return Err(Failure::fault(format!("the catalogue has no problem `{}`", problem.id)));
    };
    for key in OWN_CASES {
        own.remove(key);
    }
    for (key, value) in &own {
        if let Some(text) = value.as_str().filter(|_| key.ends_with("-command") || key == "solver") {
            copy_named(text, &problem.folder, folder)?;
        }
    }
    let best = own.get("scoring").and_then(|scoring| scoring.get("best")).and_then(Value::as_str);
    if let Some(file) = best.map(Path::new).filter(|file| file.is_relative() && problem.folder.join(file).is_file()) {
        copy(&problem.folder.join(file), &folder.join(file))?;
    }
    own.insert("inputs".to_owned(), Value::Array(names));
    own.extend(answers.map(|answers| ("answers".to_owned(), answers)));
    whole.insert("problem".to_owned(), Value::Array(vec![Value::Table(own)]));
    let text = toml::to_string(&whole).map_err(Failure::fault)?;
    Ok(format!("{HEADER}\n{text}"))
}

/// Copies the files that a command names, and files in their folder that they may include.
fn copy_named(command: &str, from: &Path, to: &Path) -> Result<(), Failure> {
    for word in shell_words::split(command).unwrap_or_default() {
        let path = Path::new(&word);
        let is_inside = path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        if !is_inside || !from.join(path).exists() || word.is_empty() || word == "." {
            continue;
        }
        copy(&from.join(path), &to.join(path))?;
        let ending = |path: &Path| path.extension().is_some_and(|end| INCLUDED.iter().any(|known| end == *known));
        if !ending(path) {
            continue;
        }
        let parent = path.parent().unwrap_or(Path::new(""));
        for beside in listed(&from.join(parent))?.iter().filter(|beside| ending(beside)) {
            copy(beside, &to.join(parent).join(beside.file_name().unwrap_or_default()))?;
        }
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Result<(), Failure> {
    if from.is_dir() {
        for path in listed(from)? {
            copy(&path, &to.join(path.file_name().unwrap_or_default()))?;
        }
        return Ok(());
    }
    load::make_folder(to.parent().unwrap_or(to))?;
    let failed = |error| Failure::usage(format!("cannot copy {} to {}: {error}", from.display(), to.display()));
    fs::copy(from, to).map(|_| ()).map_err(failed)
}

fn listed(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let failed = |error| Failure::usage(format!("cannot read the folder {}: {error}", folder.display()));
    let entries = fs::read_dir(folder).map_err(failed)?;
    let mut paths = entries.map(|entry| Ok(entry.map_err(failed)?.path())).collect::<Result<Vec<_>, Failure>>()?;
    paths.sort();
    Ok(paths)
}
