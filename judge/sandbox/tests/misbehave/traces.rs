//! Checks that a run leaves nothing for the next run, in other users' files or for the next judge.

use std::fs::{self, File, FileTimes};
use std::io::{BufRead, BufReader};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use judge_sandbox::{End, Execution, Options, Sandbox, Stdin, Tier, TierChoice, Visible, Worker};

use super::attempt::as_told;
use super::judge_level::check;
use super::pace::{patiently, slowness};
use super::request;
use super::require::{Need, skip};
use super::scene::folder_for_all;

/// `--tell-user TIER`: opens the tier, prints the user and groups of its programs, and stays until its input ends.
pub(crate) const TELL_USER: &str = "--tell-user";

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

/// The next program finds a new folder, regardless of what a program does in its folder and how quickly.
pub(crate) fn from_run_to_run(sandbox: &Sandbox, programs: &Path) -> Result<(), String> {
    let mut worker = sandbox.worker(None).unwrap();
    let mut run = |argv: &[&str]| -> Result<Execution, String> {
        worker.run(&request(programs.join("disk"), &words(argv))).map_err(|fault| fault.to_string())
    };
    // On the host's disk, inode numbers depend on other processes.
    let is_memory = sandbox.gaps().iter().all(|gap| gap.what != "disk");
    let mode = if is_memory { "recall-all" } else { "recall" };
    let first = run(&["disk", mode])?;
    check(!first.stdout.is_empty(), || format!("{first:?}"))?;
    let repeats = if slowness() == 1 { 100 } else { 20 };
    for number in 0..repeats {
        let (trace, time) = ((number % 4).to_string(), if number % 8 < 4 { "0" } else { "6" });
        run(&["disk", "leave", &trace, time])?;
        let next = run(&["disk", mode])?;
        check(next.stdout == first.stdout, || {
            let text = |execution: &Execution| String::from_utf8_lossy(&execution.stdout).into_owned();
            format!("after trace {trace}: {} became {}", text(&first), text(&next))
        })?;
    }
    Ok(())
}

/// An untouched folder is used again only if the program had no other process or thread. A task that is killed while it
/// makes a file has used a number, without any trace in the folder's times.
pub(crate) fn of_helpers(sandbox: &Sandbox, programs: &Path) -> Result<(), String> {
    let mut worker = sandbox.worker(None).unwrap();
    // The mount of its folder, by the kernel's number, which is never used twice.
    let mut mount = |kind: &str| -> Result<u64, String> {
        let execution = worker.run(&request(programs.join("disk"), &words(&["disk", "mounted", kind])));
        let execution = execution.map_err(|fault| fault.to_string())?;
        let number = String::from_utf8_lossy(&execution.stdout).trim().parse();
        number.map_err(|_| format!("{execution:?}"))
    };
    let (brief, lasting, with_thread, with_child) = ("0", "1", "2", "3");
    let first = mount(brief)?;
    let is_memory = sandbox.gaps().iter().all(|gap| gap.what != "disk");
    if first == 0 || !is_memory {
        // Before Linux 6.8 mounts cannot be told apart; on a disk the folder is not a mount.
        return Ok(());
    }
    // The first folder of a worker may have been used by the trial.
    let mut last = mount(brief)?;
    for _ in 0..3 {
        for (kind, keeps) in [(brief, true), (lasting, true), (with_thread, false), (brief, true), (with_child, false)]
        {
            let here = mount(kind)?;
            let next = mount(brief)?;
            check((next == here) == keeps, || format!("after kind {kind}: mounts {last}, {here}, {next}"))?;
            last = next;
        }
    }
    Ok(())
}

