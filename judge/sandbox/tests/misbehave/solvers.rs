//! Well-behaved programs in the languages of solvers.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use judge_sandbox::{End, Sandbox, Visible};

use super::judge_level::check;
use super::pace::patiently;
use super::request;
use super::require::{Need, skip};
use super::scene::folder_for_all;

/// A program, its arguments and its expected output.
type Try<'a> = (Need, &'a str, &'a [&'a str], &'a str);

/// What ordinary solvers need works: interpreters, a static program and one with shared libraries.
pub(crate) fn interpreters(sandbox: &Sandbox, programs: &Path) -> Result<(), String> {
    let folder = folder_for_all(programs);
    let static_program = programs.join("output").display().to_string();
    let shared = folder.path().join("shared");
    let no_shared = compile_shared(folder.path(), &shared).err();
    let shared = shared.display().to_string();
    let tries: [Try; 8] = [
        (Need::Python, "/usr/bin/python3", &["-c", "import random, json, threading; print(sum(range(10)))"], "45\n"),
        (Need::Python, "/usr/bin/python3", &["-c", DATABASE], "6\n"),
        (Need::Python, "/usr/bin/python3", &["-c", PROCESSES], "[0, 1, 4, 9] 7 42\n"),
        (Need::Python, "/usr/bin/python3", &["-c", EVENTS], "b'9\\n'\n"),
        (Need::Node, "/usr/bin/node", &["-e", "console.log(6 * 7)"], "42\n"),
        (Need::Node, "/usr/bin/node", &["-e", MESSAGES], "42\n7\n\n"),
        (Need::Bash, "/bin/bash", &["-c", "echo $((3 + 4)) | cat"], "7\n"),
        (Need::Cc, &static_program, &["exactly", "3"], "xxx"),
    ];
    all_work(sandbox, folder.path(), &tries)?;
    match no_shared {
        Some(why) => skip(Need::Cplusplus, why),
        None => all_work(sandbox, folder.path(), &[(Need::Cplusplus, &shared, &[], "45\n")])?,
    }
    Ok(())
}

/// Java's virtual machine works, with a program from source if the compiler is there, too.
pub(crate) fn java(sandbox: &Sandbox, programs: &Path) -> Result<(), String> {
    let folder = folder_for_all(programs);
    let source = folder.path().join("Sum.java");
    fs::write(&source, JAVA).unwrap();
    // Because the compiler is part of a JDK.
    let runs_sources = if Path::new("/usr/bin/javac").exists() { "/usr/bin/java" } else { "/usr/bin/javac" };
    let source = source.display().to_string();
    all_work(
        sandbox,
        folder.path(),
        &[(Need::Java, "/usr/bin/java", &["--version"], ""), (Need::Java, runs_sources, &[&source], "45\n")],
    )
}

/// Every installed one works.
fn all_work(sandbox: &Sandbox, folder: &Path, tries: &[Try]) -> Result<(), String> {
    let mut worker = sandbox.worker(None).unwrap();
    for &(need, program, arguments, expected) in tries {
        if !Path::new(program).exists() {
            skip(need, format!("{program} is not there"));
            continue;
        }
        let argv: Vec<String> = [program].iter().chain(arguments).map(|&word| word.to_owned()).collect();
        let mut request = request(program.into(), &argv);
        request.visible = vec![Visible { path: folder.to_path_buf(), writable: false }];
        request.limits.memory = Some(1 << 30);
        request.limits.processes = Some(64);
        request.limits.cpu = Some(patiently(Duration::from_secs(20)));
        request.limits.wall = Some(patiently(Duration::from_secs(60)));
        let execution = worker.run(&request).map_err(|fault| fault.to_string())?;
        let fine = execution.end == End::Exited(0) && execution.breaches.is_empty();
        let said = expected.is_empty() || execution.stdout == expected.as_bytes();
        check(fine && said, || format!("{argv:?}: {execution:?} {}", String::from_utf8_lossy(&execution.stderr)))?;
    }
    Ok(())
}

/// A file that is locked.
const DATABASE: &str = "
import sqlite3
base = sqlite3.connect('base')
base.execute('create table numbers (number)')
base.execute('insert into numbers values (6)')
base.commit()
print(base.execute('select number from numbers').fetchone()[0])
";

/// Processes that communicate by a connection, shared memory and a pipe.
const PROCESSES: &str = "
import mmap, multiprocessing, os, subprocess, sys
def work(end, memory):
    memory[0] = 7
    end.send([number * number for number in range(4)])
memory = mmap.mmap(-1, 1 << 20)
ours, theirs = multiprocessing.Pipe()
child = multiprocessing.Process(target=work, args=(theirs, memory))
child.start()
squares = ours.recv()
child.join()
print(squares, memory[0], subprocess.run([sys.executable, '-c', 'print(42)'], capture_output=True, text=True).stdout.strip())
";

/// An event loop that wakes itself by a pair of sockets, and a child of it.
const EVENTS: &str = "
import asyncio
async def work():
    child = await asyncio.create_subprocess_exec('/bin/sh', '-c', 'echo $((4 + 5))', stdout=asyncio.subprocess.PIPE)
    print((await child.communicate())[0])
asyncio.run(work())
";

/// Children that communicate by pairs of sockets.
const MESSAGES: &str = "
const { execFile, spawn } = require('child_process');
const child = spawn(process.execPath, ['-e', 'process.send(42, () => process.disconnect())'], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
child.on('message', number => {
    console.log(number);
    execFile('/bin/sh', ['-c', 'echo 7'], (error, out) => console.log(error || out));
});
";

const JAVA: &str = "
class Sum {
    public static void main(String[] words) {
        System.out.println(java.util.stream.IntStream.range(0, 10).parallel().sum());
    }
}
";

/// Threads, exceptions and a heap, so that the usual libraries are loaded.
const CPLUSPLUS: &str = "
#include <iostream>
#include <numeric>
#include <thread>
#include <vector>
int main() {
    std::vector<int> numbers(10);
    std::iota(numbers.begin(), numbers.end(), 0);
    int sum = 0;
    std::thread worker([&] {
        try {
            throw std::accumulate(numbers.begin(), numbers.end(), 0);
        } catch (int thrown) {
            sum = thrown;
        }
    });
    worker.join();
    std::cout << sum << std::endl;
}
";

/// Compiles a C++ program to `program`. `Err` says why that is impossible here.
fn compile_shared(folder: &Path, program: &Path) -> Result<(), String> {
    let source = folder.join("shared.cc");
    fs::write(&source, CPLUSPLUS).unwrap();
    let output = Command::new("c++").args(["-O1", "-pthread", "-o"]).arg(program).arg(&source).output();
    let output = output.map_err(|error| format!("no C++ compiler: {error}"))?;
    check(output.status.success(), || String::from_utf8_lossy(&output.stderr).into_owned())
}
