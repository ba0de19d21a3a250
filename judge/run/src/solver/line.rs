//! The placeholders in the commands of languages.

use judge_problem::{Bytes, fill_placeholders};
use std::ffi::OsString;
use std::path::PathBuf;

const MIB: u64 = 1 << 20;

/// Beyond this much memory, there is no limit that matters.
const MOST_MIB: u64 = 1 << 20;

/// What a runtime needs beside its heap.
const RESERVE_MIB: u64 = 96;

/// The values of placeholders.
#[derive(Debug, Default)]
pub(super) struct Values {
    /// `{source}`
    pub(super) source: PathBuf,
    /// `{sources}`, which is several words.
    pub(super) sources: Vec<PathBuf>,
    /// `{out}`
    pub(super) out: PathBuf,
    /// `{stem}`
    pub(super) stem: OsString,
    /// `{program}`
    pub(super) program: PathBuf,
    /// `{class}`
    pub(super) class: OsString,
    /// The memory limit, for `{memory-mb}`, `{heap-mb}` and `{young-mb}`.
    pub(super) memory: Option<Bytes>,
}

impl Values {
    /// Returns a text with all placeholders but `{sources}` replaced.
    pub(super) fn fill_text(&self, text: &str) -> OsString {
        fill_placeholders(text, |name| self.value(name))
    }

    fn value(&self, name: &str) -> Option<OsString> {
        let of_memory = |share: fn(u64) -> u64| {
            let mib = (self.memory?.0 / MIB).clamp(1, MOST_MIB);
            Some(share(mib).to_string().into())
        };
        match name {
            "source" => Some(self.source.clone().into()),
            "out" => Some(self.out.clone().into()),
            "stem" => Some(self.stem.clone()),
            "program" => Some(self.program.clone().into()),
            "class" => Some(self.class.clone()),
            "memory-mb" => of_memory(|mib| mib),
            "heap-mb" => of_memory(heap),
            "young-mb" => of_memory(young),
            _ => None,
        }
    }
}

/// Returns how large the heap of a runtime may become: half of the memory, or all but a reserve, whichever is more.
fn heap(mib: u64) -> u64 {
    (mib / 2).max(mib.saturating_sub(RESERVE_MIB)).max(1)
}

/// Returns how large a part of the heap for young objects may become, of which a runtime has three: a sixteenth of the
/// heap, and no more than 16.
fn young(mib: u64) -> u64 {
    (heap(mib) / 16).clamp(1, 16)
}

/// Returns the words of a command with its placeholders replaced.
///
/// # Errors
/// When its quotes do not match, or it is empty.
pub(super) fn fill(line: &str, values: &Values) -> Result<Vec<OsString>, String> {
    let words = shell_words::split(line).ok().filter(|words| !words.is_empty());
    let words = words.ok_or_else(|| format!("`{line}` is not a command line: its quotes do not match"))?;
    let expand = |word: String| -> Vec<OsString> {
        match &*word {
            "{sources}" => values.sources.iter().map(|source| source.clone().into_os_string()).collect(),
            _ => vec![values.fill_text(&word)],
        }
    };
    Ok(words.into_iter().flat_map(expand).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStringExt;

    fn filled(line: &str, memory: Bytes) -> Vec<OsString> {
        let values = Values {
            source: "a b.c".into(),
            sources: vec!["a b.c".into(), "d.c".into()],
            out: "out".into(),
            memory: Some(memory),
            ..Values::default()
        };
        fill(line, &values).unwrap()
    }

    #[test]
    fn placeholders_are_filled_after_splitting() {
        let words = filled("cc -o {out}/main 'x {source}' {sources} {other}", Bytes(0));
        assert_eq!(words, ["cc", "-o", "out/main", "x a b.c", "a b.c", "d.c", "{other}"]);
        let odd = PathBuf::from(OsString::from_vec(b"{out}\xff.c".to_vec()));
        let values = Values { source: odd.clone(), ..Values::default() };
        assert_eq!(fill("cc {source}", &values).unwrap(), [OsStr::new("cc"), odd.as_os_str()]);
        assert!(fill("", &Values::default()).is_err() && fill("'a", &Values::default()).is_err());
    }

    #[test]
    fn a_heap_leaves_room_for_what_is_beside_it() {
        let of = |mib: u64| filled("-m{memory-mb} -h{heap-mb} -y{young-mb}", Bytes(mib << 20));
        assert_eq!(of(64), ["-m64", "-h32", "-y2"]);
        assert_eq!(of(256), ["-m256", "-h160", "-y10"]);
        assert_eq!(of(1024), ["-m1024", "-h928", "-y16"]);
        assert_eq!(of(0), ["-m1", "-h1", "-y1"]);
        assert_eq!(filled("{memory-mb}", Bytes(u64::MAX)), ["1048576"]);
    }
}
