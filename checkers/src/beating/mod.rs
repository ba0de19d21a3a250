//! The games `beating-the-game-easy` and `beating-the-game-hard` (IPSC 2014, problem B): 2048 on a strip, its random
//! numbers known.

mod answer;
mod easy;
mod generate;
mod hard;
mod ids;
mod input;
mod layer;
mod optimum;
mod packed;
mod rules;
mod seen;
mod stage;
mod strip;

pub(crate) use easy::BeatingTheGameEasy;
pub(crate) use hard::BeatingTheGameHard;
