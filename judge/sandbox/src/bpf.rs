//! Writes filters for the kernel's packet filter machine: a table of system calls becomes a tree of comparisons.

use std::collections::BTreeMap;

use libc::{BPF_ABS, BPF_ALU, BPF_AND, BPF_JEQ, BPF_JGE, BPF_JMP, BPF_K, BPF_LD, BPF_RET, BPF_W, c_long, sock_filter};

#[cfg(target_arch = "x86_64")]
pub(crate) const ARCHITECTURE: u32 = 0xc000_003e;
#[cfg(target_arch = "aarch64")]
pub(crate) const ARCHITECTURE: u32 = 0xc000_00b7;

/// Calls of this number and above are those of the x32 interface.
pub(crate) const X32: u32 = 0x4000_0000;

pub(crate) const OFFSET_NUMBER: u32 = 0;
pub(crate) const OFFSET_ARCHITECTURE: u32 = 4;

/// Offset of the low half of an argument.
pub(crate) const fn argument(index: u32) -> u32 {
    16 + 8 * index
}

/// What happens at which call, by number; all others are allowed.
#[derive(Default)]
pub(crate) struct Table(BTreeMap<u32, Action>);

/// What happens at a call.
enum Action {
    Fail(i32),
    /// It depends on the arguments.
    Look(Code),
}

impl Table {
    pub(crate) fn each(&mut self, numbers: &[c_long], errno: i32) {
        self.0.extend(numbers.iter().map(|&number| (number as u32, Action::Fail(errno))));
    }

    /// `body` looks at the arguments of one call, which is allowed if nothing in there speaks against it.
    pub(crate) fn arguments(&mut self, number: c_long, body: impl FnOnce(&mut Code)) {
        let mut code = Code::default();
        body(&mut code);
        code.allow();
        self.0.insert(number as u32, Action::Look(code));
    }

    /// A tree of comparisons with a common tail. The kernel translates the filter and tries it on every call there is
    /// when it is put on: as a plain list that took 0.3 ms of each run, like this a tenth.
    pub(crate) fn compile(self) -> Vec<sock_filter> {
        let mut tails = Tails::default();
        let mut ranges = vec![Range { start: 0, tail: tails.allow() }];
        let mut next = 0;
        for (number, action) in self.0 {
            if number > next && next > 0 {
                ranges.push(Range { start: next, tail: tails.allow() });
            }
            let tail = tails.of(action);
            ranges.push(Range { start: number, tail });
            next = number + 1;
        }
        ranges.push(Range { start: next, tail: tails.allow() });
        // Neighbours with the same end are one.
        ranges.dedup_by_key(|range| range.tail);
        let mut code = Code::default();
        code.load(OFFSET_ARCHITECTURE);
        code.unless(BPF_JEQ, ARCHITECTURE, libc::ENOSYS);
        code.load(OFFSET_NUMBER);
        code.when(BPF_JGE, X32, libc::ENOSYS);
        let mut forks = Vec::new();
        branch(&ranges, &mut code, &mut forks);
        tails.append(code, &forks)
    }
}

/// Calls from `start` up to the next range's end in the same way.
struct Range {
    start: u32,
    tail: usize,
}

/// Where a comparison leads.
#[derive(Clone, Copy)]
enum Label {
    Instruction(usize),
    Tail(usize),
}

/// A comparison whose ways are not known yet.
struct Fork {
    at: usize,
    yes: Label,
    no: Label,
}

/// Writes the comparisons that find the range of a call.
fn branch(ranges: &[Range], code: &mut Code, forks: &mut Vec<Fork>) -> Label {
    if let [range] = ranges {
        return Label::Tail(range.tail);
    }
    let (left, right) = ranges.split_at(ranges.len() / 2);
    let at = code.0.len();
    code.push(BPF_JMP | BPF_JGE | BPF_K, right[0].start);
    let no = branch(left, code, forks);
    let yes = branch(right, code, forks);
    forks.push(Fork { at, yes, no });
    Label::Instruction(at)
}

