//! The best score of a hard case, by following all distinct strips move by move.

use super::layer::{Layer, Move};
use super::packed::Strip;
use super::rules::Arrival;
use super::seen::Seen;
use super::strip::Start;
use crate::random::SubtractWithCarry;

/// A strip that no move changes.
#[derive(Debug, Clone, Copy, Default)]
struct End {
    points: u32,
    moves: usize,
    strip: Strip,
}

/// Returns the best score that can be reached from here.
pub(super) fn best_score(start: &Start) -> u32 {
    search(start, |_| ()).points
}

/// Returns the moves of a game that reaches the best score.
pub(super) fn best_game(start: &Start) -> Vec<Move> {
    let mut layers = Vec::new();
    let End { mut strip, moves, .. } = search(start, |layer| layers.push(layer.clone()));
    let mut game = Vec::with_capacity(moves);
    for pair in layers[..=moves].windows(2).rev() {
        let [before, after] = pair else { break };
        game.push(after.describe(strip));
        let leads_here = |&&way: &&Strip| before.moves(way, after.newest).contains(&Some(strip));
        strip = *before.strips.iter().find(leads_here).expect("a strip comes from the layer before");
    }
    game.reverse();
    game
}

/// Follows all strips to their ends, and shows every layer to `visit`. Returns the end with the most points, the
/// latest of them.
fn search(start: &Start, mut visit: impl FnMut(&Layer)) -> End {
    let mut random = SubtractWithCarry::new(start.seed);
    let mut layer = Layer::first(start);
    let mut seen = Seen::default();
    let mut best = End::default();
    for moves in 0.. {
        visit(&layer);
        for &strip in layer.strips.iter().filter(|&&strip| layer.is_end(strip)) {
            let points = layer.points(strip);
            if points >= best.points {
                best = End { points, moves, strip };
            }
        }
        if layer.strips.is_empty() {
            break;
        }
        layer = layer.next(Arrival::draw(&mut random), &mut seen);
    }
    best
}

#[cfg(test)]
mod tests {
    use super::super::packed::LONGEST;
    use super::super::rules::model::Model;
    use super::super::strip::tile;
    use super::*;
    use proptest::prelude::*;

    fn starts() -> impl Strategy<Value = Start> {
        let seed = prop::collection::vec(prop_oneof![any::<u32>(), 0..10u32], crate::random::LONG_LAG);
        (2..=LONGEST, any::<prop::sample::Index>(), 1..=2u8, seed).prop_map(|(length, cell, exponent, seed)| {
            let mut cells = vec![0; length];
            cells[cell.index(length)] = exponent;
            Start { cells, seed: std::array::from_fn(|i| seed[i]) }
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(150))]

        #[test]
        fn the_best_game_can_be_played_and_brings_the_best_score(start in starts()) {
            let strip: Vec<u128> = start.cells.iter().map(|&exponent| tile(exponent)).collect();
            let mut model = Model::new(&strip, &start.seed);
            for Move { side, cells, newest, points } in best_game(&start) {
                prop_assert!(model.attempt(side.letter()));
                prop_assert_eq!(cells.iter().map(|&exponent| tile(exponent)).collect::<Vec<_>>(), model.strip.clone());
                prop_assert_eq!(u128::from(points), model.score);
                prop_assert!(matches!(cells[newest], 1 | 2));
            }
            prop_assert!(!model.clone().attempt('l') && !model.clone().attempt('r'), "the game is over");
            prop_assert_eq!(model.score, u128::from(best_score(&start)));
        }
    }
}
