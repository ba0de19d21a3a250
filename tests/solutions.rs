//! The bundled solutions follow the rules and keep their time limit, and the strong ones beat the plain ones.

use checkers::Checker;
use solutions::{Solution, Strength, TIME_LIMIT_VARIABLE};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// Seconds that a strong solution gets here.
const TIME_LIMIT: f64 = 0.3;

/// Every strong solution, with its match: the plain one that it beats, and the cases.
fn matches() -> impl Iterator<Item = (&'static Solution, &'static Solution, &'static [u64])> {
    solutions::all().filter_map(|strong| match strong.strength {
        Strength::Strong { beats, seeds } => Some((strong, solution(beats), seeds)),
        _ => None,
    })
}

fn solution(id: &str) -> &'static Solution {
    solutions::find(id).unwrap_or_else(|| panic!("there is no solution {id}"))
}

/// Every solution with this behaviour, with the id of its problem: the longest one that its own id begins with.
fn solutions_of(strengths: &[Strength]) -> impl Iterator<Item = (&'static str, &'static Solution)> {
    solutions::all().filter(|solution| strengths.contains(&solution.strength)).map(|solution| {
        let problems = checkers::all().iter().map(|checker| checker.id);
        let own = problems.filter(|problem| solution.id.starts_with(problem)).max_by_key(|problem| problem.len());
        (own.unwrap_or_else(|| panic!("{} is of no problem", solution.id)), solution)
    })
}

/// The program of a strong solution, which is next to the programs of the others.
fn program(id: &str) -> PathBuf {
    Path::new(env!("CARGO_BIN_EXE_solve-columns")).with_file_name(format!("solve-{id}"))
}

fn checker(problem: &str) -> &'static Checker {
    checkers::find(problem).unwrap_or_else(|| panic!("there is no checker for {problem}"))
}

/// Returns an answer's score as a number; good enough to compare.
fn score(problem: &str, input: &[u8], answer: &[u8]) -> f64 {
    let score = checker(problem).read(input).expect("the case is of the game").check(answer);
    score.unwrap_or_else(|rejection| panic!("{problem}: {rejection:?}")).to_string().parse().expect("a number")
}

fn run(program: &Path, input: &[u8]) -> Vec<u8> {
    let mut child = Command::new(program)
        .env(TIME_LIMIT_VARIABLE, TIME_LIMIT.to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the solution starts");
    child.stdin.take().expect("is piped").write_all(input).expect("it reads its input");
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{}: {}", program.display(), output.status);
    output.stdout
}

fn play(solution: &Solution, input: &[u8]) -> Vec<u8> {
    let mut answer = Vec::new();
    (solution.solve)(input, &mut answer).unwrap_or_else(|error| panic!("{}: {error}", solution.id));
    answer
}

#[test]
fn strong_solutions_beat_plain_ones_within_their_time() {
    for (strong, plain, seeds) in matches() {
        let (problem, program) = (strong.id, program(strong.id));
        let (mut strong_total, mut plain_total) = (0.0, 0.0);
        for &seed in seeds {
            let input = checker(problem).generate(seed).expect("there is such a case");
            let begun = Instant::now();
            strong_total += score(problem, &input, &run(&program, &input));
            // Other programs may be running: wall time is bounded loosely.
            assert!(begun.elapsed().as_secs_f64() < 10.0 * TIME_LIMIT + 2.0, "{problem}, seed {seed}");
            plain_total += score(problem, &input, &play(plain, &input));
        }
        // A single case may go wrong when a busy machine leaves a solution next to no time.
        assert!(strong_total > plain_total, "{problem}: {strong_total} against {plain_total}");
    }
}

#[test]
fn plain_solutions_answer_every_case() {
    // Solutions that a strong one is compared with are tested there, and may take seconds for a case.
    let is_compared = |id: &str| matches().any(|(_, plain, _)| plain.id == id);
    let others = solutions_of(&[Strength::Plain, Strength::Exact]).filter(|(_, solution)| !is_compared(solution.id));
    for (problem, solution) in others {
        for seed in 1..=20 {
            let input = checker(problem).generate(seed).expect("there is such a case");
            score(problem, &input, &play(solution, &input));
        }
    }
}

#[test]
fn exact_solutions_agree_with_the_checkers() {
    for (problem, solution) in solutions_of(&[Strength::Exact]) {
        for seed in 1..=3 {
            let input = checker(problem).generate(seed).expect("there is such a case");
            assert!(score(problem, &input, &play(solution, &input)) > 0.0, "{problem}, seed {seed}");
        }
    }
}

#[test]
fn foreign_input_exits_with_code_2() {
    for (strong, ..) in matches() {
        let program = program(strong.id);
        let mut child = Command::new(&program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the solution starts");
        child.stdin.take().expect("is piped").write_all(b"no game\n").expect("it reads its input");
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(2), "{}", strong.id);
        assert!(output.stdout.is_empty() && output.stderr.starts_with(b"error: "), "{}", strong.id);
    }
}
