//! The checkers of all games in the registry.

use checkers::{Case, CheckError, Checker, Frame, Observer};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

/// The first byte value that is not a seed. For this and larger values, the input comes before the answer, with
/// [`BETWEEN`] between them.
pub(crate) const OWN_INPUT: u8 = 8;

/// The byte between an input and an answer.
pub(crate) const BETWEEN: u8 = 0;

/// The number of frames that are drawn. Pictures take far longer than the game.
const FRAMES: usize = 50;

/// Checks an answer. The first byte chooses the game, and the second a seed or an own input in the rest.
///
/// # Panics
/// When two checks of the same answer differ, a frame is not a rectangle, or the place of a rejection is outside the
/// answer.
pub fn checkers(data: &[u8]) {
    let [game, seed, rest @ ..] = data else { return };
    let all = checkers::all();
    let game = all[usize::from(*game) % all.len()];
    if *seed < OWN_INPUT {
        return check(game, &*case_of_seed(game, u64::from(*seed) + 1), rest);
    }
    let (input, answer) = match rest.iter().position(|&byte| byte == BETWEEN) {
        Some(end) => (&rest[..end], &rest[end + 1..]),
        None => (rest, &[][..]),
    };
    match game.read(input) {
        Ok(case) => check(game, &*case, answer),
        Err(malformed) => assert!(!malformed.to_string().is_empty()),
    }
}

fn check(game: &Checker, case: &dyn Case, answer: &[u8]) {
    let result = case.check(answer);
    let mut viewer = Viewer { seen: 0 };
    assert_eq!(case.replay(answer, &mut viewer), result, "{}: the replay differs from the check", game.id);
    assert!(!case.features().is_empty());
    if let Err(CheckError::Rejected(rejection)) = result {
        let lines = answer.split(|&byte| byte == b'\n');
        let line = lines.clone().nth(rejection.place.line - 1);
        let line = line.unwrap_or_else(|| panic!("{}: {rejection}", game.id));
        assert!((1..=line.len() + 1).contains(&rejection.place.column), "{}: {rejection}", game.id);
    }
}

/// Keeps the first frames.
struct Viewer {
    seen: usize,
}

impl Observer for Viewer {
    fn step(&mut self, _: usize, frame: &mut dyn FnMut() -> Frame) {
        self.seen += 1;
        if self.seen <= FRAMES {
            let board = frame().board;
            assert!(board.cells.is_empty() || board.cells.len().is_multiple_of(board.width));
        }
    }
}

/// Returns the case of a seed. Each case is made once.
fn case_of_seed(game: &'static Checker, seed: u64) -> Arc<dyn Case> {
    type Cases = HashMap<(&'static str, u64), Arc<dyn Case>>;
    static CASES: LazyLock<Mutex<Cases>> = LazyLock::new(Mutex::default);
    let mut cases = CASES.lock();
    let make = || {
        let input = game.generate(seed).expect("every game has cases for small seeds");
        Arc::from(game.read(&input).expect("its own generator made it"))
    };
    cases.entry((game.id, seed)).or_insert_with(make).clone()
}
