//! The flags that programs may give: what is not known is refused.

use libc::c_int;

const MADV_GUARD_INSTALL: c_int = 102;
const MADV_GUARD_REMOVE: c_int = 103;
const MFD_NOEXEC_SEAL: u32 = 0x08;
const MFD_EXEC: u32 = 0x10;

/// About the program's own memory. Others take a file's pages out of memory, put them into other ones, or merge them, which
/// all who have the file notice, and tell what others have in theirs.
pub(crate) const ADVICE: [c_int; 20] = [
    libc::MADV_DONTNEED,
    libc::MADV_FREE,
    libc::MADV_HUGEPAGE,
    libc::MADV_NOHUGEPAGE,
    libc::MADV_NORMAL,
    libc::MADV_RANDOM,
    libc::MADV_SEQUENTIAL,
    libc::MADV_WILLNEED,
    libc::MADV_REMOVE,
    libc::MADV_DONTFORK,
    libc::MADV_DOFORK,
    libc::MADV_DONTDUMP,
    libc::MADV_DODUMP,
    libc::MADV_WIPEONFORK,
    libc::MADV_KEEPONFORK,
    libc::MADV_POPULATE_READ,
    libc::MADV_POPULATE_WRITE,
    libc::MADV_DONTNEED_LOCKED,
    MADV_GUARD_INSTALL,
    MADV_GUARD_REMOVE,
];

/// The kinds of mappings, and how they are placed and filled. Huge pages are out of a stock that all share, and in no
/// process's size.
pub(crate) const MAPPINGS: c_int = libc::MAP_TYPE
    | libc::MAP_FIXED
    | libc::MAP_FIXED_NOREPLACE
    | libc::MAP_ANONYMOUS
    | PLACES
    | libc::MAP_GROWSDOWN
    | libc::MAP_DENYWRITE
    | libc::MAP_EXECUTABLE
    | libc::MAP_LOCKED
    | libc::MAP_NORESERVE
    | libc::MAP_POPULATE
    | libc::MAP_NONBLOCK
    | libc::MAP_STACK
    | libc::MAP_SYNC;

/// `MAP_32BIT` and `MAP_ABOVE4G`.
#[cfg(target_arch = "x86_64")]
const PLACES: c_int = libc::MAP_32BIT | 0x80;
#[cfg(not(target_arch = "x86_64"))]
const PLACES: c_int = 0;

/// How a mapping is moved.
pub(crate) const MOVES: c_int = libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED | libc::MREMAP_DONTUNMAP;

/// Of files without a folder: not out of the stock of huge pages either.
pub(crate) const MEMORY_FILES: u32 = libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL | MFD_EXEC;

/// What becomes of what is written. Others tell what was read lately, or leave no trace of a reading.
pub(crate) const WRITING: c_int = libc::RWF_HIPRI | libc::RWF_DSYNC | libc::RWF_SYNC | libc::RWF_APPEND;
