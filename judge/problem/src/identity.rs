//! Identities of inputs, answers, programs, checkers and runs. Contents with the same hash count as the same.

use crate::text::InvalidText;
use std::fmt;
use std::str::FromStr;

/// A BLAKE3 hash.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest(pub [u8; 32]);

impl Digest {
    /// Returns the hash of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
    }

    /// Returns the hash of a list of texts. Each text is hashed with its length, so that different lists have different
    /// hashes.
    pub fn of_parts(parts: impl IntoIterator<Item: AsRef<[u8]>>) -> Self {
        let mut hasher = blake3::Hasher::new();
        for part in parts {
            let part = part.as_ref();
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
        }
        Self(*hasher.finalize().as_bytes())
    }

    /// Returns the first ten digits.
    pub fn short(&self) -> String {
        self.to_string()[..10].to_owned()
    }
}

/// Hashes bytes that come in pieces.
#[derive(Debug, Default)]
pub struct DigestWriter {
    hasher: blake3::Hasher,
    /// Short pieces are collected, because long ones are hashed several times faster.
    gathered: Vec<u8>,
}

/// Pieces are collected up to this length.
const GATHERED: usize = 1 << 16;

impl DigestWriter {
    /// Adds bytes.
    pub fn write(&mut self, bytes: &[u8]) {
        self.gathered.extend_from_slice(bytes);
        if self.gathered.len() >= GATHERED {
            self.hasher.update(&self.gathered);
            self.gathered.clear();
        }
    }

    /// Returns the hash of the bytes so far.
    pub fn digest(&mut self) -> Digest {
        self.hasher.update(&self.gathered);
        self.gathered.clear();
        Digest(*self.hasher.finalize().as_bytes())
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&blake3::Hash::from_bytes(self.0).to_hex())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Digest({self})")
    }
}

impl FromStr for Digest {
    type Err = InvalidText;

    fn from_str(text: &str) -> Result<Self, InvalidText> {
        let expected = |_| InvalidText::expected("a hash of 64 hexadecimal digits", text);
        blake3::Hash::from_hex(text).map(|hash| Self(*hash.as_bytes())).map_err(expected)
    }
}

/// The identity of a checker. Scores of different checkers or checker versions are not comparable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckerIdentity {
    /// The id of a built-in checker, or the command of an external one with a hash of the files that it names.
    pub name: String,
    /// The version of a built-in checker; 0 for an external one.
    pub version: u32,
}

impl fmt::Display for CheckerIdentity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.version {
            0 => formatter.write_str(&self.name),
            version => write!(formatter, "{} {version}", self.name),
        }
    }
}

/// The number of a run in its journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunId(pub i64);

impl fmt::Display for RunId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_is_read_as_it_is_written() {
        let digest = Digest::of(b"abc");
        assert_eq!(digest.to_string(), "6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85");
        assert_eq!(digest.to_string().parse(), Ok(digest));
        assert_eq!(digest.short(), "6437b3ac38");
        assert!("6437".parse::<Digest>().is_err());
    }

    #[test]
    fn lists_do_not_run_together() {
        assert_ne!(Digest::of_parts([&b"ab"[..], b"c"]), Digest::of_parts([&b"a"[..], b"bc"]));
        assert_ne!(Digest::of_parts([&b""[..]]), Digest::of_parts([b""; 0]));
    }

    #[test]
    fn the_version_is_shown_where_there_is_one() {
        let shown = |name: &str, version| CheckerIdentity { name: name.to_owned(), version }.to_string();
        assert_eq!(shown("columns", 2), "columns 2");
        assert_eq!(shown("./check #0a1b", 0), "./check #0a1b");
    }
}
