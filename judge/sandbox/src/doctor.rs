//! Surveys the machine: which tiers work, what each lacks and how to get it, and what makes timings noisy.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::fs::Access;
use rustix::thread::CapabilitySet;

use crate::cgroup::site::{Site, Version};
use crate::confine::{identity, landlock};
use crate::cores::Cores;
use crate::process::{OWN_EXECUTABLE, in_child};
use crate::tier::{Gap, Options, Tier};
use crate::watch::gauges::TreeClock;
use crate::{sandbox, scratch, tier_cache};

/// The result of [`survey`].
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Survey {
    /// All tiers that isolate, strongest first.
    pub tiers: Vec<TierReport>,
    /// The kernel features that tiers need.
    pub features: Vec<Feature>,
    /// What makes timings noisy.
    pub machine: Machine,
}

/// One tier on this machine.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct TierReport {
    /// The tier.
    pub tier: Tier,
    /// Why it does not work here; `None` if it does.
    pub missing: Option<String>,
    /// What it does not guarantee, if it works.
    pub gaps: Vec<Gap>,
    /// Commands that make it work; `None` if it works or is not needed.
    pub remedy: Option<Cow<'static, str>>,
}

/// A kernel feature that tiers need.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Feature {
    /// Its name: `"landlock"`.
    pub name: &'static str,
    /// Its purpose.
    pub purpose: &'static str,
    /// What was found: `"version 7"`; or why it is missing: `"not in this kernel"`.
    pub state: Result<String, String>,
    /// How to get it, if it is missing.
    pub remedy: Option<&'static str>,
}

/// The properties of the machine that affect timings. `None` means unknown.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Machine {
    /// The cores that this process may use.
    pub cores: Cores,
    /// The frequency governors in use: `"powersave"` makes short runs slow.
    pub governors: Vec<String>,
    /// Runnable processes, averaged over a minute.
    pub load: Option<f64>,
    /// Swap space in bytes: a program that is swapped out is slow without using CPU time.
    pub swap: Option<u64>,
}

/// Examines the machine and tries each tier, which takes some tens of milliseconds. Clears the tier cache, so that the
/// next start tries again.
pub fn survey(options: &Options) -> Survey {
    if let Some(folder) = &options.tier_cache {
        tier_cache::forget_all(folder);
    }
    let executable = options.helper.clone().unwrap_or_else(|| OWN_EXECUTABLE.into());
    let scratch = options.scratch.clone().unwrap_or_else(scratch::temporary);
    let root = rustix::process::geteuid().is_root();
    let is_restricted = is_set(Path::new(USERNS_RESTRICTED));
    let safe = Tier::ALL.into_iter().filter(|tier| *tier != Tier::Unsafe);
    let tiers = safe.map(|tier| match sandbox::try_tier(tier, &executable, &scratch, None) {
        Ok(found) => TierReport { tier, missing: None, gaps: found.gaps().to_vec(), remedy: None },
        Err(error) => {
            let remedy = match tier {
                _ if error.shortage => Some(SHORTAGE.into()),
                // Landlock is there: the folder for temporary files fails, or something that the features show.
                Tier::Bare if landlock::version() > 0 => is_closed(&scratch).then(|| TEMPORARY_FOLDER.into()),
                Tier::Userns if root && !identity::has(CapabilitySet::SETFCAP) && makes_user_namespaces() => {
                    Some(MAP_ROOT.into())
                }
                Tier::Userns if is_restricted => {
                    Some(allow_namespaces_to(&std::env::current_exe().unwrap_or_default()).into())
                }
                _ => remedy_for(tier, root).map(Cow::Borrowed),
            };
            TierReport { tier, missing: Some(error.why), gaps: Vec::new(), remedy }
        }
    });
    Survey { tiers: tiers.collect(), features: features(root), machine: machine() }
}

const SHORTAGE: &str = "a higher limit (`ulimit -a` shows all), space in the temporary folder, or fewer programs that use up \
                        open files and processes";

const TEMPORARY_FOLDER: &str = "a temporary folder that exists and that you can write to: TMPDIR=FOLDER judge …";

const USER_NAMESPACES: &str = "sudo sysctl -w kernel.unprivileged_userns_clone=1 user.max_user_namespaces=10000; in docker: docker run \
     --security-opt seccomp=unconfined …; where AppArmor restricts them, the tier `userns` has a hint of its own";

