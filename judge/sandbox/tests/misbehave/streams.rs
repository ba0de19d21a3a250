//! Input and output through files of the judge's user.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use judge_sandbox::{End, Fault, Sandbox, Sink, Stdin};

use super::judge_level::check;
use super::pace::{in_time, patiently};
use super::request;
use super::scene::{folder_for_all, processes_with};

/// Through files of the caller's. Neither is in the program's memory.
pub(crate) fn in_files(sandbox: &Sandbox, programs: &Path) -> Result<(), String> {
    const BYTES: u64 = 32 << 20;
    let mut worker = sandbox.worker(None).unwrap();
    let input = tempfile::tempfile().unwrap();
    input.set_len(BYTES).unwrap();
    let output = tempfile::tempfile().unwrap();
    let mut request = request(programs.join("output"), &["output".into(), "echo".into()]);
    request.stdin = Stdin::File(Arc::new(input));
    request.stdout = Sink::File(Arc::new(output.try_clone().unwrap()));
    request.limits.stdout = BYTES;
    request.limits.memory = Some(BYTES / 2);
    let execution = worker.run(&request).map_err(|fault| fault.to_string())?;
    check(execution.end == End::Exited(0) && execution.breaches.is_empty(), || format!("{execution:?}"))?;
    check(output.metadata().unwrap().len() == BYTES, || "the output is not all there".to_owned())?;
    check(execution.usage.stdout_bytes == BYTES && execution.stdout.is_empty(), || format!("{execution:?}"))?;
    request.limits.stdout = BYTES - 1;
    let short = worker.run(&request).map_err(|fault| fault.to_string())?;
    check(short.usage.stdout_bytes == BYTES, || format!("one byte too many: {:?}", short.usage))?;
    check(short.breaches == [judge_sandbox::Breach::Output], || format!("{:?}", short.breaches))?;
    let full = File::options().write(true).open("/dev/full").unwrap();
    request.stdout = Sink::File(Arc::new(full));
    let fault = worker.run(&request);
    check(matches!(fault, Err(Fault::System { .. })), || format!("a full disk is no fault of the program's: {fault:?}"))
}

/// When a pipe is full, the program must wait, and the judge waits no longer than the program's time limit.
pub(crate) fn output_without_a_reader(sandbox: &Sandbox, programs: &Path) -> Result<(), String> {
    let mut worker = sandbox.worker(None).unwrap();
    let (reader, writer) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC).unwrap();
    let sink = Sink::File(Arc::new(File::from(writer)));
    let mut run = |mode: &[&str], sink: &Sink| {
        let argv: Vec<String> = ["output"].iter().chain(mode).map(|&word| word.to_owned()).collect();
        let mut request = request(programs.join("output"), &argv);
        request.limits.wall = Some(patiently(Duration::from_millis(500)));
        request.limits.stdout = 64 << 20;
        request.stdout = sink.clone();
        let began = Instant::now();
        let result = worker.run(&request);
        let took = began.elapsed();
        in_time(took < patiently(Duration::from_secs(3)), || format!("{mode:?} took {took:?}"));
        Ok::<_, String>(result)
    };
    let flood = run(&["letters"], &sink)?.map_err(|fault| fault.to_string())?;
    check(flood.breaches == [judge_sandbox::Breach::Wall], || format!("a flood: {flood:?}"))?;
    let leftover = run(&["exactly", "100000"], &sink)?;
    check(matches!(leftover, Err(Fault::System { .. })), || format!("less than a pipe holds: {leftover:?}"))?;
    let (slow_reader, writer) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC).unwrap();
    let slow_sink = Sink::File(Arc::new(File::from(writer)));
    let read = std::thread::spawn(|| {
        std::thread::sleep(Duration::from_millis(100));
        std::io::copy(&mut File::from(slow_reader), &mut std::io::sink())
    });
    let slow = run(&["exactly", "2000000"], &slow_sink)?.map_err(|fault| format!("a slow reader: {fault}"))?;
    drop(slow_sink);
    in_time(slow.breaches.is_empty(), || format!("a slow reader: {slow:?}"));
    check(read.join().unwrap().unwrap() == 2_000_000, || "a slow reader did not get it all".to_owned())?;
    check(slow.end == End::Exited(0), || format!("a slow reader: {slow:?}"))?;
    drop(reader);
    let gone = run(&["letters"], &sink)?;
    check(matches!(gone, Err(Fault::System { .. })), || format!("a reader that has gone: {gone:?}"))?;
    let stubborn = run(&["stubborn"], &sink)?;
    check(matches!(stubborn, Err(Fault::System { .. })), || format!("who does not care: {stubborn:?}"))?;
    check(processes_with(&programs.join("output")).is_empty(), || "something lives on".to_owned())?;
    let next = run(&["code", "0"], &Sink::Capture)?;
    check(next.is_ok_and(|next| next.end == End::Exited(0)), || "the next run suffers".to_owned())
}

