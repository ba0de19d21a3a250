//! What the judge says when something is wrong.

use crate::transcript::Transcript;

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

/// Makes one mistake after the other.
pub(crate) fn messages() -> Transcript {
    let mut transcript = Transcript::new();
    let folder = &transcript.folder;
    folder.write("wrong.toml", WRONG);
    folder.write("faulty.toml", FAULTY);
    folder.write("not.toml", "[[problem]\n");
    folder.write("plain.txt", "0\n");
    folder.write("case.in", "6 13\nhello\n");
    folder.script("ok", "echo 0");
    let mut judge = |line: &str| {
        let arguments = line.split_whitespace().collect::<Vec<_>>();
        transcript.judge(&arguments);
    };
    judge("");
    judge("rnu");
    judge("run");
    judge("run -p colums");
    judge("run -p columns --sedes 1");
    judge("run -p columns --seeds 9-1");
    judge("run -p columns --seeds x");
    judge("run -p columns --where N<");
    judge("run -p columns --where nothing<3 --seeds 1 -s ./ok");
    judge("run -p columns --cpu 4parsecs");
    judge("run -p columns --memory lots");
    judge("run -p columns --tier castle");
    judge("run -p columns --score best");
    judge("run -p columns --inputs missing*.in");
    judge("run -p columns -s bundled:nothing --seeds 1 -j 1");
    judge("run -p columns -s ./missing --seeds 1 -j 1");
    judge("run -p columns -s ./plain.txt --seeds 1 -j 1");
    judge("run -p columns -s ./ok -s ./ok --seeds 1");
    judge("run -p columns -s ./ok --seeds 1 -j 1 --resume");
    judge("run -p columns -s ./ok --seeds 1 -j 1 --best missing.toml");
    judge("run -p columns -s ./ok --seeds 1 --json - --csv -");
    judge("run -p columns --problems missing.toml");
    judge("run -p columns --problems not.toml");
    judge("run -p wrong --problems wrong.toml");
    judge("run -p no-checker --problems faulty.toml -s ./ok -j 1");
    judge("run -p bad-checker --problems faulty.toml -s ./ok -j 1");
    judge("run -p bad-generator --problems faulty.toml -s ./ok -j 1");
    judge("check -p columns --input case.in --output plain.txt");
    judge("check -p columns --seed 7 --output missing.out");
    judge("check -p columns --seed 7 --output case.in");
    judge("gen -p columns");
    judge("show nothing");
    judge("history show 99");
    judge("rescore 99");
    judge("best -p beating-the-game-easy");
    judge("compare -p columns run:98 run:99");
    judge("compare -p columns ./ok");
    judge("gate --baseline missing.toml -s ./ok");
    judge("gate --baseline plain.txt -s ./ok");
    judge("power -p columns");
    judge("tune -p columns -s ./ok --param w=5..1");
    judge("view -p columns --seed 7 -s ./missing --html game.html");
    judge("solve nothing");
    judge("exec");
    judge("exec -- ./missing");
    transcript
}