/// Without this capability root can make a user namespace, but since Linux 5.12 not map itself into it.
const MAP_ROOT: &str = "in docker: docker run --user 1000 …, or --cap-add SETFCAP …";

/// Contains 1 if AppArmor allows user namespaces only to programs with a profile, as on Ubuntu since 23.10.
const USERNS_RESTRICTED: &str = "/proc/sys/kernel/apparmor_restrict_unprivileged_userns";

/// Where the judge is installed, unless it is in another place that only root can write.
const INSTALLED: &str = "/usr/local/bin/judge";

const LANDLOCK: &str = "a kernel of version 5.13 or later, started with lsm=landlock,… (see /sys/kernel/security/lsm)";

const SECCOMP: &str = "a kernel with CONFIG_SECCOMP_FILTER";

const TREE_CLOCK: &str = "sudo sysctl -w kernel.perf_event_paranoid=2";

const PROC: &str = "sudo mount -t proc proc /proc";

/// How an ordinary user, or `root`, gets a control group.
fn control_group_for(root: bool) -> &'static str {
    if root {
        "in docker: docker run --privileged …; elsewhere: sudo mount -t cgroup2 none /sys/fs/cgroup"
    } else {
        "systemd-run --user --scope -p Delegate=yes judge …"
    }
}

/// Whether this user can make no folder there.
fn is_closed(folder: &Path) -> bool {
    !folder.is_dir() || rustix::fs::access(folder, Access::WRITE_OK | Access::EXEC_OK).is_err()
}

fn is_set(switch: &Path) -> bool {
    fs::read_to_string(switch).is_ok_and(|text| text.trim() == "1")
}

/// Returns the commands that allow user namespaces to the judge alone. A profile belongs to a path. If a user could
/// write there, any program of that user could get the same right.
fn allow_namespaces_to(executable: &Path) -> String {
    let is_roots = is_writable_by_root_alone(executable);
    let place = if is_roots { executable } else { Path::new(INSTALLED) };
    let install = (!is_roots)
        .then(|| format!("sudo install -m 755 '{}' {INSTALLED}    # and run that one\n", executable.display()));
    format!(
        "AppArmor restricts user namespaces; a profile allows them to the judge alone:\n{}\
         sudo tee /etc/apparmor.d/judge <<'END'\n\
         abi <abi/4.0>,\n\
         include <tunables/global>\n\
         profile judge \"{}\" flags=(unconfined) {{\n  userns,\n}}\n\
         END\n\
         sudo apparmor_parser -r /etc/apparmor.d/judge",
        install.unwrap_or_default(),
        place.display()
    )
}

/// Returns whether only root can replace a file: no other user owns or can write the file or a folder above it.
fn is_writable_by_root_alone(path: &Path) -> bool {
    let is_roots = |path: &Path| path.metadata().is_ok_and(|found| found.uid() == 0 && found.mode() & 0o022 == 0);
    path.is_absolute() && path.ancestors().all(is_roots)
}

fn remedy_for(tier: Tier, root: bool) -> Option<&'static str> {
    match tier {
        Tier::Root if !root => Some("sudo judge …"),
        Tier::Delegated if root => None,
        Tier::Root | Tier::Delegated => Some(control_group_for(root)),
        Tier::Userns => Some(USER_NAMESPACES),
        Tier::Bare => Some(LANDLOCK),
        Tier::Unsafe => None,
    }
}

fn features(root: bool) -> Vec<Feature> {
    let feature = |name, purpose, state, remedy| Feature { name, purpose, state, remedy: Some(remedy) };
    let works_if = |works: bool, found: &str, missing: &str| {
        if works { Ok(found.to_owned()) } else { Err(missing.to_owned()) }
    };
    let landlock = match landlock::version() {
        0 => Err("not in this kernel, or disabled".to_owned()),
        version => Ok(format!("version {version}")),
    };
    let cgroup = Site::find().map(|site| {
        let version = if site.version == Version::Two { 2 } else { 1 };
        format!("version {version} at {}", site.memory.display())
    });
    let seccomp = works_if(knows_seccomp(), "works", "not in this kernel");
    let namespaces = works_if(makes_user_namespaces(), "can be created", "creation is refused");
    let clock = works_if(TreeClock::open().is_some(), "works", "perf events are refused");
    let proc = works_if(Path::new("/proc/self/task").exists(), "mounted", "no /proc");
    vec![
        feature("landlock", "restricts file access without privileges", landlock, LANDLOCK),
        feature("seccomp", "refuses system calls that other mechanisms let through", seccomp, SECCOMP),
        feature(
            "user namespace",
            "isolates mounts, process ids and networks without root",
            namespaces,
            USER_NAMESPACES,
        ),
        feature(
            "control group",
            "limits and measures memory, processes and CPU time of process trees",
            cgroup,
            control_group_for(root),
        ),
        feature("tree clock", "exact CPU time of several processes without a control group", clock, TREE_CLOCK),
        feature("/proc", "processes and their memory, without a control group", proc, PROC),
    ]
}