/// The next judge removes the leftovers of a dead one. It follows no links, and does not touch files that others put
/// there.
pub(crate) fn other_users_files(sandbox: &Sandbox, _: &Path) -> Result<(), String> {
    let scratch = tempfile::tempdir().unwrap();
    let namespace = fs::metadata("/proc/self/ns/pid").unwrap().ino();
    let inside = |name: &str| scratch.path().join(name);
    let dead = |purpose: &str| inside(&format!("judge-sandbox.{namespace}.999999999.1.{purpose}.0"));
    fs::write(inside("file"), "of the judge's user").unwrap();
    fs::create_dir(inside("folder")).unwrap();
    let set_mode = |path: &Path, mode| fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
    set_mode(&inside("file"), 0o640);
    set_mode(&inside("folder"), 0o500);
    let own = dead("worker");
    fs::create_dir_all(own.join("box/closed/inner")).unwrap();
    for (target, name) in [("file", "link"), ("folder", "closed/link"), ("folder", "closed/inner/.lifted-0")] {
        symlink(inside(target), own.join("box").join(name)).unwrap();
    }
    fs::hard_link(inside("file"), own.join("box/hard")).unwrap();
    set_mode(&own.join("box/closed/inner"), 0);
    set_mode(&own.join("box/closed"), 0);
    symlink(inside("folder"), dead("link")).unwrap();
    let foreign = dead("foreign");
    let is_root = rustix::process::geteuid().is_root() && chown(scratch.path(), Some(65534), None).is_ok();
    if is_root {
        fs::create_dir_all(foreign.join("box")).unwrap();
        symlink(inside("file"), foreign.join("box/link")).unwrap();
        for path in [&foreign, &foreign.join("box")] {
            chown(path, Some(65534), Some(65534)).unwrap();
        }
    }
    let options = Options {
        tier: TierChoice::Forced(sandbox.tier()),
        scratch: Some(scratch.path().to_path_buf()),
        ..Options::default()
    };
    drop(Sandbox::open(&options).map_err(|error| error.to_string())?);
    let mode = |name: &str| fs::metadata(inside(name)).unwrap().mode() & 0o7777;
    check(!own.exists() && fs::symlink_metadata(dead("link")).is_err(), || {
        "something of the sandbox is left".to_owned()
    })?;
    check(!is_root || foreign.join("box/link").exists(), || "another user's folder was touched".to_owned())?;
    check(mode("file") == 0o640 && mode("folder") == 0o500, || format!("{:o} {:o}", mode("file"), mode("folder")))?;
    check(fs::read_to_string(inside("file")).unwrap() == "of the judge's user", || "a file was changed".to_owned())
}

/// See [`TELL_USER`].
pub(crate) fn tell_user(arguments: &[String]) -> ! {
    let tier = TierChoice::Forced(arguments[0].parse().unwrap());
    let sandbox = Sandbox::open(&Options { tier, ..Options::default() }).unwrap();
    let mut worker = sandbox.worker(None).unwrap();
    println!("{} {}", told(&mut worker, "-u").unwrap(), told(&mut worker, "-G").unwrap());
    std::io::stdin().read_line(&mut String::new()).unwrap();
    // This is the first process of its namespace. When it ends, its helper has no time left to clean up.
    drop(worker);
    std::process::exit(0)
}

/// The output of `id`.
fn told(worker: &mut Worker, what: &str) -> Result<String, String> {
    let execution = worker.run(&request("/usr/bin/id".into(), &words(&["id", what])));
    let execution = execution.map_err(|fault| fault.to_string())?;
    Ok(String::from_utf8_lossy(&execution.stdout).trim().to_owned())
}

/// A judge that is gone at the end of the test at the latest.
struct Judge(Child);

impl Drop for Judge {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}

