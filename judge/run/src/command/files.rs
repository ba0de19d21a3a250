//! Calls of a setter's program that reads a list from a file and leaves its result in files, as AtCoder's generators do.

use super::calls::MOST_FILES;
use super::error::CommandError;
use super::output::CommandOutput;
use super::place::Place;
use super::setter::{Found, SetterProgram};
use super::stop::StopSignal;
use super::supervised;
use super::walled::{self, Errand, OUTPUT};
use judge_sandbox::{Exchange, WorkFile};
use std::fs;
use std::io;
use std::path::Path;

/// The file with the list, in the working folder.
const LIST: &str = "seeds.txt";
/// The folder for the result, in that of the program: the one that AtCoder's write to by default.
const RESULT: &str = "in";

impl SetterProgram {
    /// Runs the program on a list. Returns how it ended, and the contents of the files that it left, if it ended well.
    ///
    /// # Errors
    /// When it gives no result.
    pub fn run_on_list(
        &self,
        list: &str,
        stop: Option<&StopSignal>,
    ) -> Result<(CommandOutput, Vec<Vec<u8>>), CommandError> {
        if self.command.trusted {
            return run_outside(self, list, stop);
        }
        let errand = |found: &Found, place: &Path| {
            let given = vec![WorkFile { path: LIST.into(), bytes: list.into(), executable: false }];
            let output_folder = RESULT.into();
            let exchange = Exchange {
                input_files: given,
                output_folder,
                max_files: MOST_FILES,
                max_bytes: OUTPUT.0,
                ..Exchange::default()
            };
            let words = found.words(&[("seeds-file", &place.join(LIST)), ("output-folder", &place.join(RESULT))]);
            Ok(Errand { words, stdin: None, exchange: Some(exchange) })
        };
        let (output, made) = walled::run(self, stop, errand)?;
        Ok((output, made.into_iter().map(|file| file.bytes).collect()))
    }
}

fn run_outside(
    program: &SetterProgram,
    list: &str,
    stop: Option<&StopSignal>,
) -> Result<(CommandOutput, Vec<Vec<u8>>), CommandError> {
    let failed = |source: io::Error| CommandError::Output { program: program.name(), source };
    let prefix = judge_sandbox::sweepable_name("seeds") + ".";
    let files = tempfile::Builder::new().prefix(&prefix).tempdir().map_err(failed)?;
    let place = Place::of(&program.command).map_err(failed)?;
    // A program in a folder of its own may write to that folder without being told.
    let is_own = place.folder() != program.command.folder;
    let result = if is_own { place.folder() } else { files.path() }.join(RESULT);
    let list_file = files.path().join(LIST);
    fs::create_dir(&result).and_then(|()| fs::write(&list_file, list)).map_err(failed)?;
    let words = place.words(&program.command.line, &[("seeds-file", &list_file), ("output-folder", &result)])?;
    let output = supervised::run(&words, place.folder(), program.limits.wall.0, stop)?;
    if !output.status.success() {
        return Ok((output, Vec::new()));
    }
    let entries = fs::read_dir(&result).map_err(failed)?;
    let made = entries.map(|entry| fs::read(entry?.path())).collect::<io::Result<_>>().map_err(failed)?;
    Ok((output, made))
}
