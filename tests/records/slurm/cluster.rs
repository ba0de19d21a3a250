//! A cluster of two nodes on this machine: munged, slurmctld and two slurmd in their own folder, on free ports. They
//! are children of the test and end with it.

use crate::support::require::{Need, skip};
use rustix::process::{Pid, Signal, kill_process};
use std::fs::{self, Permissions};
use std::io::Read;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How long anything here may take.
const PATIENCE: Duration = Duration::from_secs(40);

/// The processor of the node `n2` of a mixed cluster.
pub(crate) const OTHER_PROCESSOR: &str = "Another Processor";

/// The largest array of a mixed cluster, and the maximal number of jobs that its controller keeps, including ended
/// ones.
const ARRAY: usize = 25;
const QUEUE: usize = 200;

pub(crate) struct Cluster {
    /// The latest first.
    daemons: Vec<(String, Child)>,
    folder: TempDir,
}

impl Cluster {
    /// Starts a cluster of two nodes with these CPUs each. If Slurm is missing, the test says so.
    pub(crate) fn start(cpus: usize) -> Option<Self> {
        let mut cluster =
            Self::controlled(cpus, &["n1", "n2"], "PartitionName=all Nodes=n1,n2 Default=YES State=UP\n")?;
        cluster.start_node("n1", &[]);
        cluster.start_node("n2", &[]);
        cluster.wait_idle(2);
        Some(cluster)
    }

    /// Starts a cluster whose node `n2` has another processor, and whose node `n3`, in the partition `weak`, cannot isolate
    /// programs as well as the others. Its queue is small.
    pub(crate) fn start_mixed(cpus: usize) -> Option<Self> {
        let settings = format!(
            "PartitionName=all Nodes=n1,n2 Default=YES State=UP\nPartitionName=weak Nodes=n3 State=UP\n\
             MaxArraySize={ARRAY}\nMaxJobCount={QUEUE}\n"
        );
        let mut cluster = Self::controlled(cpus, &["n1", "n2", "n3"], &settings)?;
        let info = fs::read_to_string("/proc/cpuinfo").unwrap();
        let others = info.lines().map(|line| match line.split_once(':') {
            Some((key, _)) if key.starts_with("model name") => format!("{key}: {OTHER_PROCESSOR}\n"),
            _ => format!("{line}\n"),
        });
        let file = cluster.path("cpuinfo");
        fs::write(&file, others.collect::<String>()).unwrap();
        let mount = format!("mount --bind '{}' /proc/cpuinfo && exec \"$@\"", file.display());
        cluster.start_node("n1", &[]);
        cluster.start_node("n2", &["unshare", "--mount", "sh", "-c", &mount, "sh"]);
        cluster.start_node("n3", &["setpriv", "--bounding-set", "-sys_admin", "--inh-caps", "-sys_admin"]);
        cluster.wait_idle(3);
        Some(cluster)
    }

    /// Starts the daemons except those of the nodes.
    fn controlled(cpus: usize, nodes: &[&str], settings: &str) -> Option<Self> {
        if !rustix::process::geteuid().is_root() {
            skip(Need::Slurm, "only root starts a cluster for itself");
            return None;
        }
        for program in ["munged", "slurmctld", "slurmd", "sbatch", "setpriv"] {
            if !on_path(program) {
                skip(Need::Slurm, format!("there is no {program}"));
                return None;
            }
        }
        let folder = tempfile::Builder::new().prefix("judge-test-slurm-").tempdir().unwrap();
        fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
        let mut cluster = Self { daemons: Vec::new(), folder };
        cluster.start_munge();
        cluster.configure(cpus, nodes, settings);
        cluster.daemon("slurmctld", &["slurmctld", "-D"]);
        Some(cluster)
    }