/// Judges that run at the same time, each in its own pid namespace, run programs as different users, with none of their
/// own user's groups.
pub(crate) fn users_of_judges(sandbox: &Sandbox, programs: &Path) -> Result<(), String> {
    let tier = sandbox.tier();
    if !rustix::process::geteuid().is_root() || tier == Tier::Userns {
        // They run as one user, or appear to.
        return Ok(());
    }
    let begin = || {
        let mut command = Command::new("setpriv");
        command
            .args(["--groups", "0,4,100", "unshare", "--pid", "--fork", "--mount-proc", "--kill-child"])
            .arg(std::env::current_exe().unwrap());
        command.args([TELL_USER, tier.name()]).stdin(Stdio::piped()).stdout(Stdio::piped());
        command.spawn().map(Judge)
    };
    let mut judges = Vec::new();
    for _ in 0..3 {
        match begin() {
            Ok(judge) => judges.push(judge),
            Err(error) => {
                skip(Need::Bash, format!("no setpriv: {error}"));
                return Ok(());
            }
        }
    }
    let user = |judge: &mut Judge| {
        let mut line = String::new();
        BufReader::<ChildStdout>::new(judge.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let ids: Vec<_> = line.split_whitespace().map(str::parse::<u32>).collect();
        match &ids[..] {
            [Ok(user), Ok(group)] if user == group => Ok(*user),
            _ => Err(format!("user and groups: {line:?}")),
        }
    };
    let mut users = judges.iter_mut().map(user).collect::<Result<Vec<u32>, String>>()?;
    let own = told(&mut sandbox.worker(None).unwrap(), "-u")?.parse();
    users.push(own.map_err(|_| format!("{} tells no user", programs.display()))?);
    let told = format!("{users:?}");
    users.sort();
    users.dedup();
    check(users.len() == 4 && !users.contains(&0), || format!("users {told}"))
}

/// The next program always sees the same values, regardless of which numbers a program leaves where.
pub(crate) fn messages(sandbox: &Sandbox, programs: &Path) -> Result<(), String> {
    let mut worker = sandbox.worker(None).unwrap();
    let folder = folder_for_all(programs);
    let shown = folder.path().join("shown");
    fs::write(&shown, vec![b's'; 1 << 18]).unwrap();
    // Old enough that a read would update it.
    let long_ago = FileTimes::new().set_accessed(SystemTime::now() - Duration::from_secs(3 * 86400));
    let forget = || File::options().write(true).open(&shown).unwrap().set_times(long_ago).unwrap();
    let notes_readings = sandbox.gaps().iter().any(|gap| gap.what == "times of reading");
    let own = programs.join("between");
    let paths = format!("{} {}", own.display(), shown.display());
    let mut run = |words: String| {
        let mut request = request(own.clone(), &as_told("between"));
        request.stdin = Stdin::Bytes(Arc::from(words.into_bytes()));
        request.visible = vec![Visible { path: shown.clone(), writable: false }];
        let execution = worker.run(&request).map_err(|fault| fault.to_string())?;
        check(execution.end == End::Exited(0), || format!("{execution:?}"))?;
        Ok::<_, String>(String::from_utf8_lossy(&execution.stdout).into_owned())
    };
    let mut recall = |number: Option<u32>| {
        forget();
        if let Some(number) = number {
            run(format!("leave {number} {paths}"))?;
        }
        if notes_readings {
            forget();
        }
        run(format!("recall {paths}"))
    };
    recall(None)?;
    let first = recall(None)?;
    check(first.lines().count() == 3, || first.clone())?;
    for number in [0, 15, 5, 10, 3, 12] {
        let told = recall(Some(number))?;
        check(told == first, || format!("after {number}: {first:?} became {told:?}"))?;
    }
    Ok(())
}

/// Where there are control groups, the next program finds no page in memory that a program was the first to read.
pub(crate) fn pages(sandbox: &Sandbox, programs: &Path) -> Result<(), String> {
    const ALL: u32 = 0xffff;
    let is_closed = matches!(sandbox.tier(), Tier::Root | Tier::Delegated);
    let mut worker = sandbox.worker(None).unwrap();
    let folder = folder_for_all(programs);
    let shown = folder.path().join("shown");
    let mut run = |words: String| {
        let mut request = request(programs.join("between"), &as_told("between"));
        request.stdin = Stdin::Bytes(Arc::from(words.into_bytes()));
        request.visible = vec![Visible { path: shown.clone(), writable: false }];
        let execution = worker.run(&request).map_err(|fault| fault.to_string())?;
        check(execution.end == End::Exited(0), || format!("{execution:?}"))?;
        Ok::<_, String>(String::from_utf8_lossy(&execution.stdout).into_owned())
    };
    for bits in [0, 0xf0f0_u32, ALL, 0x5a5a, 0x0001, 0xa5a5] {
        cold_file(&shown);
        run(format!("read {bits} {}", shown.display()))?;
        let anew = run(format!("anew {}", shown.display()))?;
        if bits == 0 && anew == "0" {
            println!("left out: {} is not on a disk", shown.display());
            return Ok(());
        }
        let expected = if is_closed { ALL } else { ALL & !bits };
        check(anew == expected.to_string(), || format!("after {bits:x}: {anew}, expected {expected}"))?;
    }
    Ok(())
}

/// A program whose run was cancelled leaves no such page, either.
pub(crate) fn pages_of_the_cancelled(sandbox: &Sandbox, programs: &Path) -> Result<(), String> {
    let folder = folder_for_all(programs);
    let shown = cold_file(&folder.path().join("shown"));
    let order = |words: &[&str]| {
        let mut request = request(programs.join("between"), &self::words(words));
        request.visible = vec![Visible { path: shown.clone(), writable: false }];
        request
    };
    let path = shown.display().to_string();
    let anew = |worker: &mut Worker| worker.run(&order(&["between", "anew", &path])).map(|execution| execution.stdout);
    let before = anew(&mut sandbox.worker(None).unwrap()).map_err(|fault| fault.to_string())?;
    cold_file(&shown);
    let mut worker = sandbox.worker(None).unwrap();
    let canceller = worker.canceller();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(patiently(Duration::from_millis(200)));
            canceller.cancel();
        });
        let _ = worker.run(&order(&["between", "hold", "65535", &path]));
    });
    drop(worker);
    let after = anew(&mut sandbox.worker(None).unwrap()).map_err(|fault| fault.to_string())?;
    let is_closed = matches!(sandbox.tier(), Tier::Root | Tier::Delegated);
    check(!is_closed || after == before, || format!("{before:?} became {after:?}"))
}

