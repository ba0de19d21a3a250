//! Every built-in language, the folders that can be solvers, and the tables that change languages.

use crate::support::documents::document;
use crate::support::require::{Need, skip};
use crate::support::{Folder, Said};
use serde_json::Value;
use std::process::Command;

/// The name of a source file, a source that prints `0`, and the programs that it needs.
const HELLO: &[(&str, &str, Need, &[&str])] = &[
    ("a.c", "int puts(const char *);\nint main(void) { puts(\"0\"); }\n", Need::Cc, &["gcc"]),
    ("a.cpp", "#include <iostream>\nint main() { std::cout << 0 << std::endl; }\n", Need::Cplusplus, &["g++"]),
    ("a.rs", "fn main() { println!(\"0\"); }\n", Need::Cc, &["rustc"]),
    ("a.go", "package main\nimport \"fmt\"\nfunc main() { fmt.Println(0) }\n", Need::Go, &["go"]),
    (
        "a.java",
        "package x.y;\n// public class No {}\nclass Helper { static int zero() { return 0; } }\n\
         public final class Solver { public static void main(String[] a) { System.out.println(Helper.zero()); } }\n",
        Need::Java,
        &["javac"],
    ),
    ("a.kt", "fun main(args: Array<String>) { println(0) }\n", Need::Kotlin, &["kotlinc", "java"]),
    ("a.py", "print(0)\n", Need::Python, &["python3"]),
    ("a.js", "console.log(0)\n", Need::Node, &["node"]),
    ("a.ts", "const zero: number = 0;\nconsole.log(zero);\n", Need::Typescript, &["tsc", "node"]),
    ("a.cs", "class A { static void Main() { System.Console.WriteLine(0); } }\n", Need::Mono, &["mcs", "mono"]),
    ("a.hs", "main :: IO ()\nmain = print (0 :: Int)\n", Need::Haskell, &["ghc"]),
    ("a.ml", "let () = print_endline \"0\"\n", Need::Ocaml, &["ocamlopt"]),
    ("a.rb", "puts 0\n", Need::Ruby, &["ruby"]),
    ("a.pl", "print \"0\\n\";\n", Need::Perl, &["perl"]),
    ("a.php", "<?php echo \"0\\n\";\n", Need::Php, &["php"]),
    ("a.lua", "print(0)\n", Need::Lua, &["lua"]),
    ("a.pas", "begin writeln(0); end.\n", Need::Pascal, &["fpc"]),
    (
        "a.zig",
        "extern fn puts(text: [*:0]const u8) c_int;\npub fn main() void { _ = puts(\"0\"); }\n",
        Need::Zig,
        &["zig"],
    ),
    ("a.sh", "echo 0\n", Need::Cc, &["sh"]),
    (
        "deno/a.ts",
        "const text: string = await new Response(Deno.stdin.readable).text();\nconsole.log(text ? 0 : 1);\n",
        Need::Deno,
        &["deno"],
    ),
    ("a.c++", "#include <cstdio>\nint main() { std::puts(\"0\"); }\n", Need::Cplusplus, &["g++"]),
    ("a.C", "#include <cstdio>\nint main() { std::puts(\"0\"); }\n", Need::Cplusplus, &["g++"]),
    ("a.py3", "print(0)\n", Need::Python, &["python3"]),
    ("pypy/a.py", "import sys\nprint(0 if sys.implementation.name == 'pypy' else 'no')\n", Need::Pypy, &["pypy3"]),
];

/// The languages that a source without a folder is in, although others have its extension.
const DEFAULTS: [&str; 2] = ["python", "typescript"];

/// Returns whether all these programs are installed. If not, prints which one is missing.
fn has(need: Need, programs: &[&str]) -> bool {
    let found = |program: &&&str| Command::new("sh").args(["-c", &format!("command -v {program}")]).output().unwrap();
    match programs.iter().find(|program| !found(program).status.success()) {
        Some(missing) => {
            skip(need, format!("there is no {missing}"));
            false
        }
        None => true,
    }
}

/// The report of a solver on one case of `columns`, to which `0` is an answer.
fn report(folder: &Folder, arguments: &[&str]) -> Value {
    let run = ["run", "-p", "columns", "--seeds", "1", "--no-journal"];
    folder.json(&[&run, arguments].concat()).1
}

/// The verdict on the case.
fn verdict(folder: &Folder, arguments: &[&str]) -> (String, String) {
    let report = report(folder, arguments);
    let text = |field: &str| report["cases"][0][field].as_str().unwrap_or_default().to_owned();
    (text("verdict"), text("note"))
}

