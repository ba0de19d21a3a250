//! Reads the catalogue and other files, and writes files.

use crate::failure::{self, SHORTAGE_HINT};
use crate::{Failure, Result};
use judge_problem::{
    BestScore, BundledSolver, Bytes, Catalogue, CommandTemplate, Digest, Game, Languages, Problem, SolverSpec,
    built_in_languages, decode, quote_path, read_languages,
};
use judge_report::Document;
use judge_run::files::{MAX_FILE_BYTES, read_text};
use judge_run::program::head;
use judge_run::solver::language_settings;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{FileType, Mode, OFlags};
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, SpliceFlags, pipe_with, tee};
use std::fs::{File, OpenOptions, create_dir_all, read_to_string, remove_file};
use std::io::{self, BufWriter, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tempfile::NamedTempFile;

/// The file name of the catalogue.
const CATALOGUE_FILE: &str = "problems.toml";

/// The name of the built-in catalogue, in place of a file.
const BUILTIN: &str = "builtin";

/// The options of every subcommand: the catalogue and its journal.
#[derive(Debug, Clone, Copy, Default)]
pub struct GlobalArgs<'a> {
    /// The catalogue's file.
    pub catalogue: Option<&'a Path>,
    /// The journal's file, if it is not the one next to the catalogue.
    pub journal: Option<&'a Path>,
    /// The solvers that come with the judge.
    pub bundled: &'static [BundledSolver],
}

/// Returns the catalogue that the command line names; else the one in this folder or the nearest parent; else the
/// built-in one, with a note that is shown once per folder.
pub fn catalogue(global: GlobalArgs<'_>) -> Result<Catalogue> {
    let here = current_folder()?;
    if global.catalogue.is_none()
        && nearest(&here).is_none()
        && state_file(FILE).is_none_or(|file| is_first_in(&file, &here))
    {
        judge_report::note(&format!("no {CATALOGUE_FILE} here or above: using the built-in problems"));
    }
    catalogue_without_note(global)
}

/// Returns the same catalogue as [`catalogue`], without the note.
pub fn catalogue_without_note(global: GlobalArgs<'_>) -> Result<Catalogue> {
    let here = current_folder()?;
    let file = match global.catalogue {
        Some(name) if name == Path::new(BUILTIN) => None,
        named => named.map(Path::to_owned).or_else(|| nearest(&here)),
    };
    let mut catalogue = match file {
        Some(path) => parse_file(&here, &path)?,
        None => Catalogue::built_in(&here)?,
    };
    find_sources(&mut catalogue)?;
    Ok(Catalogue { journal: global.journal.map(Path::to_owned), bundled: global.bundled, ..catalogue })
}

fn parse_file(here: &Path, path: &Path) -> Result<Catalogue> {
    let mut contents = Vec::new();
    let read = open(path).and_then(|mut file| file.read_to_end(&mut contents));
    read.map_err(|error| unreadable("the catalogue", path, &error))?;
    let real = path.canonicalize();
    let folder = real.as_deref().ok().and_then(Path::parent).unwrap_or(here);
    let shown = path.strip_prefix(here).unwrap_or(path).display().to_string();
    Ok(Catalogue::parse(&shown, &decode(&shown, contents)?, folder)?)
}

fn current_folder() -> Result<PathBuf> {
    std::env::current_dir().map_err(|error| Failure::fault(error).with_hint("is the current folder gone?"))
}

/// Finds the commands of a catalogue whose first word is a source, each with the settings of its language.
pub fn find_sources(catalogue: &mut Catalogue) -> Result<()> {
    let mut problems = std::mem::take(&mut catalogue.problems);
    let commands = problems.iter_mut().flat_map(Problem::commands_mut);
    let sources: Vec<_> = commands.filter_map(|command| Some((first_word(command)?, command))).collect();
    if !sources.is_empty() {
        let languages = languages(catalogue)?;
        for (source, command) in sources {
            command.language = language_settings(&source, &languages);
        }
    }
    catalogue.problems = problems;
    Ok(())
}