/// Nor does a program that ends while the kernel still reads for it, which happens in one of a hundred tries.
pub(crate) fn pages_on_their_way(sandbox: &Sandbox, programs: &Path) -> Result<(), String> {
    const BYTES: usize = 4 << 20;
    if !matches!(sandbox.tier(), Tier::Root | Tier::Delegated) {
        return Ok(());
    }
    let mut worker = sandbox.worker(None).unwrap();
    let folder = folder_for_all(programs);
    let shown = folder.path().join("shown");
    fs::write(&shown, vec![b's'; BYTES]).unwrap();
    let path = shown.display().to_string();
    let mut request = request(programs.join("between"), &as_told("between"));
    request.stdin = Stdin::Bytes(Arc::from(format!("ahead {BYTES} {path}").into_bytes()));
    request.visible = vec![Visible { path: shown.clone(), writable: false }];
    // Outside the sandbox.
    let resident = || {
        let told =
            Command::new(programs.join("between")).args(["resident", &BYTES.to_string(), &path]).output().unwrap();
        String::from_utf8(told.stdout).unwrap()
    };
    for attempt in 0..100 {
        cold_file(&shown);
        if resident() != "0" {
            println!("left out: {path} is not on a disk");
            return Ok(());
        }
        let execution = worker.run(&request).map_err(|fault| fault.to_string())?;
        check(execution.end == End::Exited(0), || format!("{execution:?}"))?;
        let left = resident();
        check(left == "0", || format!("{left} pages in attempt {attempt}"))?;
    }
    Ok(())
}

