//! What the judge asks of a helper for one run, and what the helper answers.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

use crate::cgroup::site::Site;
use crate::clock::nanoseconds;
use crate::helper::Leash;
use crate::protocol::{Reader, Writer};
use crate::request::{Breach, End, Exchange, Fault, Limits, Made, Request, Sink, Usage, Visible, WorkFile};
use crate::tier::Tier;

/// How long a program that is no longer needed may take to end by itself, where that is of use to anyone.
pub(crate) const LEAVE: Duration = Duration::from_millis(200);

/// The part of a [`Request`] that is not a descriptor.
#[derive(Clone)]
pub(crate) struct Task {
    pub(crate) program: PathBuf,
    pub(crate) argv: Vec<OsString>,
    pub(crate) environment: Vec<(OsString, OsString)>,
    pub(crate) visible: Vec<Visible>,
    pub(crate) hidden: Vec<PathBuf>,
    pub(crate) folder: Option<PathBuf>,
    pub(crate) limits: Limits,
    pub(crate) exchange: Option<Exchange>,
    /// How long the program may take to end by itself once it is no longer needed.
    pub(crate) leave: Duration,
    /// Whether it converses, line by line, with a program on the same core.
    pub(crate) converses: bool,
}

impl Task {
    /// When a program that `started` then must have been killed by its watcher, on the monotonic clock. If it
    /// lives on, its watcher was stopped.
    pub(crate) fn deadline(&self, started: u64) -> Option<u64> {
        const PATIENCE: u64 = 2_000_000_000;
        let wall = nanoseconds(self.limits.wall?);
        Some(started.saturating_add(wall).saturating_add(nanoseconds(self.leave)).saturating_add(PATIENCE))
    }
}

impl From<&Request> for Task {
    fn from(request: &Request) -> Task {
        Task {
            program: request.program.clone(),
            argv: request.argv.clone(),
            environment: request.environment.clone(),
            visible: request.visible.clone(),
            hidden: request.hidden.clone(),
            folder: request.folder.clone(),
            limits: request.limits.clone(),
            exchange: None,
            leave: LEAVE,
            converses: matches!(request.stdout, Sink::Relay(_) | Sink::Lent(_)),
        }
    }
}

/// A [`Request`] as it arrives in the helper.
pub(crate) struct Order {
    pub(crate) plan: Rc<Plan>,
    pub(crate) files: Files,
    /// It was ordered as the same as the order before.
    pub(crate) is_repeated: bool,
}

/// An order without its descriptors.
pub(crate) struct Plan {
    pub(crate) task: Task,
    pub(crate) enclosed: Enclosed,
}

/// The descriptors of an order.
pub(crate) struct Files {
    pub(crate) stdin: OwnedFd,
    pub(crate) stdout: Outlet<OwnedFd>,
    pub(crate) stderr: Outlet<OwnedFd>,
    /// Readable when the run has served its purpose.
    pub(crate) until: Option<OwnedFd>,
}

/// Where an output stream goes; `F` stands for the file.
#[derive(Clone, Copy)]
pub(crate) enum Outlet<F = ()> {
    /// Into the answer.
    Capture,
    /// Into a file of the caller's, through the helper.
    File(F),
    /// The program gets the caller's file itself.
    Lent(F),
    /// Into the answer, and on to the caller's pipe.
    Relay(F),
}

impl<F> Outlet<F> {
    /// The caller's file, if there is one.
    pub(crate) fn file(self) -> Option<F> {
        match self {
            Outlet::Capture => None,
            Outlet::File(file) | Outlet::Lent(file) | Outlet::Relay(file) => Some(file),
        }
    }

    /// Where it goes, without the file.
    pub(crate) fn kind(&self) -> Outlet {
        match self {
            Outlet::Capture => Outlet::Capture,
            Outlet::File(_) => Outlet::File(()),
            Outlet::Lent(_) => Outlet::Lent(()),
            Outlet::Relay(_) => Outlet::Relay(()),
        }
    }
}

impl Outlet {
    fn number(self) -> u64 {
        match self {
            Outlet::Capture => 0,
            Outlet::File(()) => 1,
            Outlet::Lent(()) => 2,
            Outlet::Relay(()) => 3,
        }
    }

    fn decode(number: u64) -> Outlet {
        match number {
            0 => Outlet::Capture,
            1 => Outlet::File(()),
            2 => Outlet::Lent(()),
            _ => Outlet::Relay(()),
        }
    }