/// A user's file that is a program's input is not changed in any way.
pub(crate) fn input_untouched(sandbox: &Sandbox, programs: &Path) -> Result<(), String> {
    let mut worker = sandbox.worker(None).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("input");
    fs::write(&path, "as it was").unwrap();
    let state = || fs::metadata(&path).map(|now| (now.mode(), now.uid(), now.ctime(), now.ctime_nsec(), now.len()));
    let before = state().unwrap();
    let mut request = request(programs.join("escape"), &["escape".into(), "input".into()]);
    request.stdin = Stdin::File(Arc::new(File::open(&path).unwrap()));
    let execution = worker.run(&request).map_err(|fault| fault.to_string())?;
    check(execution.end == End::Exited(0), || format!("{execution:?}"))?;
    check(state().unwrap() == before, || format!("{before:?} became {:?}", state()))?;
    check(fs::read_to_string(&path).unwrap() == "as it was", || "the input was changed".to_owned())?;
    request.program = programs.join("output");
    request.argv = vec!["output".into(), "echo".into()];
    let echo = worker.run(&request).map_err(|fault| fault.to_string())?;
    check(echo.stdout == b"as it was", || format!("{echo:?}"))?;
    // An empty input is a device of the machine.
    let null = || fs::metadata("/dev/null").map(|null| (null.mode(), null.uid()));
    let before = null().unwrap();
    request.program = programs.join("escape");
    request.argv = vec!["escape".into(), "input".into()];
    request.stdin = Stdin::Empty;
    let empty = worker.run(&request).map_err(|fault| fault.to_string())?;
    check(empty.end == End::Exited(0), || format!("{empty:?}"))?;
    check(null().unwrap() == before, || format!("{before:?} became {:?}", null()))
}

/// For an input of any length and kind, the helper never waits for itself or for an end of file that never comes.
pub(crate) fn inputs_of_every_kind(sandbox: &Sandbox, programs: &Path) -> Result<(), String> {
    const LARGE: u64 = 100 << 20;
    let mut worker = sandbox.worker(None).unwrap();
    let mut request = request("/bin/sh".into(), &["sh", "-c", "wc -c"].map(str::to_owned));
    request.limits.memory = Some(64 << 20);
    let folder = folder_for_all(programs);
    let inputs = folder.path().join("inputs");
    fs::create_dir(&inputs).unwrap();
    let large = tempfile::tempfile_in(&inputs).unwrap();
    large.set_len(LARGE).unwrap();
    let closed = inputs.join("closed");
    fs::write(&closed, "12345").unwrap();
    let open = File::open(&closed).unwrap();
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
    // Its size is reported as 0.
    let told = File::open("/proc/self/limits").unwrap();
    let length = fs::read("/proc/self/limits").unwrap().len() as u64;
    let pipe = inputs.join("pipe");
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    let writer = std::thread::spawn({
        let pipe = pipe.clone();
        move || fs::write(pipe, vec![b'x'; 1 << 20])
    });
    let from_pipe = File::open(&pipe).unwrap();
    let kinds = [("large", large, LARGE), ("closed", open, 5), ("told", told, length), ("pipe", from_pipe, 1 << 20)];
    for (kind, input, length) in kinds {
        request.stdin = Stdin::File(Arc::new(input));
        let execution = worker.run(&request).map_err(|fault| format!("{kind}: {fault}"))?;
        let counted = String::from_utf8_lossy(&execution.stdout).trim().parse() == Ok(length);
        check(counted && execution.breaches.is_empty(), || format!("{kind}: {length} instead of {execution:?}"))?;
    }
    writer.join().unwrap().map_err(|error| format!("the pipe: {error}"))?;
    request.stdin = Stdin::File(Arc::new(File::open("/dev/zero").unwrap()));
    request.limits.cpu = Some(patiently(Duration::from_millis(200)));
    let endless = worker.run(&request).map_err(|fault| format!("endless: {fault}"))?;
    check(endless.breaches == [judge_sandbox::Breach::Cpu], || format!("endless: {endless:?}"))
}

