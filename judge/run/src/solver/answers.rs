//! Entrants without a program: a folder with an answer for each case, `answers:DIR`.

use judge_problem::{Bytes, CaseName, Digest, Verdict};
use rustix::fs::OFlags;
use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// The ending of the files with answers.
const ENDING: &str = ".out";

/// A longer file is identified by its length and the time of its last change, because reading it would take seconds.
const MAX_HASHED: u64 = 64 << 20;

/// The verdict on a file that is not an answer, and why.
type NoAnswer = (Verdict, String);

fn no_answer(why: String) -> NoAnswer {
    (Verdict::WrongAnswer, format!("no answer: {why}"))
}

fn unreadable(path: &Path, error: &io::Error) -> NoAnswer {
    let why = format!("cannot read {}: {error}", path.display());
    if error.kind() == io::ErrorKind::PermissionDenied { no_answer(why) } else { (Verdict::JudgeError, why) }
}

/// Returns the answer of a case, or the verdict and the reason why there is none. A repetition `NAME#2` uses the file
/// of `NAME` unless it has its own.
///
/// # Errors
/// When the file is missing, is not a regular file below the folder, is longer than the limit, or cannot be read.
pub fn read_answer(folder: &Path, case: &CaseName, limit: Bytes) -> Result<Vec<u8>, NoAnswer> {
    // The same file names as with `--save-answers`.
    let file = |name: &str| folder.join(format!("{}{ENDING}", name.replace('/', "_")));
    let (own, shared) = (file(&case.0), file(case.without_repetition()));
    let path = if own.symlink_metadata().is_ok() { own } else { shared };
    let file = open(folder, &path)?;
    let unreadable = |error: io::Error| unreadable(&path, &error);
    let length = file.metadata().map_err(unreadable)?.len();
    let mut bytes = Vec::new();
    // It may grow while it is read.
    if length <= limit.0 {
        file.take(limit.0.saturating_add(1)).read_to_end(&mut bytes).map_err(unreadable)?;
    }
    if length.max(bytes.len() as u64) > limit.0 {
        return Err((Verdict::OutputLimit, format!("more than {limit} in {}", path.display())));
    }
    Ok(bytes)
}

/// Opens a regular file of this folder. A link to a file below the folder is allowed. A link to another place could
/// reveal a file that the folder's author may not read, and opening a pipe would wait for its writer.
fn open(folder: &Path, path: &Path) -> Result<File, NoAnswer> {
    let shown = path.display();
    let unreadable = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => no_answer(format!("{shown} does not exist")),
        _ => unreadable(path, &error),
    };
    if path.is_symlink() && !path.exists() {
        return Err(no_answer(format!("{shown} is a link to nothing")));
    }
    let real = path.canonicalize().map_err(unreadable)?;
    if !folder.canonicalize().is_ok_and(|folder| real.starts_with(folder)) {
        let why = format!("{shown} is a link to {}, outside its folder", real.display());
        return Err(no_answer(why));
    }
    let irregular = || no_answer(format!("{shown} is not a regular file"));
    if !real.symlink_metadata().map_err(unreadable)?.is_file() {
        return Err(irregular());
    }
    // The file may have been replaced meanwhile.
    let flags = OFlags::NONBLOCK | OFlags::NOFOLLOW;
    let file =
        OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(&real).map_err(unreadable)?;
    let is_file = file.metadata().map_err(unreadable)?.is_file();
    if is_file { Ok(file) } else { Err(irregular()) }
}

/// Returns the hash of all answers in a folder, with the names of their files.
pub(super) fn fingerprint(folder: &Path) -> Digest {
    let paths = answer_files(folder).map_err(|error| error.to_string().into_bytes());
    let mut parts = vec![b"answers".to_vec()];
    match paths {
        Ok(paths) => parts.extend(paths.iter().flat_map(|path| {
            let name = path.file_name().unwrap_or_default().as_bytes().to_vec();
            [name, content(folder, path).unwrap_or_else(|why| format!("{why:?}").into_bytes())]
        })),
        Err(why) => parts.push(why),
    }
    Digest::of_parts(&parts)
}