fn assert_accepted(folder: &Folder, arguments: &[&str]) {
    let (verdict, note) = verdict(folder, arguments);
    assert_eq!(verdict, "accepted", "{arguments:?}: {note}");
}

#[test]
#[ignore = "CI: every compiler runs"]
fn every_language_compiles_and_runs() {
    let folder = Folder::new();
    for &(name, text, need, programs) in HELLO {
        if has(need, programs) {
            folder.write(name, text);
            let language = name.split_once('/').map_or(vec![], |(language, _)| vec!["--language", language]);
            assert_accepted(&folder, &[&["-s", name][..], &language].concat());
        }
    }
}

/// Returns the words that a key of a table lists.
fn listed<'a>(table: &'a toml::Value, key: &str) -> Vec<&'a str> {
    let words = table.get(key).and_then(toml::Value::as_array).into_iter().flatten();
    words.map(|word| word.as_str().unwrap()).collect()
}

#[test]
fn every_language_is_tried_and_described() {
    let tables: toml::Table = include_str!("../../../judge/problem/src/manifest/languages.toml").parse().unwrap();
    let languages = tables["language"].as_table().unwrap();
    let page = document("languages.md");
    for (language, table) in languages {
        // A source whose extension another language has, too, chooses its language by its folder.
        let is_tried_with = |extension: &str| {
            let others = languages.iter().filter(|(_, other)| listed(other, "extensions").contains(&extension));
            let is_default = others.count() == 1 || DEFAULTS.contains(&&**language);
            let folder = if is_default { String::new() } else { format!("{language}/") };
            HELLO.iter().any(|(name, ..)| *name == format!("{folder}a.{extension}"))
        };
        let is_tried_in = |file: &str| FOLDERS.iter().any(|(_, files, ..)| files.iter().any(|(name, _)| *name == file));
        let is_tried = listed(table, "extensions").into_iter().any(is_tried_with)
            || listed(table, "files").into_iter().any(is_tried_in);
        assert!(is_tried, "no source is in {language}");
        let is_described = page.lines().any(|line| line.starts_with("| `") && line.contains(&format!("`{language}`")));
        assert!(is_described, "languages.md has no row of {language}");
    }
}

#[test]
#[ignore = "long: every runtime starts several times"]
fn runtimes_keep_within_a_small_memory() {
    let java = "import java.util.*;\npublic class Main { public static void main(String[] a) {\n\
                long sum = 0; List<int[]> kept = new ArrayList<>();\n\
                for (int i = 0; i < 1000000; i++) { int[] x = new int[50 + i % 100]; x[0] = i; sum += x[0];\n\
                if (i % 1000 == 0) { kept.add(x); if (kept.size() > 100) kept.remove(0); } }\n\
                System.out.println(sum > 0 ? 0 : 1); } }\n";
    let node = "let sum = 0; const kept = [];\nfor (let i = 0; i < 500000; i++) { const x = new Array(50 + i % 100).fill(i);\n\
                sum += x[0]; if (i % 1000 == 0) { kept.push(x); if (kept.length > 100) kept.shift(); } }\n\
                console.log(sum > 0 ? 0 : 1);\n";
    let go = "package main\nimport \"fmt\"\nfunc main() { sum := 0; kept := [][]int{}\n\
              for i := 0; i < 1000000; i++ { x := make([]int, 50 + i % 100); x[0] = i; sum += x[0]\n\
              if i % 1000 == 0 { kept = append(kept, x); if len(kept) > 100 { kept = kept[1:] } } }\n\
              if sum > 0 { fmt.Println(0) } }\n";
    let folder = Folder::new();
    for (name, text, need, programs) in [
        ("Main.java", java, Need::Java, &["javac"][..]),
        ("a.js", node, Need::Node, &["node"]),
        ("a.go", go, Need::Go, &["go"]),
    ] {
        folder.write(name, text);
        for memory in ["256MiB", "64MiB"].into_iter().filter(|_| has(need, programs)) {
            // One process, plus the language's allowance for the runtime's threads.
            assert_accepted(&folder, &["-s", name, "--memory", memory, "--processes", "1", "--cpu", "20s"]);
        }
    }
}

/// A folder's name, its files with their contents, and the programs that it needs.
type FolderCase = (&'static str, &'static [(&'static str, &'static str)], Need, &'static [&'static str]);