/// How long a program ran does not decide how long it is warmed up, which it could measure and leave in pages.
pub(crate) fn pages_of_warm_ups(sandbox: &Sandbox, programs: &Path) -> Result<(), String> {
    let folder = folder_for_all(programs);
    let shown = folder.path().join("shown");
    let path = shown.display().to_string();
    let left_after = |time: &str| {
        cold_file(&shown);
        let mut worker = sandbox.worker(None).unwrap();
        let mut run = |words: &[&str], input: &str| {
            let mut request = request(programs.join("between"), &self::words(words));
            request.stdin = Stdin::Bytes(Arc::from(input.as_bytes()));
            request.visible = vec![Visible { path: shown.clone(), writable: false }];
            worker.run(&request).map(|execution| execution.stdout).map_err(|fault| fault.to_string())
        };
        run(&["between", "linger", &path], time)?;
        run(&["between", "linger", &path], "0")?;
        run(&["between", "anew", &path], "")
    };
    let (short, long) = (left_after("10")?, left_after("600")?);
    check(short == long, || format!("{short:?} after a short run, {long:?} after a long one"))
}

/// Returns the path of a file with pages that are on the disk only.
fn cold_file(path: &Path) -> PathBuf {
    if !path.exists() {
        fs::write(path, vec![b's'; 1 << 18]).unwrap();
    }
    let file = File::open(path).unwrap();
    file.sync_all().unwrap();
    rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed).unwrap();
    path.to_path_buf()
}

/// The kernel addresses of a program's sockets depend on earlier programs. Where root's rights permit it, nothing
/// reveals them.
pub(crate) fn addresses(sandbox: &Sandbox, _: &Path) -> Result<(), String> {
    let is_open = sandbox.gaps().iter().any(|gap| gap.what == "addresses");
    let mut worker = sandbox.worker(None).unwrap();
    let request = request("/bin/cat".into(), &["cat".into(), "/proc/self/net/unix".into()]);
    let execution = worker.run(&request).map_err(|fault| fault.to_string())?;
    check((execution.end == End::Exited(0)) == is_open, || format!("{execution:?}"))
}

/// In its own namespaces, a program cannot learn from its process id which programs ran before it, and cannot learn the
/// host's name.
pub(crate) fn process_ids(sandbox: &Sandbox, programs: &Path) -> Result<(), String> {
    let mut worker = sandbox.worker(None).unwrap();
    let request = request(programs.join("channels"), &["channels".into(), "ids".into()]);
    for _ in 0..3 {
        let execution = worker.run(&request).map_err(|fault| fault.to_string())?;
        let said = String::from_utf8_lossy(&execution.stdout);
        let jailed = sandbox.tier() != Tier::Bare;
        check(execution.end == End::Exited(0), || format!("{execution:?}"))?;
        check(!jailed || said == "2 3 4 5 6 7 judge\n", || said.clone().into_owned())?;
    }
    Ok(())
}

/// No program can see locks of others or prevent them from locking.
pub(crate) fn locks(sandbox: &Sandbox, programs: &Path) -> Result<(), String> {
    let mut worker = sandbox.worker(None).unwrap();
    let folder = folder_for_all(programs);
    let path = folder.path().join("theirs");
    fs::write(&path, "x").unwrap();
    let mut request =
        request(programs.join("channels"), &["channels".into(), "locks".into(), path.display().to_string()]);
    request.visible = vec![Visible { path: path.clone(), writable: false }];
    let mut said = || {
        let execution = worker.run(&request).map_err(|fault| fault.to_string())?;
        check(execution.end == End::Exited(0), || format!("{execution:?}"))?;
        Ok::<_, String>(String::from_utf8_lossy(&execution.stdout).into_owned())
    };
    let file = File::open(&path).unwrap();
    let mut refused = 0;
    let free = std::thread::scope(|scope| {
        let running = scope.spawn(&mut said);
        while !running.is_finished() {
            // A lock of the program's would conflict.
            refused += usize::from(file.try_lock().is_err());
            file.unlock().unwrap();
            std::thread::sleep(Duration::from_millis(5));
        }
        running.join().unwrap()
    })?;
    check(refused == 0, || format!("the judge could not lock, {refused} times"))?;
    file.lock().unwrap();
    rustix::fs::fcntl_lock(&file, rustix::fs::FlockOperation::NonBlockingLockShared).unwrap();
    let taken = said()?;
    check(free == taken, || format!("{free:?} without the judge's lock, {taken:?} with it"))
}