/// Returns the first word of a command, if it is a file with an ending, or is written as a folder: it may be a source.
pub(crate) fn first_word(CommandTemplate { line, folder, .. }: &CommandTemplate) -> Option<SolverSpec> {
    let name = shell_words::split(line).ok()?.into_iter().next()?;
    let path = folder.join(&name);
    let may_be_source = path.is_file() && path.extension().is_some() || name.ends_with('/') && path.is_dir();
    may_be_source.then(|| SolverSpec { name, text: path.display().to_string() })
}

/// Returns all languages.
pub fn languages(catalogue: &Catalogue) -> Result<Languages> {
    Ok(changed_languages(catalogue)?.unwrap_or_else(|| built_in_languages().clone()))
}

/// Returns the built-in languages with the changes of the user's own file, and then of the catalogue; `None` if there
/// are no changes.
pub(crate) fn changed_languages(catalogue: &Catalogue) -> Result<Option<Languages>> {
    let own = match own_file()? {
        Some((path, text)) => Some(read_languages(&path.display().to_string(), &text, built_in_languages())?),
        None => None,
    };
    if !catalogue.has_languages {
        return Ok(own);
    }
    Ok(Some(catalogue.languages(own.as_ref().unwrap_or_else(|| built_in_languages()))?))
}

/// Returns the user's own file of languages and its text; `None` if there is no such file.
fn own_file() -> Result<Option<(PathBuf, String)>> {
    let Some(folder) = user_folder("XDG_CONFIG_HOME", ".config") else { return Ok(None) };
    let path = folder.join("languages.toml");
    match read_text(&path) {
        Ok(text) => Ok(Some((path, text))),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(None),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            let hint = "make this file readable, or set HOME (or XDG_CONFIG_HOME) to a folder of this user";
            Err(unreadable("the languages", &path, &error).with_hint(hint))
        }
        Err(error) => Err(unreadable("the languages", &path, &error)),
    }
}

/// Returns the problem with this id; without one, the only problem of the catalogue.
pub fn problem<'a>(catalogue: &'a Catalogue, id: Option<&str>) -> Result<&'a Problem> {
    match (id, &*catalogue.problems) {
        (Some(id), _) => Ok(catalogue.find(id)?),
        (None, [only]) => Ok(only),
        (None, problems) => {
            let ids: Vec<_> = problems.iter().map(|problem| &*problem.id).collect();
            let error = format!("no problem is given, and there are {}: {}", ids.len(), ids.join(", "));
            Err(Failure::usage(error).with_hint(format!("name one: -p {}", ids[0])))
        }
    }
}

fn nearest(here: &Path) -> Option<PathBuf> {
    // A file that cannot be read, such as a link to nowhere, is an error. It is not skipped for another catalogue.
    here.ancestors().map(|folder| folder.join(CATALOGUE_FILE)).find(|path| path.symlink_metadata().is_ok())
}

/// Reads a file; `-` is standard input. `what` is its name in messages.
pub fn bytes(what: &str, path: &Path) -> Result<Vec<u8>> {
    let too_long = || Failure::usage(format!("{what} {} is longer than {MAX_FILE_BYTES}", path.display()));
    bytes_up_to(what, path, MAX_FILE_BYTES)?
        .ok_or_else(|| too_long().with_hint("name a file that ends, and is shorter"))
}

/// Reads a text file; `-` is standard input. `what` is its name in messages.
pub fn text(what: &str, path: &Path) -> Result<String> {
    Ok(decode(&path.display().to_string(), bytes(what, path)?)?)
}