const FOLDERS: &[FolderCase] = &[
    (
        "cpp",
        &[
            ("main.cpp", "#include <cstdio>\n#include \"lib/zero.h\"\nint main() { printf(\"%d\\n\", zero()); }\n"),
            ("lib/zero.h", "int zero();\n"),
            ("lib/zero.cpp", "#include \"zero.h\"\nint zero() { return 0; }\n"),
        ],
        Need::Cplusplus,
        &["g++"],
    ),
    (
        "python",
        &[("main.py", "import other\nprint(other.zero)\n"), ("other.py", "zero = 0\n")],
        Need::Python,
        &["python3"],
    ),
    (
        "java",
        &[
            (
                "Bot.java",
                "public class Bot { public static void main(String... a) { System.out.println(q.Two.ZERO); } }",
            ),
            ("q/Two.java", "package q;\npublic class Two { public static final int ZERO = 0; }\n"),
        ],
        Need::Java,
        &["javac"],
    ),
    (
        "make",
        &[
            ("Makefile", "main: main.c zero.h\n\tcc -o $@ main.c\n"),
            ("main.c", "#include \"zero.h\"\nint puts(const char *);\nint main(void) { puts(ZERO); }\n"),
            ("zero.h", "#define ZERO \"0\"\n"),
        ],
        Need::Make,
        &["make", "cc"],
    ),
    (
        "make-out",
        &[("makefile", "all:\n\tmkdir -p obj && printf '#!/bin/sh\\necho 0\\n' > out/main\n")],
        Need::Make,
        &["make"],
    ),
    (
        "cargo",
        &[
            ("Cargo.toml", "[package]\nname = \"bot\"\nversion = \"0.1.0\"\nedition = \"2021\"\n"),
            ("src/main.rs", "mod zero;\nfn main() { println!(\"{}\", zero::ZERO); }\n"),
            ("src/zero.rs", "pub const ZERO: i32 = 0;\n"),
            ("target/old", "what was built before is no source"),
        ],
        Need::Cc,
        &["cargo", "cc"],
    ),
    (
        "go-module",
        &[
            ("go.mod", "module bot\n\ngo 1.19\n"),
            ("main.go", "package main\nimport (\"bot/zero\"; \"fmt\")\nfunc main() { fmt.Println(zero.Zero) }\n"),
            ("zero/zero.go", "package zero\nconst Zero = 0\n"),
        ],
        Need::Go,
        &["go"],
    ),
    (
        "rust",
        &[
            ("main.rs", "mod zero;\nfn main() { println!(\"{}\", zero::ZERO); }\n"),
            ("zero.rs", "pub const ZERO: i32 = 0;\n"),
        ],
        Need::Cc,
        &["rustc"],
    ),
];

#[test]
#[ignore = "CI: many programs are compiled"]
fn a_folder_is_compiled_as_a_whole() {
    let folder = Folder::new();
    for &(name, files, need, programs) in FOLDERS {
        for (file, text) in files {
            folder.write(&format!("{name}/{file}"), text);
        }
        if has(need, programs) {
            assert_accepted(&folder, &["-s", &format!("{name}/")]);
        }
    }
}

fn refusal(folder: &Folder, arguments: &[&str]) -> Said {
    let said = folder.judge(&[&["run", "-p", "columns", "--seeds", "1", "--no-journal"], arguments].concat());
    assert_eq!(said.code, Some(2), "{arguments:?}: {}", said.stderr);
    said
}

#[test]
fn an_ambiguous_language_is_refused_or_chosen() {
    let folder = Folder::new();
    folder.write("bot", "echo 0\n");
    folder.write("a.py", "print(0)\n");
    folder.write("empty/readme.txt", "");
    folder.write("two/a.py", "");
    folder.write("two/b.lua", "");
    folder.write("Main.xyz", "");
    assert_accepted(&folder, &["-s", "bot", "--language", "shell"]);
    assert_accepted(&folder, &["-s", "x=bot", "--language", "x=shell"]);
    for (arguments, error, hint) in [
        (&["-s", "bot", "--language", "shel"][..], "there is no language `shel`", "did you mean `shell`?"),
        (&["-s", "a.py", "--language", "brainf"], "there is no language `brainf`", "`judge languages` shows all"),
        (&["-s", "x=bot", "--language", "y=shell"], "no solver is named `y`", "--solver NAME=S"),
        (&["-s", "x=sh bot", "--language", "x=shell"], "has no language to choose", "give the source file"),
        (&["-s", "sh bot", "--language", "shell"], "has no language to choose", "give the source file"),
        (&["-s", "two"], "several languages: lua, python", "--language lua"),
        (&["-s", "Main.xyz"], "unknown source type .xyz; known: .rs, .cpp", "compile it"),
    ] {
        let said = refusal(&folder, arguments);
        assert!(said.stderr.contains(error) && said.stderr.contains(hint), "{arguments:?}: {}", said.stderr);
    }
    let became = |arguments: &[&str]| verdict(&folder, arguments);
    let (verdict, note) = became(&["-s", "empty"]);
    assert!(verdict == "cannot-start" && note.contains("a folder without sources"), "{verdict}: {note}");
    let (verdict, note) = became(&["-s", "two", "--language", "ruby"]);
    assert!(verdict == "compile-error" && note.contains("no source of the language `ruby`"), "{verdict}: {note}");
}

