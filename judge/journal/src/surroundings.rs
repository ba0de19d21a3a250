//! Where and when a run takes place: the machine, and the state of the sources in the current folder.

use judge_run::command;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::sync::OnceLock;
use std::time::Duration;

/// A repository so large that this does not suffice is recorded without its commit.
const GIT_LIMIT: Duration = Duration::from_secs(2);

/// Where a run takes place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// The machine's name.
    pub host: String,
    /// The kernel's release.
    pub kernel: String,
    /// The processor, as it calls itself.
    pub cpu_model: String,
    /// The commit that is checked out in the current folder, if there is one.
    pub git_commit: Option<String>,
    /// Whether tracked files differ from that commit.
    pub git_dirty: Option<bool>,
}

impl Surroundings {
    /// Returns the machine alone, without the sources.
    #[must_use]
    pub fn machine() -> Self {
        let system = rustix::system::uname();
        let text = |text: &std::ffi::CStr| text.to_string_lossy().into_owned();
        let cpu_model = cpu_model().unwrap_or_else(|| text(system.machine()));
        Self { host: text(system.nodename()), kernel: text(system.release()), cpu_model, ..Self::default() }
    }

    /// Returns the machine and the sources in this folder. Unknown parts are empty.
    #[must_use]
    pub fn look(folder: &Path) -> Self {
        let here = Self::machine();
        if !may_have_sources(folder) {
            return here;
        }
        if names_programs(folder) {
            let commit = git(folder, &["rev-parse", "--verify", "HEAD"]).map(|commit| commit.trim().to_owned());
            return Self { git_commit: commit, ..here };
        }
        match git(folder, &["status", "--porcelain=v2", "--branch", "--untracked-files=no", "--ignore-submodules=all"])
        {
            Some(status) => Self { git_commit: commit(&status), git_dirty: Some(is_dirty(&status)), ..here },
            None => here,
        }
    }
}

/// Whether git can find a repository with a work tree from here. To ask git itself takes longer than to run a case.
fn may_have_sources(folder: &Path) -> bool {
    let is_named = std::env::var_os("GIT_DIR").is_some();
    is_named || folder.canonicalize().is_ok_and(|folder| folder.ancestors().any(|above| above.join(".git").exists()))
}

/// The name of the first core's processor. The kernel asks each core that is read of, so the others are left out.
fn cpu_model() -> Option<String> {
    static MODEL: OnceLock<Option<String>> = OnceLock::new();
    let read = || {
        let text = BufReader::with_capacity(1024, File::open("/proc/cpuinfo").ok()?);
        let line = text.lines().map_while(Result::ok).find(|line| line.starts_with("model name"))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    };
    MODEL.get_or_init(read).clone()
}

/// What git says, if it is there and succeeds. A repository may have come with a solver: git starts no monitor and fetches
/// nothing, even if its settings ask for it.
fn git(folder: &Path, arguments: &[&str]) -> Option<String> {
    let start = ["env", "GIT_ALLOW_PROTOCOL=", "GIT_NO_LAZY_FETCH=1", "git", "--no-optional-locks"];
    let words = start.iter().chain(&["-c", "core.fsmonitor=false"]).chain(arguments);
    let words: Vec<_> = words.map(Into::into).collect();
    let finished = command::run(&words, folder, GIT_LIMIT, None).ok()?;
    finished.status.success().then(|| String::from_utf8_lossy(&finished.stdout).into_owned())
}

/// Whether the settings of the repository itself name filters: programs that git would start to compare files. Those that
/// the user's own settings name are the user's.
fn names_programs(folder: &Path) -> bool {
    let settings = git(folder, &["config", "--list", "--show-scope", "--name-only"]).unwrap_or_default();
    settings
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .any(|(scope, name)| matches!(scope, "local" | "worktree") && name.to_ascii_lowercase().starts_with("filter."))
}

fn commit(status: &str) -> Option<String> {
    let commit = status.lines().find_map(|line| line.strip_prefix("# branch.oid "))?;
    (commit != "(initial)").then(|| commit.to_owned())
}

fn is_dirty(status: &str) -> bool {
    status.lines().any(|line| !line.starts_with('#'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_commit_and_the_changes_are_read() {
        let clean = "# branch.oid 0123abc\n# branch.head main\n";
        assert_eq!((commit(clean).as_deref(), is_dirty(clean)), (Some("0123abc"), false));
        assert!(is_dirty(&format!("{clean}1 .M N... 100644 100644 100644 aa bb README.md\n")));
        assert_eq!(commit("# branch.oid (initial)\n# branch.head main\n"), None);
    }

    #[test]
    fn git_is_asked_in_and_below_a_repository_alone() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join("repository/deep");
        std::fs::create_dir_all(&deep).unwrap();
        assert!(!may_have_sources(&deep));
        // In a linked work tree it is a file.
        std::fs::write(folder.path().join("repository/.git"), "gitdir: elsewhere").unwrap();
        assert!(may_have_sources(&deep) && !may_have_sources(folder.path()));
    }

    #[test]
    fn the_machine_has_a_name_and_a_processor() {
        let here = Surroundings::look(Path::new("/"));
        assert!(!here.kernel.is_empty() && !here.cpu_model.is_empty(), "{here:?}");
    }
}
