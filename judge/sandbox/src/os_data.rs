//! Serialises paths and plain bytes as byte strings. Serde itself refuses paths that are not UTF-8, and writes bytes one
//! by one. To be used as `#[serde(with = "crate::os_data")]`.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Byte strings, and collections of paths.
pub(crate) trait OsData: Sized {
    /// Writes `self`.
    fn put<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error>;
    /// Reads what [`OsData::put`] wrote.
    fn take<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error>;
}

/// For `#[serde(with)]`.
pub(crate) fn serialize<T: OsData, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    value.put(serializer)
}

/// For `#[serde(with)]`.
pub(crate) fn deserialize<'de, T: OsData, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    T::take(deserializer)
}

impl OsData for Vec<u8> {
    fn put<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self)
    }

    fn take<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        <&[u8]>::deserialize(deserializer).map(<[u8]>::to_vec)
    }
}

impl OsData for PathBuf {
    fn put<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.as_os_str().as_bytes())
    }

    fn take<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::take(deserializer).map(|bytes| OsString::from_vec(bytes).into())
    }
}

impl<T: OsData> OsData for Vec<T> {
    fn put<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter().map(Borrowed))
    }

    fn take<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Vec::<Owned<T>>::deserialize(deserializer)?.into_iter().map(|Owned(item)| item).collect())
    }
}

impl<T: OsData> OsData for Option<T> {
    fn put<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.as_ref().map(Borrowed).serialize(serializer)
    }

    fn take<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Option::<Owned<T>>::deserialize(deserializer)?.map(|Owned(value)| value))
    }
}

struct Borrowed<'a, T>(&'a T);

impl<T: OsData> Serialize for Borrowed<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.put(serializer)
    }
}

struct Owned<T>(T);

impl<'de, T: OsData> Deserialize<'de> for Owned<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::take(deserializer).map(Owned)
    }
}