fn makes_user_namespaces() -> bool {
    // SAFETY: a system call without pointers, in a process of its own.
    unsafe { in_child(|| libc::unshare(libc::CLONE_NEWUSER) == 0) }
}

/// With a null pointer, a kernel that knows filters answers EFAULT.
fn knows_seccomp() -> bool {
    // SAFETY: only the kernel looks at the null pointer, and refuses it.
    let answer = unsafe { libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, std::ptr::null::<u8>()) };
    answer != 0 && std::io::Error::last_os_error().raw_os_error() == Some(libc::EFAULT)
}

fn machine() -> Machine {
    Machine {
        cores: Cores::here(),
        governors: governors(Path::new("/sys/devices/system/cpu")),
        load: fs::read_to_string("/proc/loadavg").ok().and_then(|text| text.split(' ').next()?.parse().ok()),
        swap: fs::read_to_string("/proc/meminfo").ok().as_deref().and_then(swap),
    }
}

fn governors(cpus: &Path) -> Vec<String> {
    let entries = fs::read_dir(cpus).into_iter().flatten().flatten();
    let found = entries.filter_map(|entry| fs::read_to_string(entry.path().join("cpufreq/scaling_governor")).ok());
    found.map(|governor| governor.trim().to_owned()).collect::<BTreeSet<_>>().into_iter().collect()
}

fn swap(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("SwapTotal:"))?;
    Some(line.trim().strip_suffix(" kB")?.parse::<u64>().ok()? * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_is_read() {
        assert_eq!(swap("MemTotal: 3 kB\nSwapTotal:     1024 kB\n"), Some(1 << 20));
        assert_eq!(swap("MemTotal: 3 kB\n"), None);
        assert!(!machine().cores.numbers.is_empty());
    }

    #[test]
    fn user_namespaces_are_allowed_to_the_judge_alone() {
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().join("judge");
        fs::write(&own, "").unwrap();
        let commands = allow_namespaces_to(&own);
        assert!(commands.contains(&format!("sudo install -m 755 '{}' {INSTALLED}", own.display())), "{commands}");
        assert!(
            commands.contains("profile judge \"/usr/local/bin/judge\" flags=(unconfined) {\n  userns,\n}"),
            "{commands}"
        );
        assert!(!commands.contains("sysctl"), "the protection stays on: {commands}");
        // `/` itself may belong to another user in a container.
        if is_writable_by_root_alone(Path::new("/usr/bin/env")) {
            let commands = allow_namespaces_to(Path::new("/usr/bin/env"));
            assert!(commands.contains("profile judge \"/usr/bin/env\"") && !commands.contains("install"), "{commands}");
        }
        assert!(!is_set(&own));
        fs::write(&own, "1\n").unwrap();
        assert!(is_set(&own));
    }

    #[test]
    fn governors_are_named_once() {
        let cpus = tempfile::tempdir().unwrap();
        for core in ["cpu0", "cpu1"] {
            fs::create_dir_all(cpus.path().join(core).join("cpufreq")).unwrap();
            fs::write(cpus.path().join(core).join("cpufreq/scaling_governor"), "powersave\n").unwrap();
        }
        assert_eq!(governors(cpus.path()), ["powersave"]);
    }

    #[test]
    fn every_tier_that_can_be_missing_has_a_remedy() {
        for root in [true, false] {
            for feature in features(root) {
                assert!(!feature.purpose.is_empty() && feature.remedy.is_some());
            }
            for tier in Tier::ALL {
                let never = tier == Tier::Unsafe || (tier == Tier::Delegated && root);
                assert_eq!(remedy_for(tier, root).is_none(), never, "{tier} as root: {root}");
            }
        }
    }
}
