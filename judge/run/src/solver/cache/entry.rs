//! An entry of the cache as bytes: a hash, then each file's path, mode and content.

use judge_problem::Digest;
use judge_sandbox::WorkFile;
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};

/// Packs the files of the entry with this key.
pub(super) fn pack(key: &Digest, files: &[WorkFile]) -> Vec<u8> {
    let mut content = Vec::new();
    for file in files {
        for part in [file.path.as_os_str().as_bytes(), &[u8::from(file.executable)], &*file.bytes] {
            content.extend((part.len() as u64).to_le_bytes());
            content.extend(part);
        }
    }
    [&hash(key, &content).0[..], &content].concat()
}

/// Returns the files of an entry; `None` if it is not whole, or not the entry of this key.
pub(super) fn unpack(key: &Digest, bytes: &[u8]) -> Option<Vec<WorkFile>> {
    let (expected, mut rest) = bytes.split_at_checked(key.0.len())?;
    if hash(key, rest).0 != *expected {
        return None;
    }
    let mut files = Vec::new();
    while !rest.is_empty() {
        let path = path(part(&mut rest)?)?;
        let executable = part(&mut rest)? == [1];
        files.push(WorkFile { path, bytes: part(&mut rest)?.to_vec(), executable });
    }
    Some(files)
}

fn hash(key: &Digest, content: &[u8]) -> Digest {
    Digest::of_parts([&key.0[..], content])
}

fn part<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (length, after) = rest.split_at_checked(8)?;
    let length = usize::try_from(u64::from_le_bytes(length.try_into().ok()?)).ok()?;
    let (part, after) = after.split_at_checked(length)?;
    *rest = after;
    Some(part)
}

/// Returns a path that stays in its folder.
fn path(bytes: &[u8]) -> Option<PathBuf> {
    let path = PathBuf::from(OsString::from_vec(bytes.to_vec()));
    let stays = |path: &Path| path.components().all(|part| matches!(part, Component::Normal(_)));
    (stays(&path) && !bytes.is_empty()).then_some(path)
}
