//! A program in each of many languages: threads, timers, signals, a temporary file and a shell, if the language has
//! them.

use crate::support::Folder;
use crate::support::require::Need;
use std::process::Command;

/// A program that ends with the line `end` and the exit code 3.
pub(crate) struct Language {
    pub(crate) need: Need,
    pub(crate) file: &'static str,
    pub(crate) source: &'static str,
    /// The command that compiles it to `program`, if any.
    compiler: Option<&'static str>,
    /// The command that runs it.
    command: &'static str,
}

impl Language {
    /// Compiles it, and returns the words that run it. `Err` says what is missing.
    pub(crate) fn ready(&self, folder: &Folder) -> Result<Vec<String>, String> {
        let is_here = |name: &str| {
            let path = std::env::var_os("PATH").unwrap_or_default();
            std::env::split_paths(&path).any(|place| place.join(name).is_file())
        };
        let line = self.compiler.unwrap_or(self.command);
        let words: Vec<&str> = line.split(' ').collect();
        if !is_here(words[0]) {
            return Err(format!("{}: there is no {}", self.file, words[0]));
        }
        if self.compiler.is_some() {
            let output = Command::new(words[0]).args(&words[1..]).current_dir(folder.path()).output().unwrap();
            assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
            return Ok(vec![folder.path().join("program").display().to_string()]);
        }
        let full = |word: &str| match word == self.file {
            true => folder.path().join(word).display().to_string(),
            false => word.to_owned(),
        };
        Ok(words.into_iter().map(full).collect())
    }
}

