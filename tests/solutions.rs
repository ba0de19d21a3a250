//! The bundled solutions play by the rules, keep their time, and the strong ones beat the plain ones.

use checkers::Checker;
use solutions::TIME_LIMIT_VARIABLE;
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Instant;

/// Seconds that a strong solution gets here.
const TIME_LIMIT: f64 = 0.3;

/// A strong solution's program, the plain solution to compare it with, and cases.
struct Match {
    program: &'static str,
    problem: &'static str,
    plain: &'static str,
    seeds: &'static [u64],
}

const MATCHES: [Match; 4] = [
    Match {
        program: env!("CARGO_BIN_EXE_solve-columns"),
        problem: "columns",
        plain: "columns-greedy",
        seeds: &[2, 3, 14, 25],
    },
    Match {
        program: env!("CARGO_BIN_EXE_solve-square-remover"),
        problem: "square-remover",
        plain: "square-remover-plain",
        seeds: &[3, 4],
    },
    Match {
        program: env!("CARGO_BIN_EXE_solve-same-game-free"),
        problem: "same-game-free",
        plain: "same-game-free-plain",
        seeds: &[1, 2, 3],
    },
    Match {
        program: env!("CARGO_BIN_EXE_solve-deletion-game"),
        problem: "deletion-game",
        plain: "deletion-game-plain",
        seeds: &[1, 2, 3, 4, 9, 10],
    },
];

fn checker(problem: &str) -> &'static dyn Checker {
    checkers::find(problem).unwrap_or_else(|| panic!("there is no checker for {problem}"))
}

/// Returns an answer's score as a number; good enough to compare.
fn score(problem: &str, input: &[u8], answer: &[u8]) -> f64 {
    let score = checker(problem).read(input).expect("the case is of the game").check(answer);
    score.unwrap_or_else(|rejection| panic!("{problem}: {rejection:?}")).to_string().parse().expect("a number")
}

fn run(program: &str, input: &[u8]) -> Vec<u8> {
    let mut child = Command::new(program)
        .env(TIME_LIMIT_VARIABLE, TIME_LIMIT.to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the solution starts");
    child.stdin.take().expect("is piped").write_all(input).expect("it reads its input");
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{program}: {}", output.status);
    output.stdout
}

fn play_plain(id: &str, input: &[u8]) -> Vec<u8> {
    let mut answer = Vec::new();
    let solution = solutions::find(id).unwrap_or_else(|| panic!("there is no solution {id}"));
    (solution.solve)(input, &mut answer).unwrap_or_else(|error| panic!("{id}: {error}"));
    answer
}

#[test]
fn strong_solutions_beat_plain_ones_within_their_time() {
    for Match { program, problem, plain, seeds } in MATCHES {
        let (mut strong_total, mut plain_total) = (0.0, 0.0);
        for &seed in seeds {
            let input = checker(problem).generate(seed).expect("there is such a case");
            let begun = Instant::now();
            strong_total += score(problem, &input, &run(program, &input));
            // Other programs may be running: wall time is bounded loosely.
            assert!(begun.elapsed().as_secs_f64() < 10.0 * TIME_LIMIT + 2.0, "{problem}, seed {seed}");
            plain_total += score(problem, &input, &play_plain(plain, &input));
        }
        // A single case may go wrong when a busy machine leaves a solution next to no time.
        assert!(strong_total > plain_total, "{problem}: {strong_total} against {plain_total}");
    }
}

#[test]
fn every_plain_solution_answers_every_case_of_its_game() {
    for (problem, id) in [("columns", "columns-quickstart"), ("same-game", "same-game")] {
        for seed in 1..=20 {
            let input = checker(problem).generate(seed).expect("there is such a case");
            score(problem, &input, &play_plain(id, &input));
        }
    }
}

#[test]
fn exact_solutions_agree_with_the_checkers() {
    for problem in ["beating-the-game-easy", "beating-the-game-hard"] {
        for seed in 1..=3 {
            let input = checker(problem).generate(seed).expect("there is such a case");
            assert!(score(problem, &input, &play_plain(problem, &input)) > 0.0, "{problem}, seed {seed}");
        }
    }
}

#[test]
fn what_is_not_of_the_game_ends_with_code_2_and_a_message() {
    for Match { program, .. } in MATCHES {
        let mut child = Command::new(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the solution starts");
        child.stdin.take().expect("is piped").write_all(b"no game\n").expect("it reads its input");
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(2), "{program}");
        assert!(output.stdout.is_empty() && output.stderr.starts_with(b"error: "), "{program}");
    }
}
