//! Writes the cases found as inputs with a catalogue, which `judge run --problems DIR/problems.toml` plays.

use super::PlayedCase;
use judge_problem::{Catalogue, Digest, Problem};
use judge_run::cases::Inputs;
use judge_run::matching::real;
use judge_session::{Failure, Result, load};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};
use toml::{Table, Value};

/// The catalogue in the folder.
pub(super) const CATALOGUE: &str = "problems.toml";

/// The first line of a catalogue that was written here.
const HEADER: &str = "# Written by `judge find --save`.";

/// The keys of a problem's own cases. The cases found replace them.
const OWN_CASES: [&str; 7] = ["seeds", "inputs", "case", "group", "expect", "answers", "generator-seeds"];

/// Endings of files that other files of their folder include.
const INCLUDED: [&str; 5] = ["h", "hpp", "py", "cpp", "rs"];

/// The longest name of a file, in bytes, without its ending. File systems take 255, and writing adds some.
const MAX_STEM: usize = 200;

/// The placeholder of the problem's folder in its commands.
const FOLDER: &str = "{folder}/";

/// The folder that the cases found are written to.
pub(super) struct SavedFolder {
    folder: PathBuf,
    /// The catalogue, without problems.
    whole: Table,
    /// The problem, without cases.
    own: Table,
    /// The files that the problem names: where they are now, by their place in the folder.
    files: BTreeMap<PathBuf, PathBuf>,
    _made: MadeFolders,
}

/// The folders that were made for the cases found, the innermost first. Those without a file are removed at the end.
struct MadeFolders(Vec<PathBuf>);

impl Drop for MadeFolders {
    fn drop(&mut self) {
        // A folder with a file stays.
        self.0.iter().for_each(|folder| drop(fs::remove_dir(folder)));
    }
}

impl SavedFolder {
    /// Finds the files that the problem needs, and makes the folder. Fails if it has files that were not written here and
    /// would be replaced.
    pub(super) fn open(catalogue: &Catalogue, problem: &Problem, folder: &Path) -> Result<Self> {
        let (whole, own) = tables(catalogue, problem)?;
        let is_missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
        let made = MadeFolders(folder.ancestors().take_while(is_missing).map(Path::to_owned).collect());
        let mut saved = Self { folder: folder.to_owned(), whole, own, files: BTreeMap::new(), _made: made };
        saved.find_files(&problem.folder)?;
        saved.check(problem)?;
        load::make_folder(folder)?;
        Ok(saved)
    }