    /// With the descriptor that came along.
    fn take(self, reader: &mut Reader) -> io::Result<Outlet<OwnedFd>> {
        Ok(match self {
            Outlet::Capture => Outlet::Capture,
            Outlet::File(()) => Outlet::File(reader.fd()?),
            Outlet::Lent(()) => Outlet::Lent(reader.fd()?),
            Outlet::Relay(()) => Outlet::Relay(reader.fd()?),
        })
    }
}

/// Which descriptors travel with an order behind standard input, in this order.
#[derive(Clone, Copy)]
pub(crate) struct Enclosed {
    pub(crate) stdout: Outlet,
    pub(crate) stderr: Outlet,
    pub(crate) until: bool,
    /// Standard input is a sealed file in memory, at its start, that no other process has.
    pub(crate) own_stdin: bool,
    /// Nothing is to run yet: the receiver makes ready for the task, and does not answer.
    pub(crate) only_prepare: bool,
}

/// What an order asks for: its first number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OrderKind {
    /// To run what follows.
    Run,
    /// To run the same once more, with other descriptors.
    Again,
    /// Of the init of a jail: to run what the judge orders again.
    Serve,
}

impl OrderKind {
    const ALL: [OrderKind; 3] = [OrderKind::Run, OrderKind::Again, OrderKind::Serve];

    /// Begins a message.
    pub(crate) fn writer(self) -> Writer {
        let mut writer = Writer::default();
        writer.u64(self as u64);
        writer
    }

    pub(crate) fn decode(reader: &mut Reader) -> io::Result<OrderKind> {
        let number = reader.u64()?;
        OrderKind::ALL.into_iter().find(|kind| *kind as u64 == number).ok_or_else(|| io::ErrorKind::InvalidData.into())
    }
}

/// Writes the order of `task`; the descriptors are sent with it.
pub(crate) fn encode(task: &Task, enclosed: Enclosed) -> Writer {
    let mut writer = OrderKind::Run.writer();
    writer.bytes(task.program.as_os_str().as_bytes()).u64(task.argv.len() as u64);
    for argument in &task.argv {
        writer.bytes(argument.as_bytes());
    }
    writer.u64(task.environment.len() as u64);
    for (name, value) in &task.environment {
        writer.bytes(name.as_bytes()).bytes(value.as_bytes());
    }
    writer.u64(task.visible.len() as u64);
    for visible in &task.visible {
        writer.bytes(visible.path.as_os_str().as_bytes()).u64(u64::from(visible.writable));
    }
    writer.u64(task.hidden.len() as u64);
    for path in &task.hidden {
        writer.bytes(path.as_os_str().as_bytes());
    }
    writer.u64(u64::from(task.folder.is_some()));
    if let Some(folder) = &task.folder {
        writer.bytes(folder.as_os_str().as_bytes());
    }
    let limits = &task.limits;
    writer.option(limits.cpu.map(nanoseconds)).option(limits.wall.map(nanoseconds));
    writer.option(limits.memory).u64(limits.stdout).u64(limits.stderr).option(limits.processes.map(u64::from));
    writer.u64(limits.disk).u64(u64::from(task.exchange.is_some()));
    if let Some(exchange) = &task.exchange {
        encode_exchange(exchange, &mut writer);
    }
    writer.duration(task.leave).u64(u64::from(task.converses));
    writer.u64(enclosed.stdout.number()).u64(enclosed.stderr.number()).u64(u64::from(enclosed.until));
    writer.u64(u64::from(enclosed.own_stdin)).u64(u64::from(enclosed.only_prepare));
    writer
}

impl Order {
    /// Reads an order. `last`: the one before, which may be asked for once more; this one from now on.
    pub(crate) fn decode(reader: &mut Reader, last: &mut Option<Rc<Plan>>) -> io::Result<Order> {
        let (plan, is_repeated) = match (OrderKind::decode(reader)?, &*last) {
            (OrderKind::Run, _) => (&*last.insert(Plan::decode(reader)?.into()), false),
            (OrderKind::Again, Some(plan)) => (plan, true),
            _ => return Err(io::ErrorKind::InvalidData.into()),
        };
        Ok(Order { plan: Rc::clone(plan), files: Files::take(plan.enclosed, reader)?, is_repeated })
    }
}

