//! The output of the subcommands without errors, on a small problem whose scores never change.

use super::transcript::Transcript;

const CATALOGUE: &str = r#"[[problem]]
id = "numbers"
title = "Large numbers"
generator-command = "echo {seed}"
checker-command = "sh check.sh {input} {answer}"
seeds = "1-12"
[problem.limits]
cpu = "10s"
[problem.features]
seed = "[0-9]+"

[[problem]]
id = "grouped"
generator-command = "echo {seed}"
checker-command = "sh check.sh {input} {answer}"
seeds = "1-4"
[problem.scoring]
rule = "relative"
direction = "max"
[[problem.group]]
name = "small"
weight = 30
all-or-nothing = true
seeds = "1-2"
[[problem.group]]
name = "large"
weight = 70
seeds = "3-4"
"#;

/// A problem whose answers are numbers that are their own scores, and solvers of different strength.
fn stage() -> Transcript {
    let transcript = Transcript::new();
    let folder = &transcript.folder;
    folder.write("problems.toml", CATALOGUE);
    folder.write(
        "check.sh",
        "read -r score < \"$2\"\ncase $score in [0-9]*) echo \"$score\" ;; *) echo not a number; exit 1 ;; esac\n",
    );
    folder.script("old", "read -r seed; echo $((1000 + seed * 37 % 101))");
    folder.script("new", "read -r seed; echo $((1010 + seed * 41 % 103))");
    folder.script(
        "broken",
        "read -r seed; case $seed in 2) echo none ;; 3) echo oops >&2; exit 7 ;; *) echo 900 ;; esac",
    );
    folder.script("tuned", "read -r seed; echo $((1000 - ($2 - 30) * ($2 - 30) + seed))");
    transcript
}

/// Runs one subcommand after the other.
pub(crate) fn tables() -> Transcript {
    let mut transcript = stage();
    let mut judge = |line: &str| {
        let arguments = line.split_whitespace().map(|word| word.replace('~', " ")).collect::<Vec<_>>();
        transcript.judge(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
    };
    judge("list");
    judge("show numbers");
    judge("show grouped");
    judge("run -p numbers -s ./old --seeds 1-4 -j 1");
    judge("run -p numbers -s ./broken --seeds 1-4 -j 1");
    judge("run -p numbers -s ./old -s ./new --seeds 1-4 -j 1");
    judge("run -p grouped -s ./old -s ./broken -j 1");
    judge("run -p numbers -s ./old --where seed>2 --group-by seed --seeds 1-4 -j 1");
    judge("run -p numbers -s ./new --seeds 1 -j 1 --markdown -");
    judge("history");
    judge("history show 2");
    judge("history tag 2 broken");
    judge("history note 2 prints~no~number");
    judge("history --tag broken");
    judge("best -p numbers");
    judge("rescore 3 --score rank");
    judge("compare -p numbers ./old ./new -j 1");
    judge("compare -p numbers run:3/old run:3/new");
    judge("power --sd 8% --difference 0.5%");
    judge("tune -p numbers -s ./tuned~--w~{w} --param w=10..50:int --seeds 1-4 --budget 24 -j 1");
    judge("baseline -p numbers -s ./old --seeds 1-4 -j 1 --output baseline.toml");
    judge("gate --baseline baseline.toml -s ./old -j 1");
    judge("gate --baseline baseline.toml -s ./broken -j 1");
    judge("gen -p numbers --seeds 1-2 --dir cases");
    judge("check -p numbers --dir cases");
    judge("exec --cpu 5s -- /bin/echo hello");
    transcript
}