/// For any kind of caller's file, the output arrives or there is an error, and nothing blocks.
pub(crate) fn outputs_of_every_kind(sandbox: &Sandbox, programs: &Path) -> Result<(), String> {
    let mut worker = sandbox.worker(None).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let [fifo, target, link] = ["fifo", "target", "link"].map(|name| folder.path().join(name));
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    fs::write(&target, "").unwrap();
    std::os::unix::fs::symlink(&target, &link).unwrap();
    let open = |path: &Path, write: bool| File::options().read(true).write(write).open(path).unwrap();
    let (ours, theirs) = std::os::unix::net::UnixStream::pair().unwrap();
    // Opened for reading, too, it holds as much as a pipe and has a reader for a while.
    let held = open(&fifo, true);
    let reader = open(&fifo, true);
    let kinds = [
        ("a FIFO", held, true),
        ("a link to a file", open(&link, true), true),
        ("a device", open("/dev/null".as_ref(), true), true),
        ("a socket", File::from(OwnedFd::from(theirs)), true),
        ("a folder", open(folder.path(), false), false),
        ("a file to read", open(&target, false), false),
        ("a full device", open("/dev/full".as_ref(), true), false),
    ];
    let mut request = request(programs.join("output"), &["output", "exactly", "1000"].map(str::to_owned));
    for (kind, file, takes) in kinds {
        let file = Arc::new(file);
        for is_error in [false, true] {
            let sink = Sink::File(Arc::clone(&file));
            (request.stdout, request.stderr) = if is_error { (Sink::Capture, sink) } else { (sink, Sink::Capture) };
            request.argv[1] = if is_error { "complaints".into() } else { "exactly".into() };
            let began = Instant::now();
            let result = worker.run(&request);
            let took = began.elapsed();
            in_time(took < patiently(Duration::from_secs(3)), || format!("{kind} took {took:?}"));
            let is_fine = match &result {
                Ok(execution) => takes && execution.end == End::Exited(0) && execution.breaches.is_empty(),
                Err(Fault::System { action, .. }) => !takes && action.contains("output"),
                Err(_) => false,
            };
            check(is_fine, || format!("{kind}, for errors {is_error}: {result:?}"))?;
        }
    }
    check(fs::metadata(&target).unwrap().len() > 1000, || "the link's target is empty".to_owned())?;
    for mut end in [reader, File::from(OwnedFd::from(ours))] {
        let mut heard = [0; 1000];
        end.read_exact(&mut heard).map_err(|error| error.to_string())?;
    }
    (request.stdout, request.stderr, request.argv[1]) = (Sink::Capture, Sink::Capture, "exactly".into());
    let next = worker.run(&request).map_err(|fault| fault.to_string())?;
    check(next.stdout.len() == 1000, || format!("the next run: {next:?}"))
}

/// By their names in `/dev`, for any owner of the files behind them.
pub(crate) fn by_name(sandbox: &Sandbox, _: &Path) -> Result<(), String> {
    let mut worker = sandbox.worker(None).unwrap();
    let script = "cat </dev/stdin >/dev/stdout; echo heard >/dev/stderr; echo more >>/dev/stdout";
    let mut request = request("/bin/sh".into(), &["sh", "-c", script].map(str::to_owned));
    let (input, mut to_program) = std::io::pipe().unwrap();
    to_program.write_all(b"hello\n").unwrap();
    drop(to_program);
    let private = tempfile::NamedTempFile::new().unwrap();
    fs::write(private.path(), "hello\n").unwrap();
    let inputs = [
        Stdin::Bytes(Arc::from(*b"hello\n")),
        Stdin::File(Arc::new(private.reopen().unwrap())),
        Stdin::File(Arc::new(File::from(OwnedFd::from(input)))),
    ];
    for stdin in inputs {
        request.stdin = stdin;
        let execution = worker.run(&request).map_err(|fault| fault.to_string())?;
        check(execution.stdout == b"hello\nmore\n" && execution.stderr == b"heard\n", || {
            let [output, error] = [&execution.stdout, &execution.stderr].map(|bytes| String::from_utf8_lossy(bytes));
            format!("{:?}: {:?} {output:?} {error:?}", request.stdin, execution.end)
        })?;
    }
    request.stdin = Stdin::Empty;
    let empty = worker.run(&request).map_err(|fault| fault.to_string())?;
    check(empty.stdout == b"more\n", || format!("{empty:?}"))
}

/// The other ends of the pipes are slow.
pub(crate) fn in_pipes(sandbox: &Sandbox, programs: &Path) -> Result<(), String> {
    let mut worker = sandbox.worker(None).unwrap();
    let mut request = request(programs.join("output"), &["output".into(), "echo".into()]);
    let (input, mut to_program) = std::io::pipe().unwrap();
    let (mut from_program, output) = std::io::pipe().unwrap();
    request.stdin = Stdin::File(Arc::new(File::from(OwnedFd::from(input))));
    request.stdout = Sink::File(Arc::new(File::from(OwnedFd::from(output))));
    let writer = std::thread::spawn(move || {
        to_program.write_all(b"hello ").unwrap();
        std::thread::sleep(Duration::from_millis(20));
        to_program.write_all(b"there").unwrap();
    });
    let execution = worker.run(&request).map_err(|fault| fault.to_string())?;
    writer.join().unwrap();
    check(execution.end == End::Exited(0) && execution.breaches.is_empty(), || format!("{execution:?}"))?;
    let mut heard = [0; 11];
    from_program.read_exact(&mut heard).unwrap();
    check(heard == *b"hello there", || format!("heard {:?}", String::from_utf8_lossy(&heard)))
}