impl Files {
    fn take(enclosed: Enclosed, reader: &mut Reader) -> io::Result<Files> {
        Ok(Files {
            stdin: reader.fd()?,
            stdout: enclosed.stdout.take(reader)?,
            stderr: enclosed.stderr.take(reader)?,
            until: enclosed.until.then(|| reader.fd()).transpose()?,
        })
    }
}

impl Plan {
    /// Whether a program captures all that it takes and makes in memory, as most do.
    pub(crate) fn is_plain(&self) -> bool {
        let Enclosed { stdout, stderr, until, own_stdin, only_prepare } = self.enclosed;
        let captures = [stdout, stderr].iter().all(|outlet| matches!(outlet, Outlet::Capture));
        captures && own_stdin && !until && !only_prepare && self.task.exchange.is_none()
    }

    /// Reads an order without its descriptors, for a receiver that makes ready for it.
    pub(crate) fn to_prepare(reader: &mut Reader) -> io::Result<Plan> {
        match OrderKind::decode(reader)? {
            OrderKind::Run => Plan::decode(reader),
            OrderKind::Again | OrderKind::Serve => Err(io::ErrorKind::InvalidData.into()),
        }
    }

    fn decode(reader: &mut Reader) -> io::Result<Plan> {
        let program = PathBuf::from(reader.os_string()?);
        let argv = (0..reader.u64()?).map(|_| reader.os_string()).collect::<io::Result<_>>()?;
        let environment =
            (0..reader.u64()?).map(|_| Ok((reader.os_string()?, reader.os_string()?))).collect::<io::Result<_>>()?;
        let visible = (0..reader.u64()?)
            .map(|_| Ok(Visible { path: reader.os_string()?.into(), writable: reader.u64()? != 0 }))
            .collect::<io::Result<_>>()?;
        let hidden = (0..reader.u64()?).map(|_| Ok(reader.os_string()?.into())).collect::<io::Result<_>>()?;
        let folder = if reader.u64()? == 0 { None } else { Some(reader.os_string()?.into()) };
        let limits = Limits {
            cpu: reader.option()?.map(Duration::from_nanos),
            wall: reader.option()?.map(Duration::from_nanos),
            memory: reader.option()?,
            stdout: reader.u64()?,
            stderr: reader.u64()?,
            processes: reader.option()?.map(|count| u32::try_from(count).unwrap_or(u32::MAX)),
            disk: reader.u64()?,
        };
        let exchange = if reader.u64()? == 0 { None } else { Some(decode_exchange(reader)?) };
        let (leave, converses) = (reader.duration()?, reader.u64()? != 0);
        let (stdout, stderr) = (Outlet::decode(reader.u64()?), Outlet::decode(reader.u64()?));
        let (until, own_stdin, only_prepare) = (reader.u64()? != 0, reader.u64()? != 0, reader.u64()? != 0);
        let task = Task { program, argv, environment, visible, hidden, folder, limits, exchange, leave, converses };
        let enclosed = Enclosed { stdout, stderr, until, own_stdin, only_prepare };
        Ok(Plan { task, enclosed })
    }
}

/// The helper's answer: what is in [`Execution`](crate::Execution) but for the captured bytes.
pub(crate) struct Answer {
    pub(crate) end: End,
    pub(crate) breaches: Vec<Breach>,
    pub(crate) usage: Usage,
    pub(crate) stdout: Captured,
    pub(crate) stderr: Captured,
    pub(crate) made: Made,
}

/// What was captured of an output stream.
pub(crate) enum Captured {
    /// These bytes.
    Here(Vec<u8>),
    /// The first bytes of a file in memory, this many.
    InFile { file: OwnedFd, length: u64 },
}

impl Captured {
    fn encode(&self, writer: &mut Writer) {
        match self {
            Captured::Here(bytes) => writer.u64(0).bytes(bytes),
            Captured::InFile { length, .. } => writer.u64(1).u64(*length),
        };
    }

    fn decode(reader: &mut Reader) -> io::Result<Captured> {
        Ok(match reader.u64()? {
            0 => Captured::Here(reader.bytes()?),
            _ => Captured::InFile { length: reader.u64()?, file: reader.fd()? },
        })
    }