/// Reads a file, and never more of it than this many bytes; `None` if it is longer.
pub fn bytes_up_to(what: &str, path: &Path, limit: Bytes) -> Result<Option<Vec<u8>>> {
    let read = || -> io::Result<Vec<u8>> {
        let source: Box<dyn Read> =
            if path == Path::new("-") { Box::new(io::stdin().lock()) } else { Box::new(open(path)?) };
        let mut bytes = Vec::new();
        source.take(limit.0.saturating_add(1)).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    let bytes = read().map_err(|error| unreadable(what, path, &error))?;
    Ok((bytes.len() as u64 <= limit.0).then_some(bytes))
}

/// Reads the contents of a file of best scores, as `judge best --export` writes it.
pub fn parse_best_scores(game: &Game, path: &Path, contents: &[u8]) -> Result<Vec<BestScore>> {
    let bad = |error| Failure::usage(format!("cannot use the best scores in {}: {error}", path.display()));
    judge_report::read_best_json(game, contents).map_err(bad)
}

/// Writes a file atomically; `-` is standard output. `what` is its name in messages.
pub fn write(what: &str, path: &Path, contents: &[u8]) -> Result<()> {
    write_with(what, path, |output| output.write_all(contents))
}

/// Writes a file that `make` produces piece by piece.
pub fn write_with(what: &str, path: &Path, make: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    let mut made = Ok(());
    let fill = |output: &mut dyn Write| -> io::Result<()> {
        let mut lost = None;
        let mut output = BufWriter::with_capacity(PIECE, Target { output, lost: &mut lost });
        made = make(&mut output);
        let flushed = output.flush();
        drop(output);
        lost.map_or(flushed, Err)
    };
    if is_stdout(path) {
        judge_report::print_with(fill)?;
    } else {
        write_whole(path, fill).map_err(|error| unwritable(what, path, &error))?;
    }
    made.map_err(|error| Failure::usage(format!("cannot make {what}: {error}")))
}

/// Returns whether a path names standard output. Opening it by its name would empty the file that it goes to.
pub fn is_stdout(path: &Path) -> bool {
    ["-", "/dev/stdout"].map(Path::new).contains(&path)
}

/// Writes a JSON document to a file, if one is named; `-` is standard output.
pub fn write_json(path: Option<&Path>, document: &(impl Document + ?Sized)) -> Result<()> {
    let Some(path) = path else { return Ok(()) };
    write_with("the JSON report", path, |output| Ok(document.write_json(output)?))
}

/// Makes a folder, and those above it, where it is missing.
pub fn make_folder(folder: &Path) -> Result<()> {
    create_dir_all(folder)
        .map_err(|error| Failure::usage(format!("cannot make the folder {}: {error}", folder.display())))
}

/// The bytes that are written at once.
const PIECE: usize = 1 << 16;

/// The target of a report. It stores its error, because reports wrap it in errors of their own.
struct Target<'a> {
    output: &'a mut dyn Write,
    lost: &'a mut Option<io::Error>,
}

