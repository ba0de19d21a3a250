//! Looks over the machine: which tiers work, what each lacks and how to get it, and what makes timings noisy.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::cgroup_site::Site;
use crate::cores::Cores;
use crate::landlocked;
use crate::meter::TreeClock;
use crate::probe;
use crate::tier::{Gap, Options, Tier};

/// What `judge doctor` tells.
#[derive(Debug, Clone)]
pub struct Survey {
    /// One for each tier that is safe, strongest first.
    pub tiers: Vec<TierReport>,
    /// What the tiers are made of.
    pub features: Vec<Feature>,
    /// What makes timings noisy.
    pub machine: Machine,
}

/// One tier on this machine.
#[derive(Debug, Clone)]
pub struct TierReport {
    /// Which.
    pub tier: Tier,
    /// Why it does not work here; `None` when it does.
    pub missing: Option<String>,
    /// What does not hold in it, if it works.
    pub gaps: Vec<Gap>,
    /// Commands that make it work, if it does not.
    pub remedy: Option<&'static str>,
}

/// One thing of the kernel's that tiers need.
#[derive(Debug, Clone)]
pub struct Feature {
    /// Its name: `"landlock"`.
    pub name: &'static str,
    /// What it is good for.
    pub purpose: &'static str,
    /// What was found, in a word or two: `"version 7"`.
    pub found: Result<String, String>,
    /// How to get it, if it is missing.
    pub remedy: Option<&'static str>,
}

/// The machine, as far as it bears on timings. What cannot be read is absent.
#[derive(Debug, Clone, PartialEq)]
pub struct Machine {
    /// What this process may run on.
    pub cores: Cores,
    /// The frequency governors in use: `"powersave"` makes short runs slow.
    pub governors: Vec<String>,
    /// Runnable processes, averaged over a minute.
    pub load: Option<f64>,
    /// Swap space in bytes: a program that is swapped out is slow without using CPU time.
    pub swap: Option<u64>,
}

/// Looks at everything. Tries each tier, which takes some tens of milliseconds.
pub fn survey(options: &Options) -> Survey {
    let executable = options.helper.clone().unwrap_or_else(|| "/proc/self/exe".into());
    let scratch = options.scratch.clone().unwrap_or_else(std::env::temp_dir);
    let safe = Tier::ALL.into_iter().filter(|tier| *tier != Tier::Unsafe);
    let tiers = safe.map(|tier| match probe::attempt(tier, &executable, &scratch) {
        Ok(found) => TierReport { tier, missing: None, gaps: found.gaps, remedy: None },
        Err(why) => TierReport { tier, missing: Some(why), gaps: Vec::new(), remedy: remedy_for(tier) },
    });
    Survey { tiers: tiers.collect(), features: features(), machine: machine() }
}

fn remedy_for(tier: Tier) -> Option<&'static str> {
    match tier {
        Tier::Root => Some("sudo judge …"),
        Tier::Delegated => Some("systemd-run --user --scope -p Delegate=yes judge …"),
        Tier::Userns => Some(
            "sudo sysctl -w kernel.unprivileged_userns_clone=1 user.max_user_namespaces=10000; on Ubuntu also: \
             sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0; in docker: --security-opt seccomp=unconfined",
        ),
        Tier::Bare => Some("a kernel of version 5.13 or later, started with lsm=landlock,… on its command line"),
        Tier::Unsafe => None,
    }
}

fn features() -> Vec<Feature> {
    let landlock = match landlocked::version() {
        0 => Err("not in this kernel, or not switched on".to_owned()),
        version => Ok(format!("version {version}")),
    };
    let cgroup = Site::find().map(|site| format!("{:?} at {}", site.version, site.memory.display()));
    let clock = TreeClock::open().map(|_| "works".to_owned()).ok_or_else(|| "perf events are refused".to_owned());
    let tasks =
        if Path::new("/proc/self/task").exists() { Ok("mounted".to_owned()) } else { Err("no /proc".to_owned()) };
    vec![
        Feature {
            name: "landlock",
            purpose: "keeps programs away from files without any rights of the judge's",
            found: landlock,
            remedy: Some("start the kernel with lsm=landlock,… (see /sys/kernel/security/lsm)"),
        },
        Feature {
            name: "control group",
            purpose: "limits and measures memory, processes and CPU time of whole trees",
            found: cgroup,
            remedy: Some("systemd-run --user --scope -p Delegate=yes judge …"),
        },
        Feature {
            name: "tree clock",
            purpose: "exact CPU time of several processes without a control group",
            found: clock,
            remedy: Some("sudo sysctl -w kernel.perf_event_paranoid=2"),
        },
        Feature {
            name: "/proc",
            purpose: "what runs, and what it holds, without a control group",
            found: tasks,
            remedy: Some("sudo mount -t proc proc /proc"),
        },
    ]
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
        assert!(!machine().cores.numbers().is_empty());
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
        for feature in features() {
            assert!(!feature.purpose.is_empty() && feature.remedy.is_some());
        }
        for tier in Tier::ALL {
            assert_eq!(remedy_for(tier).is_some(), tier != Tier::Unsafe);
        }
    }
}