    fn file(&self) -> Option<BorrowedFd<'_>> {
        match self {
            Captured::Here(_) => None,
            Captured::InFile { file, .. } => Some(file.as_fd()),
        }
    }

    /// All that was captured.
    pub(crate) fn bytes(self) -> io::Result<Vec<u8>> {
        let (file, length) = match self {
            Captured::Here(bytes) => return Ok(bytes),
            Captured::InFile { file, length } => (File::from(file), length),
        };
        let mut bytes = vec![0; usize::try_from(length).map_err(|_| io::ErrorKind::OutOfMemory)?];
        file.read_exact_at(&mut bytes, 0)?;
        Ok(bytes)
    }
}

const BREACHES: [Breach; 6] =
    [Breach::Output, Breach::Disk, Breach::Cpu, Breach::Wall, Breach::Memory, Breach::Processes];

/// The descriptors that travel with an answer.
pub(crate) fn captured_files(answer: &Result<Answer, Fault>) -> Vec<BorrowedFd<'_>> {
    answer.iter().flat_map(|answer| [&answer.stdout, &answer.stderr]).filter_map(Captured::file).collect()
}

/// Writes what the helper has to say about a run; [`captured_files`] are sent with it.
pub(crate) fn encode_answer(answer: &Result<Answer, Fault>) -> Writer {
    let mut writer = Writer::default();
    match answer {
        Ok(answer) => {
            let (kind, value) = match answer.end {
                End::Exited(code) => (0, code),
                End::Signalled(signal) => (1, signal),
                End::NotStarted(errno) => (2, errno),
            };
            let breaches = (0..).zip(BREACHES).filter(|(_, breach)| answer.breaches.contains(breach));
            let usage = &answer.usage;
            writer.u64(1).u64(kind).u64(u64::from(value.cast_unsigned()));
            writer.u64(breaches.fold(0, |bits, (index, _)| bits | 1 << index));
            writer.duration(usage.cpu).duration(usage.wall).option(usage.memory);
            writer.u64(usage.stdout_bytes).u64(usage.stderr_bytes).u64(usage.relayed_bytes);
            for time in [usage.run_delay, usage.stolen] {
                writer.option(time.map(nanoseconds));
            }
            answer.stdout.encode(&mut writer);
            answer.stderr.encode(&mut writer);
            encode_made(&answer.made, &mut writer);
        }
        Err(fault) => {
            let (action, errno) = match fault {
                Fault::System { action, source } => (action.clone(), source.raw_os_error().unwrap_or(libc::EIO)),
                other => (other.to_string(), libc::EIO),
            };
            writer.u64(0).bytes(action.as_bytes()).u64(u64::from(errno.cast_unsigned()));
        }
    }
    writer
}

/// Reads what [`encode_answer`] wrote. The outer error is a broken message.
pub(crate) fn decode_answer(reader: &mut Reader) -> io::Result<Result<Answer, Fault>> {
    if reader.u64()? == 0 {
        let action = String::from_utf8_lossy(&reader.bytes()?).into_owned();
        let source = io::Error::from_raw_os_error(signed(reader.u64()?));
        return Ok(Err(Fault::System { action, source }));
    }
    let (kind, value) = (reader.u64()?, signed(reader.u64()?));
    let end = match kind {
        0 => End::Exited(value),
        1 => End::Signalled(value),
        _ => End::NotStarted(value),
    };
    let bits = reader.u64()?;
    let breaches = (0..).zip(BREACHES).filter(|(index, _)| bits & (1 << index) != 0).map(|(_, breach)| breach);
    Ok(Ok(Answer {
        end,
        breaches: breaches.collect(),
        usage: Usage {
            cpu: reader.duration()?,
            wall: reader.duration()?,
            memory: reader.option()?,
            stdout_bytes: reader.u64()?,
            stderr_bytes: reader.u64()?,
            relayed_bytes: reader.u64()?,
            run_delay: reader.option()?.map(Duration::from_nanos),
            stolen: reader.option()?.map(Duration::from_nanos),
        },
        stdout: Captured::decode(reader)?,
        stderr: Captured::decode(reader)?,
        made: decode_made(reader)?,
    }))
}

/// A C `int` that travelled as a `u64`.
fn signed(value: u64) -> i32 {
    (value as u32).cast_signed()
}

//# Files on their way between the judge and its helpers.