impl Write for Target<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.output.write(bytes).map_err(|error| {
            let same = io::Error::new(error.kind(), error.to_string());
            *self.lost = Some(error);
            same
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

/// Checks whether [`write()`] could write a file, if one is named, without changing it.
pub fn probe(what: &str, path: Option<&Path>) -> Result<()> {
    let Some(path) = path else { return Ok(()) };
    let tried = refuse_kept(path).and_then(|()| try_to_write(path));
    tried.map_err(|error| unwritable(what, path, &error))
}

/// Checks whether a journal can be written, without changing it.
pub(crate) fn probe_journal(path: &Path) -> Result<()> {
    try_to_write(path).map_err(|error| unwritable("the journal", path, &error))
}

fn try_to_write(path: &Path) -> io::Result<()> {
    match path.metadata() {
        _ if is_stdout(path) => Ok(()),
        Ok(meta) if meta.is_dir() => Err(io::Error::from(io::ErrorKind::IsADirectory)),
        // Opening a named pipe would wait for its reader.
        Ok(meta) if !meta.is_file() => Ok(()),
        Ok(_) => OpenOptions::new().append(true).open(path).map(drop),
        Err(_) => beside(path, PUBLIC).map(drop),
    }
}

/// Returns the failure of a file that cannot be written.
pub fn unwritable(what: &str, path: &Path, error: &io::Error) -> Failure {
    // A file is written under another name first, which says nothing to the user.
    let why = error.to_string();
    let why = why.split_once(" at path \"").map_or(&*why, |(why, _)| why);
    let failure = Failure::usage(format!("cannot write {what} {}: {why}", path.display()));
    match path.parent() {
        Some(folder) if error.kind() == io::ErrorKind::NotFound && !folder.as_os_str().is_empty() => {
            failure.with_hint(format!("mkdir -p {}", quote_path(folder)))
        }
        _ => failure,
    }
}

/// Writes to a named pipe, a device or a link in place. Replaces a new or regular file in one step, so no reader sees half
/// of it. If the folder is not writable, an existing file is written to in place.
fn write_whole(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    refuse_kept(path)?;
    let special = path.symlink_metadata().is_ok_and(|meta| !meta.is_file());
    if special {
        return fill(&mut create(path)?);
    }
    let mut file = match beside(path, PUBLIC) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied && path.exists() => {
            return fill(&mut create(path)?);
        }
        file => file?,
    };
    fill(&mut file)?;
    file.persist(path)?;
    Ok(())
}

/// How an SQLite database begins.
const DATABASE: &[u8] = b"SQLite format 3\0";

/// The beginnings of files that no output replaces, with what they are. A user may give a solver in place of a report.
const KEPT: [(&[u8], &str); 3] =
    [(DATABASE, "a database, such as a journal"), (b"#!", "a program"), (b"\x7fELF", "a program")];

/// Fails if a file is a database, whose records would be lost, or a program.
fn refuse_kept(path: &Path) -> io::Result<()> {
    let head = head(path);
    let kept = KEPT.iter().find(|(begins, _)| head.starts_with(begins));
    kept.map_or(Ok(()), |(_, what)| Err(io::Error::other(format!("it is {what}"))))
}

/// The permissions of a new file. The user's mask takes some of them.
pub const PUBLIC: u32 = 0o666;

/// Makes a temporary file with these permissions in the folder of a file.
pub fn beside(path: &Path, mode: u32) -> io::Result<NamedTempFile> {
    let permissions = std::os::unix::fs::PermissionsExt::from_mode(mode);
    tempfile::Builder::new().prefix(".judge-").permissions(permissions).tempfile_in(folder_of(path))
}

/// Returns the folder of a file.
pub fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Returns the error that a file cannot be read.
pub(crate) fn unreadable(what: &str, path: &Path, error: &io::Error) -> Failure {
    let is_shortage = failure::is_shortage(error);
    let text = format!("cannot read {what} {}: {error}", path.display());
    if is_shortage { Failure::fault(text).with_hint(SHORTAGE_HINT) } else { Failure::usage(text) }
}

/// The file of the folders that were noted. It is replaced when it is longer than this.
const FILE: &str = "noted-folders";
const MAX_BYTES: usize = 64 << 10;

/// The number of digits of a folder's hash.
const DIGITS: usize = 32;

/// Returns whether this folder is not yet in the file, and adds it. If nothing can be written, every call counts as the first.
fn is_first_in(file: &Path, folder: &Path) -> bool {
    let digest = Digest::of(folder.as_os_str().as_bytes()).to_string();
    let line = digest.get(..DIGITS).unwrap_or(&digest);
    let noted = read_to_string(file).unwrap_or_default();
    if noted.lines().any(|known| known == line) {
        return false;
    }
    if noted.len() > MAX_BYTES {
        let _ = remove_file(file);
    }
    let parent = file.parent().is_some_and(|parent| create_dir_all(parent).is_ok());
    if let (true, Ok(mut open)) = (parent, OpenOptions::new().create(true).append(true).open(file)) {
        // Each line is one short write, so lines of several judges do not mix.
        let _ = open.write_all(format!("{line}\n").as_bytes());
    }
    true
}

/// Returns the path of a file in the user's state folder, which need not exist; `None` if the user has no such folder.
pub(crate) fn state_file(name: &str) -> Option<PathBuf> {
    Some(user_folder("XDG_STATE_HOME", ".local/state")?.join(name))
}

/// Returns the judge's folder below the folder that a variable names, or else below this one in the user's home.
pub(crate) fn user_folder(variable: &str, in_home: &str) -> Option<PathBuf> {
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let folder = absolute(variable).or_else(|| Some(absolute("HOME")?.join(in_home)))?;
    Some(folder.join("judge"))
}

/// How long to wait until the other end of a FIFO is opened, because both ends may be started at the same time.
const PATIENCE: Duration = Duration::from_secs(5);

/// The time between two attempts to open a FIFO for writing.
const INTERVAL: Duration = Duration::from_millis(20);

/// Like [`File::open`], but a FIFO that has no writer after some seconds is an error.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOCTTY | OFlags::NONBLOCK;
    let file = rustix::fs::open(path, flags, Mode::empty())?;
    let is_fifo = FileType::from_raw_mode(rustix::fs::fstat(&file)?.st_mode) == FileType::Fifo;
    if is_fifo {
        let patience = Timespec::try_from(PATIENCE).map_err(io::Error::other)?;
        let is_silent = poll(&mut [PollFd::new(&file, PollFlags::IN)], Some(&patience))? == 0;
        // `tee` consumes nothing: an empty FIFO has nothing to copy yet, or no writer.
        let (_reader, copy) = pipe_with(PipeFlags::CLOEXEC)?;
        if is_silent && tee(&file, &copy, 1, SpliceFlags::NONBLOCK) == Ok(0) {
            return Err(io::Error::other("this FIFO has no writer: start the writer first"));
        }
    }
    rustix::fs::fcntl_setfl(&file, OFlags::empty())?;
    Ok(file.into())
}

