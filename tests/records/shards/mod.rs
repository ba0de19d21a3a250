//! Runs on many machines: shards played manually, and their journals merged into one run.

mod belonging;
mod edited;
mod machines;
mod unfinished;
mod whole;

use crate::support::{Folder, Said};

/// A problem whose answers are their own scores; the cases are seeds, or files.
const CATALOGUE: &str = "[[problem]]
id = \"echo\"
generator-command = \"echo {seed}\"
checker-command = \"./check {input} {answer}\"
seeds = \"1-12\"
[problem.scoring]
rule = \"relative\"
";

/// A folder with the problem, a solver that fails on some cases, and another one.
fn sample() -> Folder {
    let folder = Folder::new();
    folder.write("problems.toml", CATALOGUE);
    folder.script("check", "read -r score < \"$2\" && echo \"$score\"");
    folder.script("bot", "read -r n; [ \"$n\" = 7 ] && exit 3; echo \"$n\"");
    folder.script("rival", "read -r n; echo $((n * n % 11))");
    folder
}

const BOT: [&str; 5] = ["run", "-p", "echo", "-s", "./bot"];

/// Runs the judge, and expects this exit code.
fn expect(folder: &Folder, arguments: &[&str], code: i32) -> Said {
    let said = folder.judge(arguments);
    assert_eq!(said.code, Some(code), "{arguments:?}\n{}\n{}", said.stdout, said.stderr);
    said
}

/// Plays a shard into `K.db`.
fn play(folder: &Folder, command: &[&str], shard: usize, of: usize) -> Said {
    let (shard_text, journal) = (format!("{shard}/{of}"), format!("{shard}.db"));
    let said = folder.judge(&[command, &["--shard", &shard_text, "--journal", &journal]].concat());
    assert!(matches!(said.code, Some(0 | 1)), "{}{}", said.stdout, said.stderr);
    said
}
