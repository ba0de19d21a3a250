//! `judge check --dir`: every NAME.in of a folder with its NAME.out.

use judge_problem::parallel::map_on_all_cores;
use judge_problem::{Bytes, Exit, Problem, Ruling, natural_key};
use judge_report::{Style, grid, left, right};
use judge_session::answer::{self, exit};
use judge_session::failure::Failure;
use judge_session::load;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What came of one pair of files.
enum Checked {
    Ruled(Ruling),
    /// There is no such answer.
    NoAnswer(PathBuf),
    /// There is no such input.
    NoInput(PathBuf),
    /// A file is at fault, or the judge.
    Failed(Failure),
}

/// Checks every pair: a fault in one does not end the others. Returns the exit code of the worst.
pub(in crate::commands) fn check_folder(problem: &Problem, folder: &Path, limit: Bytes) -> Result<Exit, Failure> {
    let mut table = grid([left("case"), right("score"), left("ruling").wrapped()], Style::of_stdout());
    let mut worst = Exit::Success;
    let bases = bases(folder)?;
    let all_checked = map_on_all_cores(bases.len(), |number| check_pair(problem, &bases[number], limit));
    for (base, checked) in bases.iter().zip(&all_checked) {
        let name = base.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let score = match checked {
            Checked::Ruled(Ruling::Accepted(score)) => score.to_string(),
            _ => "–".to_owned(),
        };
        table.add_row([name, score, checked.text()]);
        worst = [worst, checked.exit()].into_iter().max_by_key(|exit| exit.code()).unwrap_or(worst);
    }
    judge_report::print(&table.text())?;
    Ok(worst)
}

/// Every file NAME.in or NAME.out of a folder without its ending, in natural order.
fn bases(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let unreadable = |error| Failure::usage(format!("cannot read the folder {}: {error}", folder.display()));
    let entries = std::fs::read_dir(folder).map_err(unreadable)?.collect::<Result<Vec<_>, _>>().map_err(unreadable)?;
    let files = entries.into_iter().map(|entry| entry.path());
    let files = files.filter(|path| path.extension().is_some_and(|end| end == "in" || end == "out"));
    let bases: BTreeSet<_> = files.map(|path| path.with_extension("")).collect();
    if bases.is_empty() {
        return Err(Failure::usage(format!("there is no NAME.in in {}", folder.display())));
    }
    let mut bases: Vec<_> = bases.into_iter().collect();
    bases.sort_by_cached_key(|base| natural_key(&base.to_string_lossy()));
    Ok(bases)
}

fn check_pair(problem: &Problem, base: &Path, limit: Bytes) -> Checked {
    let (input, output) = (with_ending(base, ".in"), with_ending(base, ".out"));
    if input.symlink_metadata().is_err() {
        return Checked::NoInput(input);
    }
    if output.symlink_metadata().is_err() {
        return Checked::NoAnswer(output);
    }
    check_files(problem, &input, &output, limit).map_or_else(Checked::Failed, Checked::Ruled)
}

fn check_files(problem: &Problem, input: &Path, output: &Path, limit: Bytes) -> Result<Ruling, Failure> {
    for path in [input, output] {
        // Looking into a pipe would wait for its writer.
        if path.metadata().is_ok_and(|meta| !meta.is_file()) {
            return Err(Failure::usage(format!("{} is not a regular file", path.display())));
        }
    }
    let bytes = load::bytes("the input", input)?;
    let expected = input.with_extension("ans");
    let expected = (problem.checker.answers().is_some() && expected.is_file()).then_some(&*expected);
    let case = answer::prepare(problem, &bytes, &input.display().to_string(), Some(input), expected)?;
    answer::check(&case, output, limit)
}

/// `NAME` may have dots itself.
fn with_ending(base: &Path, ending: &str) -> PathBuf {
    let mut path = base.as_os_str().to_owned();
    path.push(ending);
    path.into()
}

impl Checked {
    fn text(&self) -> String {
        match self {
            Self::Ruled(Ruling::Accepted(_)) => "accepted".to_owned(),
            Self::Ruled(ruling) => ruling.to_string(),
            Self::NoAnswer(output) => format!("no answer: {} is missing", output.display()),
            Self::NoInput(input) => format!("no input: {} is missing", input.display()),
            Self::Failed(failure) => format!("not checked: {}", failure.in_one_line()),
        }
    }

    fn exit(&self) -> Exit {
        match self {
            Self::Ruled(ruling) => exit(ruling),
            Self::NoAnswer(_) => Exit::NotAccepted,
            Self::NoInput(_) => Exit::Usage,
            Self::Failed(failure) => failure.exit(),
        }
    }
}