pub(crate) const ALL: [Language; 10] = [
    Language {
        need: Need::Cplusplus,
        file: "program.cpp",
        compiler: Some("c++ -O1 -pthread -o program program.cpp"),
        command: "",
        source: r#"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <future>
#include <iostream>
#include <stdexcept>
#include <thread>
#include <vector>
int main() {
    std::vector<std::future<int>> all;
    for (int i = 0; i < 4; i++) all.push_back(std::async(std::launch::async, [i] { std::this_thread::sleep_for(std::chrono::milliseconds(2)); return i * i; }));
    int sum = 0;
    for (auto &one : all) sum += one.get();
    std::cout << sum << '\n';
    try { std::vector<int>().at(1); } catch (const std::out_of_range &) { std::cout << "thrown\n"; }
    std::ofstream("temporary") << "text";
    std::string text;
    std::ifstream("temporary") >> text;
    std::remove("temporary");
    std::cout << text << std::endl << std::system("exit 2") / 256 << std::endl;
    std::cout << "end" << std::endl;
    return 3;
}
"#,
    },
    Language {
        need: Need::Python,
        file: "program.py",
        compiler: None,
        command: "python3 program.py",
        source: r#"
import locale, mmap, os, random, signal, subprocess, sys, tempfile, threading, time
total, lock = 0, threading.Lock()
def add(number):
    global total
    with lock: total += number
threads = [threading.Thread(target=add, args=(i,)) for i in range(8)]
[thread.start() for thread in threads]; [thread.join() for thread in threads]
print(total)
caught = []
signal.signal(signal.SIGALRM, lambda number, frame: caught.append(number))
signal.setitimer(signal.ITIMER_REAL, 0.005)
while not caught: time.sleep(0.001)
os.kill(os.getpid(), signal.SIGALRM)
print(caught, locale.setlocale(locale.LC_ALL, ""), sys.getfilesystemencoding(), sys.stdout.encoding)
with tempfile.TemporaryFile(dir=".") as file:
    file.write(b"x" * 8192); file.flush()
    with mmap.mmap(file.fileno(), 0) as mapped: print(mapped[8191])
print(subprocess.run(["sh", "-c", "echo from a shell; exit 4"], stdout=subprocess.PIPE))
read, write = os.pipe()
if os.fork() == 0: os.write(write, b"child"); os._exit(5)
print(os.read(read, 9), os.waitstatus_to_exitcode(os.wait()[1]))
random.seed(1); print(random.random(), 2 ** 200, "%.3f" % 0.0005, len(os.urandom(4)))
print("end"); sys.exit(3)
"#,
    },
    Language {
        need: Need::Java,
        file: "Program.java",
        compiler: None,
        command: "java Program.java",
        source: r#"
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.stream.*;
public class Program {
    static int depth(int n) { return depth(n + 1) + 1; }
    public static void main(String[] words) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(4);
        List<Future<Integer>> all = new ArrayList<>();
        for (int i = 0; i < 8; i++) { int n = i; all.add(pool.submit(() -> n * n)); }
        int sum = 0;
        for (Future<Integer> one : all) sum += one.get();
        pool.shutdown();
        System.out.println(sum + " " + IntStream.range(0, 1000).parallel().sum());
        try { depth(0); } catch (StackOverflowError error) { System.out.println("deep"); }
        try { Object none = null; none.hashCode(); } catch (NullPointerException error) { System.out.println("null"); }
        Path file = Files.createTempFile(Path.of("."), "a", "b");
        Files.writeString(file, "text \u00e9");
        System.out.println(Files.readString(file) + String.format("%.3f", 0.5));
        Files.delete(file);
        System.gc();
        System.out.println("end");
        System.exit(3);
    }
}
"#,
    },
    Language {
        need: Need::Node,
        file: "program.js",
        compiler: None,
        command: "node program.js",
        source: r#"
const { Worker } = require("worker_threads"), fs = require("fs"), { execSync } = require("child_process");
fs.writeFileSync("temporary", "text"); console.log(fs.readFileSync("temporary", "utf8")); fs.unlinkSync("temporary");
console.log(execSync("echo from a shell").toString().trim(), 2n ** 100n, [3, 10, 2].sort());
process.on("SIGUSR2", () => {
  console.log("signal");
  new Worker("require('worker_threads').parentPort.postMessage(6 * 7)", { eval: true }).on("message", (text) => {
    console.log(text); console.log("end"); process.exitCode = 3;
    clearInterval(alive);
  });
});
const alive = setInterval(() => {}, 1000);
setTimeout(() => process.kill(process.pid, "SIGUSR2"), 5);
"#,
    },
    Language {
        need: Need::Lua,
        file: "program.lua",
        compiler: None,
        command: "lua program.lua",
        source: r#"
local file = io.open("temporary", "w"); file:write("text"); file:close()
print(io.open("temporary"):read("a"), os.remove("temporary"), os.setlocale(""))
print(io.popen("echo from a shell"):read("a"), select(3, os.execute("exit 4")), coroutine.wrap(function() coroutine.yield(7) end)())
print(pcall(error, "thrown"), string.format("%.3f", 0.5), os.clock() >= 0)
print("end") os.exit(3)
"#,
    },
    Language {
        need: Need::Perl,
        file: "program.pl",
        compiler: None,
        command: "perl program.pl",
        source: r#"
$| = 1; use Time::HiRes qw(setitimer ITIMER_REAL sleep);
$SIG{ALRM} = sub { $caught++ }; setitimer(ITIMER_REAL, 0.005); sleep 0.001 until $caught; print "alarm $caught\n";
open F, ">temporary"; print F "text"; close F; open F, "temporary"; print <F>, unlink("temporary"), "\n";
print `echo from a shell`, system("exit 4") >> 8, "\n";
pipe R, W; unless (fork) { syswrite W, "child"; exit 5 } wait; sysread R, $text, 5; print $text, $? >> 8, "\n";
print sprintf("%.3f", 0.5), " ", join(",", sort { $a <=> $b } 10, 9, 2), "\nend\n"; exit 3;
"#,
    },
    Language {
        need: Need::Ruby,
        file: "program.rb",
        compiler: None,
        command: "ruby program.rb",
        source: r#"
$stdout.sync = true
puts 8.times.map { |i| Thread.new { i * i } }.sum(&:value)
trap("USR1") { $caught = true }; Process.kill("USR1", Process.pid); sleep 0.001 until $caught; puts "signal"
File.write("temporary", "text"); puts File.read("temporary"), File.delete("temporary")
puts `echo from a shell`, $?.exitstatus, 2**100, Encoding.default_external
read, write = IO.pipe; pid = fork { write.write "child"; exit! 5 }; Process.wait pid; puts read.readpartial(9), $?.exitstatus
def deep(n) = deep(n + 1) + 1
begin; deep 0; rescue SystemStackError; puts "deep"; end
puts "end"; exit 3
"#,
    },
    Language {
        need: Need::Php,
        file: "program.php",
        compiler: None,
        command: "php program.php",
        source: r#"<?php
file_put_contents("temporary", "text"); echo file_get_contents("temporary"), unlink("temporary"), "\n";
exec("echo from a shell; exit 4", $lines, $code); echo $lines[0], $code, "\n";
usleep(1000); mt_srand(1); echo mt_rand(), " ", PHP_INT_MAX, " ", number_format(0.5, 3), "\n";
echo "end\n"; exit(3);
"#,
    },
    Language {
        need: Need::Ocaml,
        file: "program.ml",
        compiler: None,
        command: "ocaml program.ml",
        source: r#"
let () =
  let file = open_out "temporary" in output_string file "text"; close_out file;
  print_endline (input_line (open_in "temporary")); Sys.remove "temporary";
  Printf.printf "%d %.3f %d\n%!" (Sys.command "exit 4") 0.5 max_int;
  (try ignore (List.hd []) with Failure why -> print_endline why);
  print_endline "end"; exit 3
"#,
    },
    Language {
        need: Need::Pascal,
        file: "program.pas",
        compiler: Some("fpc -v0 -oprogram program.pas"),
        command: "",
        source: r#"
program harmless;
{$mode objfpc}
uses sysutils;
var f: text; line: string;
begin
  assign(f, 'temporary'); rewrite(f); writeln(f, 'text'); close(f);
  reset(f); readln(f, line); close(f); erase(f);
  writeln(line, ' ', 0.5:0:3, ' ', high(int64), ' ', ExecuteProcess('/bin/sh', ['-c', 'exit 4']));
  try raise Exception.Create('thrown'); except on e: Exception do writeln(e.message); end;
  writeln('end'); halt(3);
end.
"#,
    },
];
