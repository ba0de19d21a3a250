//! The tools of an AtCoder Heuristic Contest: a Cargo package with the programs `gen`, `vis` and `tester`.

mod package;

use crate::text::Text;
use crate::{ImportError, Imported};
use judge_problem::manifest::REJECTION;
use package::{Cases, PAGE, PROGRAMS, Package, program};
use std::path::Path;

pub(super) use package::Built;

/// Returns whether a folder or its subfolder `tools` is a package of this kind.
pub(super) fn fits(root: &Path) -> bool {
    package::root(root).is_some()
}

/// Reads the package in a folder, and builds its programs with Cargo. `id`: the problem's id in place of the folder's name.
///
/// # Errors
/// Fails if it is not a package, if its programs cannot be built, or if none of them gives a score.
pub(super) fn read(folder: &Path, id: Option<&str>) -> Result<Imported, ImportError> {
    let root = package::root(folder).ok_or_else(|| ImportError::Unknown(folder.to_owned()))?;
    let package = Package::read(&root)?;
    let programs: Vec<_> = package.programs().collect();
    let built = Built::with_cargo(&package.root, &programs)?;
    let cases = Cases::find(&package, &built)?;
    let id = id.map_or_else(|| package::id(&root), str::to_owned);
    let catalogue = write_catalogue(&package, &cases, &id);
    let mut copied = built.programs(&package);
    copied.extend(cases.files(&package));
    let mut taken = vec![cases.described()];
    taken.push(format!(
        "{}: built with cargo, outside the sandbox, as their crates come from the network",
        programs.join(", ")
    ));
    if package.is_interactive() {
        taken.push("the problem is interactive: tester starts the solver".to_owned());
    }
    let mut left = vec!["the time limit, which the tools do not say: set `cpu` in [problem.limits]".to_owned()];
    left.push(
        "the objective: where a smaller score is better, add `direction = \"min\"` to [problem.scoring]".to_owned(),
    );
    left.extend(package.left);
    left.extend(cases.left);
    Ok(Imported { id, catalogue, files: copied, taken, left, temporary: Some(built.folder), ..Imported::default() })
}

/// Finds `Score = 12`, the output of AtCoder's tools.
const NAMED: &str = r"(?mi)^\s*score\s*[:=]\s*(-?\d+(?:\.\d+)?)\s*$";

/// Finds a line with only a number.
const ALONE: &str = r"(?m)^\s*(-?\d+(?:\.\d+)?)\s*$";

/// Finds the message of a visualizer that rejects an answer with exit code 0 and no score.
const REJECTED: &str = r"(?mi)^(?:\[WA\]|(?:error|illegal|invalid|out of range|unexpected|wrong)\b.*\S)";

fn write_catalogue(package: &Package, cases: &Cases, id: &str) -> String {
    let mut text = Text::of_problem("AtCoder's tools", id);
    if is_contest(id) {
        text.text("title", &id.to_uppercase());
    }
    // They write files into their working folder, so each gets its own.
    let tool = |name: &str, arguments: &str| format!("{{folder}}/{} {arguments}", program(name).display());
    if let Some(stream) = package.tester {
        text.text("tester-command", &tool("tester", "{solver}"));
        if stream == "stdout" {
            text.text("score-stream", "stdout").because("of the tester");
        }
    }
    if let Some(checker) = package.checker {
        text.text("checker-command", &tool(checker, "{input} {answer}"));
        if package.is_interactive() {
            text.because("for `judge check`: tester decides on a run");
        }
    }
    text.text("checker-protocol", "regex");
    text.text("score-regex", if package.names_score { NAMED } else { ALONE });
    text.text("reject-regex", if package.is_interactive() { REJECTION } else { REJECTED });
    text.line("reject-exit-codes = [1, 101]").because("an answer that they cannot read");
    if package.has_viewer {
        text.text("view-command", &tool("vis", "{input} {answer}")).text("view-file", PAGE);
    }
    if package.has_generator {
        text.text("generator-command", &tool("gen", "{seeds-file}"));
    }
    if cases.has_list {
        text.text("generator-seeds", &format!("{PROGRAMS}/seeds.txt"));
    }
    match cases.seeds {
        Some(count) => text.text("seeds", &format!("0-{}", count - 1)),
        None => text.texts("inputs", &["in/*.txt".to_owned()]),
    };
    text.finish()
}

/// Returns whether an id is the id of a contest, such as `ahc020`.
fn is_contest(id: &str) -> bool {
    id.strip_prefix("ahc").is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}