    fn check(&self, problem: &Problem) -> Result<()> {
        let file = self.folder.join(CATALOGUE);
        let refused = |what: String| Err(Failure::usage(what).with_hint("name a new folder: --save found"));
        let is_its_own = match fs::read_to_string(&file) {
            Ok(text) => {
                if !text.starts_with(HEADER) || real(&self.folder) == real(&problem.folder) {
                    return refused(format!("{} is another catalogue, which --save would replace", file.display()));
                }
                true
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => false,
            Err(error) => return Err(Failure::usage(format!("cannot read {}: {error}", file.display()))),
        };
        let is_case = |path: &PathBuf| path.extension().is_some_and(|end| end == "in" || end == "ans");
        let mut replaced = self.files.iter().map(|(place, source)| (self.folder.join(place), source));
        let other = replaced.find(|(path, source)| path.exists() && (!is_its_own || real(path) == real(source)));
        let other = match other {
            None if !is_its_own && self.folder.is_dir() => listed(&self.folder)?.into_iter().find(is_case),
            other => other.map(|(path, _)| path),
        };
        match other {
            Some(path) => {
                refused(format!("{} is not of an earlier search, and --save could replace it", path.display()))
            }
            None => Ok(()),
        }
    }

    /// Writes the inputs, the right answers that are known, the catalogue, and the files that it names. If cases need an
    /// answer file, only cases with one are in the catalogue. Returns how many are.
    pub(super) fn save(mut self, problem: &Problem, found: &[&PlayedCase], need_answers: bool) -> Result<usize> {
        for (place, source) in &self.files {
            write(&self.folder.join(place), |copy| fs::copy(source, copy).map(drop))?;
        }
        let inputs = Inputs::of(problem);
        let (mut names, mut answers) = (Vec::new(), Vec::new());
        for seen in found {
            let stem = stem(&seen.candidate.case.name.0);
            let input = seen.candidate.input.clone().map_or_else(|| inputs.load(&seen.candidate.case), Ok)?;
            let name = format!("{stem}.in");
            write(&self.folder.join(&name), |file| fs::write(file, input))?;
            if let Some(answer) = &seen.right_answer {
                let name = format!("{stem}.ans");
                write(&self.folder.join(&name), |file| fs::write(file, answer))?;
                answers.push(Value::String(glob_escaped(&name)));
            } else if need_answers {
                continue;
            }
            names.push(Value::String(glob_escaped(&name)));
        }
        let count = names.len();
        self.own.insert("inputs".to_owned(), Value::Array(names));
        if need_answers {
            self.own.insert("answers".to_owned(), Value::Array(answers));
        }
        self.whole.insert("problem".to_owned(), Value::Array(vec![Value::Table(self.own)]));
        let text = toml::to_string(&self.whole).map_err(Failure::fault)?;
        write(&self.folder.join(CATALOGUE), |file| fs::write(file, format!("{HEADER}\n{text}")))?;
        Ok(count)
    }

    /// Finds the files that the commands and the scoring rule name. Files outside of the problem's folder are named by their
    /// whole paths.
    fn find_files(&mut self, from: &Path) -> Result<()> {
        let mut own = std::mem::take(&mut self.own);
        for (key, value) in &mut own {
            let Value::String(command) = value else { continue };
            if !key.ends_with("-command") && key != "solver" {
                continue;
            }
            let mut named = String::new();
            for (given, word) in given_words(command) {
                let start = word.rfind(FOLDER);
                let path = Path::new(start.map_or(&*word, |start| &word[start + FOLDER.len()..]));
                if let Some(whole) = self.find_named(path, from)? {
                    named += &shell_words::quote(&format!("{}{whole}", &word[..start.unwrap_or(0)]));
                    // The space after the word.
                    named += &given[given.trim_end().len()..];
                } else {
                    self.find_included(path, from)?;
                    named += given;
                }
            }
            *command = named;
        }
        if let Some(Value::String(file)) = own.get_mut("scoring").and_then(|scoring| scoring.get_mut("best"))
            && let Some(whole) = self.find_named(Path::new(&*file), from)?
        {
            *file = whole;
        }
        self.own = own;
        Ok(())
    }

    /// Adds a file or folder of the problem's folder, if there is one. Returns the whole path of one outside.
    fn find_named(&mut self, path: &Path, from: &Path) -> Result<Option<String>> {
        let source = from.join(path);
        if path.is_absolute() || !source.exists() {
            return Ok(None);
        }
        if path.components().any(|part| part == Component::ParentDir) {
            return Ok(Some(real(&source).to_string_lossy().into_owned()));
        }
        if path.components().any(|part| matches!(part, Component::Normal(_))) {
            self.add(path, source)?;
        }
        Ok(None)
    }

    /// Adds the files in the folder of a source, because it may include them.
    fn find_included(&mut self, path: &Path, from: &Path) -> Result<()> {
        let may_include = |path: &Path| path.extension().is_some_and(|end| INCLUDED.iter().any(|known| end == *known));
        if !may_include(path) || !self.files.contains_key(path) {
            return Ok(());
        }
        let parent = path.parent().unwrap_or(Path::new(""));
        for beside in listed(&from.join(parent))?.into_iter().filter(|beside| may_include(beside)) {
            self.add(&parent.join(beside.file_name().unwrap_or_default()), beside)?;
        }
        Ok(())
    }

    /// Adds a file, or the files of a folder. The folder of the cases found is left out, and a link to a folder above.
    fn add(&mut self, place: &Path, source: PathBuf) -> Result<()> {
        if source.is_file() {
            self.files.insert(place.to_owned(), source);
            return Ok(());
        }
        let itself = real(&source);
        let is_above = source.parent().is_some_and(|parent| real(parent).starts_with(&itself));
        if !source.is_dir() || is_above || itself == real(&self.folder) {
            return Ok(());
        }
        for path in listed(&source)? {
            self.add(&place.join(path.file_name().unwrap_or_default()), path)?;
        }
        Ok(())
    }
}

/// Returns the tables of the catalogue and of its problem.
fn tables(catalogue: &Catalogue, problem: &Problem) -> Result<(Table, Table)> {
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
    Ok((whole, own))
}

/// Returns the words of a command line: each as it is given, with the space after it, and what it means. A text that
/// cannot be split stays whole.
fn given_words(line: &str) -> Vec<(&str, String)> {
    let (mut words, mut begin) = (Vec::new(), 0);
    let spaces = line.match_indices(char::is_whitespace).map(|(place, space)| (place, place + space.len()));
    for (end, next) in spaces.chain([(line.len(), line.len())]) {
        let word = &line[begin..end];
        // A space after a backslash or in quotes belongs to the word, and a comment goes to the end.
        let escapes = word.len() - word.trim_end_matches('\\').len();
        let split = shell_words::split(word).ok().filter(|_| escapes.is_multiple_of(2) && !word.starts_with('#'));
        if let Some(split) = split {
            words.push((&line[begin..next], split.concat()));
            begin = next;
        }
    }
    if begin < line.len() {
        words.push((&line[begin..], String::new()));
    }
    words
}

/// Returns the name of the files of a case, without an ending. A case with many parameters can have a name that is too
/// long for a file.
fn stem(case: &str) -> String {
    let name = case.strip_suffix(".in").unwrap_or(case).replace('/', "_");
    if name.len() <= MAX_STEM {
        return name;
    }
    let digest = Digest::of(name.as_bytes()).to_string();
    // A letter has at most four bytes.
    let head: String = name.chars().take((MAX_STEM - 17) / 4).collect();
    format!("{head}-{}", &digest[..16])
}

/// Returns a pattern that matches only this file name.
fn glob_escaped(name: &str) -> String {
    name.chars()
        .map(|letter| if matches!(letter, '[' | '*' | '?') { format!("[{letter}]") } else { letter.to_string() })
        .collect()
}

/// Writes a file under another name first: it replaces a link, and never changes what the link names.
fn write(path: &Path, fill: impl FnOnce(&Path) -> io::Result<()>) -> Result<()> {
    load::make_folder(load::folder_of(path))?;
    let written = load::beside(path, load::PUBLIC).and_then(|temporary| {
        fill(temporary.path())?;
        temporary.persist(path)?;
        Ok(())
    });
    written.map_err(|error| load::unwritable("the found case", path, &error))
}

fn listed(folder: &Path) -> Result<Vec<PathBuf>> {
    let failed = |error| Failure::usage(format!("cannot read the folder {}: {error}", folder.display()));
    let entries = fs::read_dir(folder).map_err(failed)?;
    let mut paths = entries.map(|entry| Ok(entry.map_err(failed)?.path())).collect::<Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_keep_their_quotes_and_spaces() {
        for (line, given, words) in [
            ("sh  '../my lib/c' {answer}", &["sh ", " ", "'../my lib/c' ", "{answer}"][..], "sh||../my lib/c|{answer}"),
            (r"sh ../my\ lib/c\\ .", &["sh ", r"../my\ lib/c\\ ", "."], r"sh|../my lib/c\|."),
            ("awk '{print $1}' # not 'this", &["awk ", "'{print $1}' ", "# not 'this"], "awk|{print $1}|"),
            ("sh 'open", &["sh ", "'open"], "sh|"),
        ] {
            let found = given_words(line);
            assert_eq!(found.iter().map(|(given, _)| *given).collect::<Vec<_>>(), given);
            assert_eq!(found.into_iter().map(|(_, word)| word).collect::<Vec<_>>().join("|"), words);
        }
    }

    #[test]
    fn long_names_of_cases_become_short_stems() {
        let long = format!("seed=1,kind={}é", "x".repeat(300));
        let [first, second] = [&long, &long.replace("seed=1", "seed=2")].map(|name| stem(name));
        assert!(first.len() <= MAX_STEM && first.starts_with("seed=1,kind=x") && first[7..] != second[7..]);
        assert_eq!((&*stem("data/a.in"), &*stem("é")), ("data_a", "é"));
        assert!(stem(&"é".repeat(120)).len() <= MAX_STEM);
    }
}