    pub(crate) fn conf(&self) -> PathBuf {
        self.path("slurm.conf")
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn start_munge(&mut self) {
        let munge = self.path("munge");
        fs::create_dir(&munge).unwrap();
        fs::set_permissions(&munge, Permissions::from_mode(0o711)).unwrap();
        let mut key = [0; 128];
        fs::File::open("/dev/urandom").unwrap().read_exact(&mut key).unwrap();
        fs::write(munge.join("key"), key).unwrap();
        fs::set_permissions(munge.join("key"), Permissions::from_mode(0o400)).unwrap();
        assert!(Command::new("chown").args(["-R", "munge:munge"]).arg(&munge).status().unwrap().success());
        let option = |name: &str, file: &str| format!("--{name}={}", munge.join(file).display());
        let files = [
            ("key-file", "key"),
            ("socket", "socket"),
            ("pid-file", "pid"),
            ("log-file", "log"),
            ("seed-file", "seed"),
        ];
        let mut words = vec!["--reuid=munge", "--regid=munge", "--clear-groups", "munged", "--foreground"];
        let options = files.map(|(name, file)| option(name, file));
        words.extend(options.iter().map(String::as_str));
        self.daemon("munged", &words);
        wait("munged", || munge.join("socket").exists());
    }

    fn configure(&self, cpus: usize, nodes: &[&str], settings: &str) {
        let ports: Vec<TcpListener> = (0..=nodes.len()).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
        let ports: Vec<u16> = ports.iter().map(|port| port.local_addr().unwrap().port()).collect();
        let controller = ports[0];
        fs::create_dir(self.path("state")).unwrap();
        let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
        let (host, folder) = (host.trim(), self.folder.path().display());
        let conf = format!(
            "ClusterName=loop\nSlurmctldHost={host}(127.0.0.1)\nSlurmctldPort={controller}\nAuthType=auth/munge\n\
             AuthInfo=socket={folder}/munge/socket,cred_expire=5\nSlurmUser=root\nSlurmdUser=root\n\
             StateSaveLocation={folder}/state\nSlurmdSpoolDir={folder}/spool.%n\nSlurmctldPidFile={folder}/ctld.pid\n\
             SlurmdPidFile={folder}/slurmd.%n.pid\nSlurmctldLogFile={folder}/ctld.log\nSlurmdLogFile={folder}/slurmd.%n.log\n\
             ProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\nSelectType=select/cons_tres\n\
             SelectTypeParameters=CR_Core\nReturnToService=2\nMpiDefault=none\nJobAcctGatherType=jobacct_gather/none\n\
             AccountingStorageType=accounting_storage/none\nSlurmdTimeout=5\nMinJobAge=300\nKillWait=3\n\
             SchedulerParameters=sched_interval=1,batch_sched_delay=0\nSlurmdParameters=config_overrides\n\
             {settings}"
        );
        let node = |(name, port): (&&str, &u16)| {
            let address = format!("NodeHostname={host} NodeAddr=127.0.0.1 Port={port}");
            format!("NodeName={name} {address} CPUs={cpus} RealMemory=2000 State=UNKNOWN\n")
        };
        let nodes: String = nodes.iter().zip(&ports[1..]).map(node).collect();
        fs::write(self.conf(), nodes + &conf).unwrap();
    }

    /// Starts a daemon that ends with this test.
    fn daemon(&mut self, name: &str, words: &[&str]) {
        let log = fs::File::create(self.path(&format!("{name}.out"))).unwrap();
        let mut command = Command::new("setpriv");
        command.args(["--pdeathsig", "KILL"]).args(words).env("SLURM_CONF", self.conf());
        command.stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log);
        self.daemons.insert(0, (name.to_owned(), command.spawn().unwrap()));
    }

    /// Starts the daemon of a node with these words.
    fn start_node(&mut self, name: &str, by: &[&str]) {
        self.daemon(name, &[by, &["slurmd", "-D", "-N", name]].concat());
    }

    /// Kills the daemon of a node, as if it lost power. Its tasks survive, and Slurm does not see them.
    pub(crate) fn kill_node(&self, name: &str) {
        let (_, daemon) = self.daemons.iter().find(|(known, _)| known == name).unwrap();
        let pid = Pid::from_raw(i32::try_from(daemon.id()).unwrap()).unwrap();
        kill_process(pid, Signal::KILL).unwrap();
    }

    fn wait_idle(&self, nodes: usize) {
        wait("idle nodes", || self.slurm(&["sinfo", "-h", "-t", "idle", "-N", "-o", "%N"]).lines().count() == nodes);
    }

    /// Runs a command of Slurm, and returns its output.
    pub(crate) fn slurm(&self, words: &[&str]) -> String {
        let output = Command::new(words[0]).args(&words[1..]).env("SLURM_CONF", self.conf()).output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// The active tasks of runs below a folder, in this state or in any: the job and the number of each.
    pub(crate) fn tasks(&self, folder: &Path, state: &str) -> Vec<String> {
        let folder = folder.canonicalize().unwrap().display().to_string();
        let mut words = vec!["squeue", "-h", "-r", "-o", "%F %K|%Z"];
        words.extend((state != "all").then_some(["-t", state]).into_iter().flatten());
        let rows = self.slurm(&words);
        let rows = rows.lines().filter_map(|row| row.split_once('|'));
        rows.filter(|(_, place)| place.starts_with(&folder)).map(|(task, _)| task.to_owned()).collect()
    }

    /// Fails if a job is left, or a process or folder of a run below `folder`. Tasks that Slurm has lost detect a
    /// moment later that their run is over.
    pub(crate) fn check_nothing_is_left(&self, folder: &Path) {
        wait("the end of all jobs", || self.tasks(folder, "all").is_empty());
        wait("the end of all tasks", || workers(folder).is_empty());
        let left: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert!(!left.iter().any(|name| name.to_string_lossy().starts_with("judge-run.")), "{left:?}");
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.slurm(&["scancel", "--me"]);
        for (_, daemon) in &mut self.daemons {
            let _ = daemon.kill();
            let _ = daemon.wait();
        }
    }
}

fn on_path(program: &str) -> bool {
    std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()).any(|folder| folder.join(program).is_file())
}

/// Waits until something holds.
pub(crate) fn wait(what: &str, mut holds: impl FnMut() -> bool) {
    let started = Instant::now();
    while !holds() {
        assert!(started.elapsed() < PATIENCE, "waited too long for {what}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// The processes of the tasks of runs below a folder.
pub(crate) fn workers(folder: &Path) -> Vec<i32> {
    let folder = folder.canonicalize().unwrap().display().to_string();
    let pids = fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let is_worker = |pid: &i32| {
        let words = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let words: Vec<_> = words.split(|byte| *byte == 0).map(String::from_utf8_lossy).collect();
        words.iter().any(|word| word == "work") && words.iter().any(|word| word.starts_with(&folder))
    };
    pids.filter(is_worker).collect()
}