/// Like [`File::create`], but a FIFO that has no reader after some seconds is an error.
pub(crate) fn create(path: &Path) -> io::Result<File> {
    let began = Instant::now();
    while began.elapsed() < PATIENCE {
        match open_to_write(path) {
            Err(Errno::NXIO) => std::thread::sleep(INTERVAL),
            opened => return Ok(opened?),
        }
    }
    create_without_waiting(path)
}

/// Like [`File::create`], but a FIFO without a reader is an error at once.
pub fn create_without_waiting(path: &Path) -> io::Result<File> {
    open_to_write(path).map_err(|error| match error {
        Errno::NXIO => io::Error::other("this FIFO has no reader: start the reader first"),
        error => error.into(),
    })
}

fn open_to_write(path: &Path) -> Result<File, Errno> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC | OFlags::CLOEXEC | OFlags::NOCTTY;
    let file = rustix::fs::open(path, flags | OFlags::NONBLOCK, Mode::from_raw_mode(0o666))?;
    rustix::fs::fcntl_setfl(&file, OFlags::empty())?;
    Ok(file.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_report_replaces_a_journal_or_a_program() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        for (begins, what) in KEPT {
            std::fs::write(&file, [begins, b"runs"].concat()).unwrap();
            let failure = probe("the JSON report", Some(&file)).unwrap_err();
            assert!(failure.in_one_line().contains(what), "{failure:?}");
            write("the JSON report", &file, b"{}").unwrap_err();
            assert!(std::fs::read(&file).unwrap().ends_with(b"runs"));
        }
    }

    #[test]
    fn a_folder_is_new_once() {
        let state = tempfile::tempdir().unwrap();
        let file = state.path().join("deep/er/file");
        assert!(is_first_in(&file, Path::new("/a")) && is_first_in(&file, Path::new("/b")));
        assert!(!is_first_in(&file, Path::new("/a")) && !is_first_in(&file, Path::new("/b")));
        std::fs::write(&file, "x".repeat(MAX_BYTES + 1)).unwrap();
        assert!(is_first_in(&file, Path::new("/a")) && !is_first_in(&file, Path::new("/a")));
        assert!(std::fs::metadata(&file).unwrap().len() < 100);
    }

    #[test]
    fn a_link_to_nowhere_is_the_nearest_catalogue() {
        let folder = tempfile::tempdir().unwrap();
        let [outer, inner] = [folder.path().join("problems.toml"), folder.path().join("in/problems.toml")];
        std::fs::create_dir(folder.path().join("in")).unwrap();
        std::fs::write(&outer, "").unwrap();
        assert_eq!(nearest(&folder.path().join("in")), Some(outer));
        std::os::unix::fs::symlink("nowhere", &inner).unwrap();
        assert_eq!(nearest(&folder.path().join("in")), Some(inner));
    }

    #[test]
    fn without_a_place_every_time_is_the_first() {
        let file = Path::new("/proc/judge/file");
        assert!(is_first_in(file, Path::new("/a")) && is_first_in(file, Path::new("/a")));
    }
}
