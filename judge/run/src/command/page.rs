//! Calls of a setter's program that draws an answer on a page.

use super::error::CommandError;
use super::input::CaseInput;
use super::output::CommandOutput;
use super::place::Place;
use super::setter::{Found, SetterProgram};
use super::supervised;
use super::walled::{self, Errand, OUTPUT};
use judge_sandbox::{Exchange, WorkFile};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The most files in the folder of a page.
const MOST_FILES: u64 = 1000;

impl SetterProgram {
    /// Runs the program on an answer to a case. Returns how it ended, and the page that it left in its folder.
    ///
    /// # Errors
    /// When it cannot be run, or its page cannot be read.
    pub fn draw(
        &self,
        input: &CaseInput,
        answer: &CaseInput,
        page: &Path,
    ) -> Result<(CommandOutput, Option<Vec<u8>>), CommandError> {
        if self.command.trusted {
            return draw_outside(self, input, answer, page);
        }
        let errand = |found: &Found, place: &Path| {
            let given = [("input", input), ("answer", answer)];
            let file = |(name, file): (&str, &CaseInput)| WorkFile {
                path: name.into(),
                bytes: file.bytes().to_vec(),
                executable: false,
            };
            let exchange = Exchange {
                input_files: given.map(file).into(),
                output_folder: ".".into(),
                output_names: page.components().take(1).map(|name| name.as_os_str().to_owned()).collect(),
                max_files: MOST_FILES,
                max_bytes: OUTPUT.0,
                ..Exchange::default()
            };
            let words = found.words(&values(&place.join("input"), &place.join("answer")));
            Ok(Errand { words, stdin: None, exchange: Some(exchange) })
        };
        let (output, made) = walled::run(self, None, errand)?;
        Ok((output, made.into_iter().find(|file| file.path == page).map(|file| file.bytes)))
    }
}

fn draw_outside(
    program: &SetterProgram,
    input: &CaseInput,
    answer: &CaseInput,
    page: &Path,
) -> Result<(CommandOutput, Option<Vec<u8>>), CommandError> {
    let failed = |source| CommandError::Output { program: program.name(), source };
    let (input, answer) = (input.path().map_err(failed)?, answer.path().map_err(failed)?);
    let place = Place::of(&program.command).map_err(failed)?;
    let words = place.words(&program.command.line, &values(input, answer))?;
    let output = supervised::run(&words, place.folder(), program.limits.wall.0, None)?;
    let mut bytes = Vec::new();
    let file = File::open(place.folder().join(page));
    let read = file.and_then(|file| file.take(OUTPUT.0).read_to_end(&mut bytes));
    Ok((output, read.is_ok().then_some(bytes)))
}

fn values<'a>(input: &'a Path, answer: &'a Path) -> [(&'static str, &'a Path); 3] {
    [("input", input), ("answer", answer), ("expected", Path::new("/dev/null"))]
}