/// Writes what a run is given and what is taken from it.
fn encode_exchange(exchange: &Exchange, writer: &mut Writer) {
    encode_files(&exchange.given, writer);
    writer.u64(exchange.variables.len() as u64);
    for variable in &exchange.variables {
        writer.bytes(variable.as_bytes());
    }
    writer.bytes(exchange.made_in.as_bytes()).u64(exchange.wanted.len() as u64);
    for name in &exchange.wanted {
        writer.bytes(name.as_bytes());
    }
    writer.u64(u64::from(exchange.after_any_exit)).u64(exchange.most_files).u64(exchange.most_bytes);
}

/// Reads what [`encode`] wrote.
fn decode_exchange(reader: &mut Reader) -> io::Result<Exchange> {
    Ok(Exchange {
        given: decode_files(reader)?,
        variables: (0..reader.u64()?).map(|_| reader.os_string()).collect::<io::Result<_>>()?,
        made_in: reader.os_string()?,
        wanted: (0..reader.u64()?).map(|_| reader.os_string()).collect::<io::Result<_>>()?,
        after_any_exit: reader.u64()? != 0,
        most_files: reader.u64()?,
        most_bytes: reader.u64()?,
    })
}

/// Writes the files that a program made, or why there are none.
pub(crate) fn encode_made(made: &Made, writer: &mut Writer) {
    writer.u64(u64::from(made.is_ok()));
    match made {
        Ok(files) => encode_files(files, writer),
        Err(why) => {
            writer.bytes(why.as_bytes());
        }
    }
}

/// Reads what [`encode_made`] wrote.
pub(crate) fn decode_made(reader: &mut Reader) -> io::Result<Made> {
    if reader.u64()? == 0 {
        return Ok(Err(String::from_utf8_lossy(&reader.bytes()?).into_owned()));
    }
    decode_files(reader).map(Ok)
}

fn encode_files(files: &[WorkFile], writer: &mut Writer) {
    writer.u64(files.len() as u64);
    for file in files {
        writer.bytes(file.path.as_os_str().as_bytes()).bytes(&file.bytes).u64(u64::from(file.executable));
    }
}

fn decode_files(reader: &mut Reader) -> io::Result<Vec<WorkFile>> {
    let count = reader.u64()?;
    let file = |_| {
        let (path, bytes) = (reader.os_string()?.into(), reader.bytes()?);
        Ok(WorkFile { path, bytes, executable: reader.u64()? != 0 })
    };
    (0..count).map(file).collect()
}

//# How a helper is to work, as its judge tells it.

/// How a helper is to work: the first message that it gets.
pub(crate) struct Settings {
    pub(crate) tier: Tier,
    pub(crate) core: Option<u64>,
    /// For the tiers with control groups.
    pub(crate) site: Option<Site>,
    /// For the working folder of the tiers without namespaces.
    pub(crate) scratch: PathBuf,
    /// Unique on this machine.
    pub(crate) name: String,
    /// For the tiers without namespaces.
    pub(crate) leash: Option<Leash>,
}

impl Settings {
    pub(crate) fn send(&self, socket: impl AsFd) -> io::Result<()> {
        let mut writer = Writer::default();
        writer.bytes(self.tier.name().as_bytes()).option(self.core);
        writer.bytes(self.scratch.as_os_str().as_bytes()).bytes(self.name.as_bytes());
        writer.u64(u64::from(self.site.is_some()));
        if let Some(site) = &self.site {
            site.encode(&mut writer);
        }
        writer.u64(u64::from(self.leash.is_some()));
        let leash = self.leash.iter().flat_map(|leash| [leash.alive.as_fd(), leash.charge.as_fd()]);
        writer.send(socket, &leash.collect::<Vec<_>>())
    }

    pub(crate) fn receive(reader: &mut Reader) -> io::Result<Settings> {
        let invalid = |_| io::Error::from(io::ErrorKind::InvalidData);
        Ok(Settings {
            tier: String::from_utf8_lossy(&reader.bytes()?).parse().map_err(invalid)?,
            core: reader.option()?,
            scratch: reader.os_string()?.into(),
            name: String::from_utf8_lossy(&reader.bytes()?).into_owned(),
            site: if reader.u64()? == 0 { None } else { Some(Site::decode(reader)?) },
            leash: match reader.u64()? {
                0 => None,
                _ => Some(Leash { alive: reader.fd()?, charge: reader.fd()? }),
            },
        })
    }
}
