//! Well-formed inputs of the targets: from the project's own data, and a few written here.

use crate::checkers::{BETWEEN, OWN_INPUT};
use std::fs;
use std::path::{Path, PathBuf};

/// The maximum size of a file. Longer files make every round slow, and short ones show the same defects.
const MAX_BYTES: usize = 4_000;

/// Every answer of the ground truth.
pub(crate) fn answers() -> Vec<Vec<u8>> {
    data("out").into_iter().map(|path| read(&path)).collect()
}

/// The built-in catalogue, and the catalogues of the documentation.
pub(crate) fn catalogues() -> Vec<Vec<u8>> {
    let page = |name| String::from_utf8(read(&repository().join(name))).expect("the page is text");
    let pages = ["docs/problems.md", "docs/protocols.md"].map(page);
    let rests = pages.iter().flat_map(|page| page.split("```toml\n").skip(1));
    let blocks = rests.filter_map(|rest| rest.split("```").next());
    blocks.chain([judge_problem::manifest::BUILT_IN]).map(|text| text.as_bytes().to_vec()).collect()
}

/// Conditions with every operator.
pub(crate) fn conditions() -> Vec<Vec<u8>> {
    let texts = ["N<10", "N<10 && (colors==4 || !(k>100))", "a!=1.5&&b>=-3||c<=a", "!!(_x > 0.001)"];
    texts.map(|text| text.as_bytes().to_vec()).to_vec()
}

/// Expected texts and answers, and the output of checkers under each protocol.
pub(crate) fn comparisons() -> Vec<Vec<u8>> {
    let texts = [
        "1 2.50 abc\n|1 2.5 ABC",
        "1e-3|0x1p-10 nan inf",
        "12.5\n|points 12.5 good",
        "Score = 12\n|an error: 5",
        "<result outcome = \"points\" points = \"2.50\">a &lt; b</result>|partially correct (13) x",
    ];
    texts.map(|text| text.as_bytes().to_vec()).to_vec()
}

/// For every game: each input of the ground truth that is not made from a seed, with its answer, and generated cases
/// with answers of all games.
pub(crate) fn games() -> Vec<Vec<u8>> {
    let inputs = data("in");
    let answers = answers();
    let mut samples = Vec::new();
    for (number, game) in (0_u8..).zip(checkers::all()) {
        for path in &inputs {
            let input = read(path);
            if game.read(&input).is_ok() {
                let answer = fs::read(path.with_extension("out")).unwrap_or_default();
                samples.push([&[number, OWN_INPUT], &*input, &[BETWEEN], &*answer].concat());
            }
        }
        let some = answers.iter().step_by(1 + answers.len() / 10);
        samples.extend(some.zip((0..OWN_INPUT).cycle()).map(|(answer, seed)| [&[number, seed], &**answer].concat()));
    }
    samples
}

/// The files of the ground truth with this extension, in order.
fn data(extension: &str) -> Vec<PathBuf> {
    let folders = list(&repository().join("tests/data")).into_iter().filter(|path| path.is_dir());
    let files = folders.flat_map(|folder| list(&folder));
    let short = |path: &PathBuf| path.metadata().is_ok_and(|file| file.len() <= MAX_BYTES as u64);
    files.filter(|path| path.extension().is_some_and(|found| found == extension)).filter(short).collect()
}

fn list(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    paths
}

fn read(path: &Path) -> Vec<u8> {
    fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn repository() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}