#[test]
fn reproducing_commands_name_the_language() {
    let folder = Folder::new();
    folder.write("bot", "echo x\n");
    for given in ["shell", "it=shell"] {
        let said = folder.judge(&["run", "-p", "columns", "--seeds", "1", "-s", "it=bot", "--language", given]);
        assert!(said.stdout.contains("judge run -p columns -s bot --seeds 1 --language shell\n"), "{}", said.stdout);
    }
}

const CATALOGUE: &str = "[[problem]]\nid = \"p\"\nchecker = \"columns\"\nseeds = \"1\"\n";

#[test]
fn catalogue_and_user_can_change_languages() {
    let folder = Folder::new();
    folder.write("bot.xyz", "echo 0\n");
    folder.write("bot.sh", "echo $ZERO\n");
    let table = "[language.xyz]\nextensions = [\"xyz\"]\nrun = \"sh {source}\"\ntime-factor = 2.5\nextra-memory = \"64 MiB\"\n\
                 extra-processes = 3\n[language.shell.environment]\nZERO = \"0\"\n";
    folder.write("problems.toml", format!("{CATALOGUE}{table}"));
    let run =
        ["run", "-p", "p", "--no-journal", "--cpu", "2s", "--wall", "8s", "--memory", "64MiB", "--processes", "2"];
    let (code, report) = folder.json(&[&run[..], &["-s", "a=bot.xyz", "-s", "b=bot.sh"]].concat());
    assert_eq!(code, Some(0), "{report}");
    let own = &report["solvers"][0]["limits"];
    let wide =
        (own["cpu_ms"].as_f64(), own["wall_ms"].as_f64(), own["memory_bytes"].as_u64(), own["processes"].as_u64());
    assert_eq!(wide, (Some(5_000.0), Some(20_000.0), Some(128 << 20), Some(5)), "{report}");
    assert!(report["solvers"][1].get("limits").is_none() && report["limits"]["cpu_ms"].as_f64() == Some(2_000.0));
    let shown = folder.judge(&[&run[..], &["-s", "a=bot.xyz"]].concat()).stdout;
    assert!(shown.contains("limits of a: CPU 5s, wall 20s, memory 128 MiB, output 16 MB, 5 processes"), "{shown}");

    // The user's own file applies where the catalogue has no entry.
    folder.write(
        ".config/judge/languages.toml",
        "[language.xyz]\nextensions = [\"xyz\", \"uvw\"]\nrun = \"false {source}\"\n",
    );
    folder.write("bot.uvw", "echo 0\n");
    let (code, report) = folder.json(&["run", "-p", "p", "--no-journal", "-s", "bot.xyz"]);
    assert_eq!(code, Some(0), "the catalogue comes last: {report}");
    folder.write("problems.toml", CATALOGUE);
    let (_, report) = folder.json(&["run", "-p", "p", "--no-journal", "-s", "bot.uvw"]);
    assert_eq!(report["cases"][0]["verdict"], "runtime-error", "{report}");
    folder.write(".config/judge/languages.toml", "[language.xyz]\nrun = \"sh {sorce}\"\n");
    let said = folder.judge(&["run", "-p", "p", "-s", "bot.sh"]);
    let place = "languages.toml:2:11\n";
    assert!(
        said.code == Some(2) && said.stderr.contains(place) && said.stderr.contains("`{source}`?"),
        "{}",
        said.stderr
    );
}

#[test]
fn the_allowance_is_enforced() {
    let folder = Folder::new();
    folder.write("bot.busy", "while :; do :; done\n");
    let table = "[language.busy]\nextensions = [\"busy\"]\nrun = \"sh {source}\"\ntime-factor = 2\n";
    folder.write("problems.toml", format!("{CATALOGUE}{table}"));
    let limits = ["--cpu", "200ms", "--wall", "20s"];
    let (_, report) =
        folder.json(&[&["run", "-p", "p", "--no-journal", "--jobs", "1", "-s", "bot.busy"], &limits[..]].concat());
    let case = &report["cases"][0];
    let cpu = case["cpu_ms"].as_f64().unwrap();
    assert!(case["verdict"] == "time-limit" && (400.0..800.0).contains(&cpu), "{report}");
    assert!(case["note"].as_str().unwrap().contains("400ms"), "{report}");
}