/// Returns the paths of all answers, sorted.
fn answer_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths: Vec<PathBuf> =
        folder.read_dir()?.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<_>>()?;
    paths.retain(|path| path.as_os_str().as_bytes().ends_with(ENDING.as_bytes()));
    paths.sort();
    Ok(paths)
}

fn content(folder: &Path, path: &Path) -> Result<Vec<u8>, NoAnswer> {
    let file = open(folder, path)?;
    let unreadable = |error: io::Error| unreadable(path, &error);
    let found = file.metadata().map_err(unreadable)?;
    if found.len() > MAX_HASHED {
        return Ok(format!("{} {} {}", found.len(), found.mtime(), found.mtime_nsec()).into_bytes());
    }
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(file.take(MAX_HASHED)).map_err(unreadable)?;
    Ok(hasher.finalize().as_bytes().to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    /// Returns the answer, or the code of the verdict and the reason without the folder.
    fn read(folder: &Path, case: &str, limit: u64) -> String {
        let said = |text: String| text.replace(&format!("{}/", folder.display()), "");
        match read_answer(folder, &case.into(), Bytes(limit)) {
            Ok(answer) => String::from_utf8(answer).unwrap(),
            Err((verdict, why)) => said(format!("{} {why}", verdict.code())),
        }
    }

    #[test]
    fn an_answer_is_a_regular_file_of_its_folder() {
        let top = tempfile::tempdir().unwrap();
        let folder = top.path().join("answers");
        std::fs::create_dir_all(folder.join("dir.out")).unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
        write("a.out", "12345");
        write("b#2.out", "own");
        write("b.out", "shared");
        std::fs::write(top.path().join("secret"), "secret").unwrap();
        symlink("a.out", folder.join("link.out")).unwrap();
        symlink("../secret", folder.join("outside.out")).unwrap();
        symlink("loop.out", folder.join("loop.out")).unwrap();
        let fifo = folder.join("fifo.out");
        rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
        let secret = top.path().join("secret").canonicalize().unwrap();
        for (case, expected) in [
            ("a", "12345".to_owned()),
            ("a#7", "12345".to_owned()),
            ("b#2", "own".to_owned()),
            ("b#3", "shared".to_owned()),
            ("link", "12345".to_owned()),
            ("missing", "WA no answer: missing.out does not exist".to_owned()),
            ("dir", "WA no answer: dir.out is not a regular file".to_owned()),
            ("fifo", "WA no answer: fifo.out is not a regular file".to_owned()),
            ("outside", format!("WA no answer: outside.out is a link to {}, outside its folder", secret.display())),
            ("loop", "WA no answer: loop.out is a link to nothing".to_owned()),
        ] {
            assert_eq!(
                read(&folder, case, 5),
                if case == "b#3" { "OLE more than 5 B in b.out".to_owned() } else { expected }
            );
        }
        assert_eq!(read(&folder, "b#3", 6), "shared");
    }

    #[test]
    fn the_answers_are_the_identity_and_not_their_place() {
        let [here, there] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        for folder in [&here, &there] {
            std::fs::write(folder.path().join("a.out"), "1").unwrap();
            std::fs::write(folder.path().join("b.out"), "2").unwrap();
        }
        let before = fingerprint(here.path());
        assert_eq!(before, fingerprint(there.path()));
        std::fs::write(there.path().join("notes.txt"), "x").unwrap();
        assert_eq!(before, fingerprint(there.path()));
        std::fs::rename(there.path().join("b.out"), there.path().join("c.out")).unwrap();
        assert_ne!(before, fingerprint(there.path()));
        std::fs::write(here.path().join("b.out"), "3").unwrap();
        assert_ne!(before, fingerprint(here.path()));
    }
}