/// The ends of the tree, each once: first that which allows, then by error number, then those that look further.
#[derive(Default)]
struct Tails {
    bodies: Vec<Code>,
    fails: BTreeMap<i32, usize>,
}

impl Tails {
    fn allow(&mut self) -> usize {
        if self.bodies.is_empty() {
            let mut code = Code::default();
            code.allow();
            self.bodies.push(code);
        }
        0
    }

    fn of(&mut self, action: Action) -> usize {
        let code = match action {
            Action::Look(code) => code,
            Action::Fail(errno) => {
                if let Some(&known) = self.fails.get(&errno) {
                    return known;
                }
                self.fails.insert(errno, self.bodies.len());
                let mut code = Code::default();
                code.fail(errno);
                code
            }
        };
        self.bodies.push(code);
        self.bodies.len() - 1
    }

    /// Puts the ends behind the tree and leads the comparisons there.
    fn append(self, mut code: Code, forks: &[Fork]) -> Vec<sock_filter> {
        let mut places = Vec::new();
        for body in self.bodies {
            places.push(code.0.len());
            code.0.extend(body.0);
        }
        for fork in forks {
            let distance = |label| {
                let place = match label {
                    Label::Instruction(at) => at,
                    Label::Tail(tail) => places[tail],
                };
                // A test keeps the whole filter short enough for every distance.
                (place - fork.at - 1) as u8
            };
            (code.0[fork.at].jt, code.0[fork.at].jf) = (distance(fork.yes), distance(fork.no));
        }
        code.0
    }
}

/// A piece of a filter being written.
#[derive(Default)]
pub(crate) struct Code(Vec<sock_filter>);

impl Code {
    fn push(&mut self, code: u32, k: u32) {
        self.0.push(sock_filter { code: code as u16, jt: 0, jf: 0, k });
    }

    pub(crate) fn load(&mut self, offset: u32) {
        self.push(BPF_LD | BPF_W | BPF_ABS, offset);
    }

    pub(crate) fn mask(&mut self, bits: u32) {
        self.push(BPF_ALU | BPF_AND | BPF_K, bits);
    }

    fn fail(&mut self, errno: i32) {
        self.push(BPF_RET | BPF_K, libc::SECCOMP_RET_ERRNO | errno.cast_unsigned());
    }

    /// Asks whoever listens.
    pub(crate) fn notify(&mut self) {
        self.push(BPF_RET | BPF_K, libc::SECCOMP_RET_USER_NOTIF);
    }

    /// Asks unless what is loaded is `k`.
    pub(crate) fn notify_unless(&mut self, k: u32) {
        self.0.push(sock_filter { code: (BPF_JMP | BPF_JEQ | BPF_K) as u16, jt: 1, jf: 0, k });
        self.notify();
    }

    fn allow(&mut self) {
        self.push(BPF_RET | BPF_K, libc::SECCOMP_RET_ALLOW);
    }

    /// Fails with `errno` when the comparison of what is loaded with `k` holds.
    pub(crate) fn when(&mut self, comparison: u32, k: u32, errno: i32) {
        self.0.push(sock_filter { code: (BPF_JMP | comparison | BPF_K) as u16, jt: 0, jf: 1, k });
        self.fail(errno);
    }

    /// Fails with `errno` when it does not.
    pub(crate) fn unless(&mut self, comparison: u32, k: u32, errno: i32) {
        self.0.push(sock_filter { code: (BPF_JMP | comparison | BPF_K) as u16, jt: 1, jf: 0, k });
        self.fail(errno);
    }

    pub(crate) fn allow_when(&mut self, k: u32) {
        self.0.push(sock_filter { code: (BPF_JMP | BPF_JEQ | BPF_K) as u16, jt: 0, jf: 1, k });
        self.allow();
    }
}