#[test]
fn language_commands_run_in_the_sandbox() {
    let folder = Folder::new();
    folder.write("secret.txt", "8093571");
    let secret = folder.path().join("secret.txt").display().to_string();
    folder.write("bot.peek", "cat \"$1\" || echo hidden\n");
    let table = format!("[language.peek]\nextensions = [\"peek\"]\nrun = \"sh {{source}} {secret}\"\n");
    folder.write("problems.toml", format!("{CATALOGUE}{table}"));
    let (_, report) = folder.json(&["run", "-p", "p", "--no-journal", "-s", "bot.peek"]);
    assert!(!report.to_string().contains("8093571") && report.to_string().contains("hidden"), "{report}");
    let mark = folder.path().join("mark").display().to_string();
    let table = format!(
        "[language.peek]\nextensions = [\"peek\"]\ncompile = \"sh -c 'echo > {mark}; cp {{source}} {{out}}/main'\"\n\
                         run = \"sh {{program}} x\"\nversion = \"sh -c 'echo > {mark}'\"\n"
    );
    folder.write("problems.toml", format!("{CATALOGUE}{table}"));
    let (_, report) = folder.json(&["run", "-p", "p", "--no-journal", "-s", "bot.peek"]);
    assert!(report.to_string().contains("hidden"), "{report}");
    folder.judge(&["languages"]);
    assert!(!folder.path().join("mark").exists());
}

#[test]
fn a_too_large_source_is_a_compile_error() {
    let folder = Folder::new();
    folder.write("problems.toml", format!("{CATALOGUE}[problem.limits]\nsource-size = \"100 B\"\n"));
    folder.write("short.sh", "echo 0\n");
    folder.write("long.sh", format!("echo 0 # {}\n", "x".repeat(100)));
    folder.write("folder/main.py", "print(0)\n");
    folder.write("folder/other.py", format!("# {}\n", "x".repeat(95)));
    folder.write("long.c", format!("int main() {{ }} // {}\n", "x".repeat(100)));
    let solvers = ["short.sh", "long.sh", "folder", "long.c"];
    let arguments: Vec<&str> = solvers.iter().flat_map(|solver| ["-s", solver]).collect();
    let (code, report) = folder.json(&[&["run", "-p", "p", "--no-journal"], &arguments[..]].concat());
    assert_eq!(code, Some(1));
    for case in report["cases"].as_array().unwrap() {
        let expected = if case["solver"] == "short" { "accepted" } else { "compile-error" };
        assert_eq!(case["verdict"], expected, "{case}");
        assert!(expected == "accepted" || case["note"] == "the source is larger than 100 B", "{case}");
    }
}

#[test]
fn a_missing_compiler_is_named_with_its_package() {
    let folder = Folder::new();
    folder.write("bot.xyz", "");
    let table = "[language.xyz]\nextensions = [\"xyz\"]\ncompile = [\"no-such-xyz {source}\", \"nor-such {source}\"]\n\
                 run = \"{program}\"\npackage = \"xyz-tools\"\n";
    folder.write("problems.toml", format!("{CATALOGUE}{table}"));
    let (_, report) = folder.json(&["run", "-p", "p", "--no-journal", "-s", "bot.xyz"]);
    let note = "no compiler for it is installed (looked for no-such-xyz, nor-such); apt-get install xyz-tools";
    assert_eq!((&report["cases"][0]["verdict"], &report["cases"][0]["note"]), (&"cannot-start".into(), &note.into()));
    let said = folder.judge(&["languages"]);
    assert!(said.code == Some(0) && said.stdout.contains("no: apt-get install xyz-tools"), "{}", said.stdout);
    let (_, document) = folder.json(&["languages"]);
    let of =
        |name: &str| document["languages"].as_array().unwrap().iter().find(|one| one["name"] == name).unwrap().clone();
    assert_eq!(of("xyz")["missing"], serde_json::json!(["no-such-xyz, nor-such"]));
    assert!(of("shell")["installed"] == true && of("shell")["run"] == "sh {source}", "{document}");
    let version = Command::new("python3").arg("--version").output().unwrap();
    let version = String::from_utf8(version.stdout).unwrap();
    assert!(of("python")["version"].as_str().is_some_and(|found| version.starts_with(&found[..9])), "{document}");
}
