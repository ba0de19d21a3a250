//! The judge's error messages.

use super::transcript::Transcript;

/// Everything wrong that a catalogue can have in a few lines.
const WRONG: &str = r#"[[problem]]
id = "wrong"
cheker = "columns"
seeds = "9-1"
[problem.limits]
cpu = "4 parsecs"
[problem.scoring]
rule = "summ"
[[problem]]
id = "wrong"
checker = "colums"
seeds = "1"
"#;

/// Problems whose setter's programs are at fault.
const FAULTY: &str = r#"[[problem]]
id = "no-checker"
generator-command = "echo {seed}"
checker-command = "./missing {input} {answer}"
seeds = "1"
[[problem]]
id = "bad-checker"
generator-command = "echo {seed}"
checker-command = "sh -c 'exit 9' {answer}"
seeds = "1"
[[problem]]
id = "bad-generator"
generator-command = "sh -c 'echo no such seed >&2; exit 1' {seed}"
checker-command = "echo 1 {answer}"
seeds = "1"
"#;

/// Command lines with a mistake in each.
const MISTAKES: [&str; 52] = [
    "",
    "rnu",
    "run",
    "run -p colums",
    "run -p columns --sedes 1",
    "run -p columns --seeds 9-1",
    "run -p columns --seeds x",
    "run -p columns --where N<",
    "run -p columns --where nothing<3 --seeds 1 -s ./ok",
    "run -p columns --cpu 4parsecs",
    "run -p columns --memory lots",
    "run -p columns --jobs 0",
    "run -p columns --repeat 99999999999",
    "run -p columns --tier castle",
    "run -p columns --score best",
    "run -p columns --inputs missing*.in",
    "run -p columns -s bundled:nothing --seeds 1 -j 1",
    "run -p columns -s ./missing --seeds 1 -j 1",
    "run -p columns -s ./plain.txt --seeds 1 -j 1",
    "run -p columns -s ./ok -s ./ok --seeds 1",
    "run -p columns -s ./ok --seeds 1 -j 1 --resume",
    "run -p columns -s ./ok --seeds 1 -j 1 --best missing.toml",
    "run -p columns -s ./ok --seeds 1 --json - --csv -",
    "run -p columns --problems missing.toml",
    "run -p columns --problems not.toml",
    "run -p columns --problems latin.toml",
    "run -p wrong --problems wrong.toml",
    "run -p no-checker --problems faulty.toml -s ./ok -j 1",
    "run -p bad-checker --problems faulty.toml -s ./ok -j 1",
    "run -p bad-generator --problems faulty.toml -s ./ok -j 1",
    "check -p columns --input case.in --output plain.txt",
    "check -p columns --seed 7 --output missing.out",
    "check -p columns --seed 7 --output case.in",
    "gen -p columns",
    "show nothing",
    "history show 99",
    "rescore 99",
    "best -p beating-the-game-easy",
    "compare -p columns run:98 run:99",
    "compare -p columns ./ok",
    "gate --baseline missing.toml -s ./ok",
    "gate --baseline plain.txt -s ./ok",
    "gate --baseline latin.toml -s ./ok",
    "power -p columns",
    "power --effects case.in",
    "power --effects latin.toml",
    "compare -p columns ./ok ./ok --alpha 2",
    "tune -p columns -s ./ok --param w=5..1",
    "view -p columns --seed 7 -s ./missing --html game.html",
    "solve nothing",
    "exec",
    "exec -- ./missing",
];

/// Makes one mistake after the other.
pub(crate) fn messages() -> Transcript {
    let mut transcript = Transcript::new();
    let folder = &transcript.folder;
    folder.write("wrong.toml", WRONG);
    folder.write("faulty.toml", FAULTY);
    folder.write("not.toml", "[[problem]\n");
    folder.write("latin.toml", b"[[problem]]\ntitle = \"Th\xe9\"\n");
    folder.write("plain.txt", "0\n");
    folder.write("case.in", "6 13\nhello\n");
    folder.script("ok", "echo 0");
    for line in MISTAKES {
        let arguments = line.split_whitespace().collect::<Vec<_>>();
        transcript.judge(&arguments);
    }
    transcript
}
