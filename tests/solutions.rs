//! The bundled solutions follow the rules and keep their time limit, and the strong ones beat the plain ones.

use checkers::Checker;
use solutions::{Solution, TIME_LIMIT_VARIABLE};
use std::io::Write;
use std::process::{Command, Output, Stdio};
use std::time::Instant;

/// Seconds that a strong solution gets here.
const TIME_LIMIT: f64 = 0.3;

/// Every strong solution, with a plain solution of the same problem, and the cases on which
/// the strong one beats it with a fraction of its time.
const MATCHES: &[(&str, &str, &[u64])] = &[
    ("columns", "columns-greedy", &[2, 3, 14, 25]),
    ("square-remover", "square-remover-plain", &[3, 4]),
    ("same-game-free", "same-game-free-plain", &[1, 2, 3]),
    ("deletion-game", "deletion-game-plain", &[1, 2, 3, 4, 9, 10]),
];

/// The solutions that give the only right answer, or the best possible one.
const EXACT: &[&str] = &["same-game", "beating-the-game-easy", "beating-the-game-hard"];

/// The other solutions that need no long search.
const QUICK: &[&str] = &["columns-quickstart"];

/// The other solutions that use their whole time.
const SLOW: &[&str] = &["same-game-free-tabu"];

fn solution(id: &str) -> &'static Solution {
    solutions::find(id).unwrap_or_else(|| panic!("there is no solution {id}"))
}

/// Returns the id of the problem of a solution: the longest one that its own id begins with.
fn problem_of(id: &str) -> &'static str {
    let problems = checkers::all().iter().map(|checker| checker.id).filter(|problem| id.starts_with(problem));
    problems.max_by_key(|problem| problem.len()).unwrap_or_else(|| panic!("{id} is of no problem"))
}

/// Gives an input to the program with a solution, and returns what it writes.
fn run(id: &str, input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_judge-solutions"))
        .arg(id)
        .env(TIME_LIMIT_VARIABLE, TIME_LIMIT.to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the solution starts");
    // A program that refuses its id does not read.
    let _ = child.stdin.take().expect("is piped").write_all(input);
    child.wait_with_output().expect("it ends")
}

fn checker(problem: &str) -> &'static Checker {
    checkers::find(problem).unwrap_or_else(|| panic!("there is no checker for {problem}"))
}

/// Returns an answer's score as a number; good enough to compare.
fn score(problem: &str, input: &[u8], answer: &[u8]) -> f64 {
    let score = checker(problem).read(input).expect("the case is of the game").check(answer);
    score.unwrap_or_else(|rejection| panic!("{problem}: {rejection:?}")).to_string().parse().expect("a number")
}

fn play(solution: &Solution, input: &[u8]) -> Vec<u8> {
    let mut answer = Vec::new();
    (solution.solve)(input, &mut answer).unwrap_or_else(|error| panic!("{}: {error}", solution.id));
    answer
}

#[test]
fn every_solution_has_its_test() {
    let compared = MATCHES.iter().flat_map(|(strong, plain, _)| [*strong, *plain]);
    let mut tested: Vec<&str> = compared.chain([EXACT, QUICK, SLOW].concat()).collect();
    let mut all: Vec<&str> = solutions::all().map(|solution| solution.id).collect();
    tested.sort_unstable();
    all.sort_unstable();
    assert_eq!(tested, all, "each solver is in one of MATCHES, EXACT, QUICK and SLOW of this file");
}

#[test]
fn strong_solutions_beat_plain_ones_within_their_time() {
    for &(problem, plain, seeds) in MATCHES {
        let plain = solution(plain);
        let (mut strong_total, mut plain_total) = (0.0, 0.0);
        for &seed in seeds {
            let input = checker(problem).generate(seed).expect("there is such a case");
            let begun = Instant::now();
            let output = run(problem, &input);
            assert!(output.status.success(), "{problem}, seed {seed}: {}", output.status);
            strong_total += score(problem, &input, &output.stdout);
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
    for id in EXACT.iter().chain(QUICK) {
        let problem = problem_of(id);
        for seed in 1..=20 {
            let input = checker(problem).generate(seed).expect("there is such a case");
            score(problem, &input, &play(solution(id), &input));
        }
    }
}

#[test]
fn exact_solutions_agree_with_the_checkers() {
    for &problem in EXACT {
        for seed in 1..=3 {
            let input = checker(problem).generate(seed).expect("there is such a case");
            assert!(score(problem, &input, &play(solution(problem), &input)) > 0.0, "{problem}, seed {seed}");
        }
    }
}

#[test]
fn foreign_input_and_ids_exit_with_code_2() {
    for id in MATCHES.iter().map(|(id, ..)| *id).chain(["chess", ""]) {
        let output = run(id, b"no game\n");
        assert_eq!(output.status.code(), Some(2), "{id}");
        assert!(output.stdout.is_empty() && output.stderr.starts_with(b"error: "), "{id}");
    }
}
