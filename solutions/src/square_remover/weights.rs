//! What the tiles of one colour around a cell are worth, as fitted to games of the search itself.
//!
//! The origin of the numbers: games of 10,000 moves by a narrow beam; from every second or third move a board of the beam,
//! some of them after one or two random moves more; from each such board a beam of 20 for 15 moves. Its best value, squares
//! removed and promise left, less the value of the game's other boards, is what the board was worth. The weights are the
//! least squares fit to that by the counts of the patterns, one fit for each number of colours. This was done with the
//! hand-made weights before, and then three times with the weights of the fit before; the last two are averaged. About
//! 25,000 to 40,000 boards of nine games went into each fit, none of them a case of the problem.

/// The numbers of colours that have weights.
pub(super) const COLORS: [u8; 3] = [4, 5, 6];

/// What a removed square is worth.
pub(super) const REMOVED: i32 = 750;

/// Patterns of a colour in the nine cells around and at a cell, and what they are worth by [`COLORS`]. Turned and mirrored
/// patterns are worth the same and are not listed. What else is missing is worth nothing: patterns within three cells of
/// one side, which would be seen beyond some edges of a board and not beyond others, and those with a whole square.
pub(super) const WEIGHTS: [(usize, [i16; 3]); 78] = [
    (0b000_001_010, [-61, -76, -81]),
    (0b000_001_011, [-64, -108, -104]),
    (0b000_001_100, [-10, -1, 15]),
    (0b000_001_101, [6, 27, 31]),
    (0b000_001_110, [-36, -49, -53]),
    (0b000_001_111, [-64, -108, -26]),
    (0b000_010_000, [-279, -281, -278]),
    (0b000_010_001, [-115, -111, -113]),
    (0b000_010_010, [-143, -175, -177]),
    (0b000_010_011, [-42, -55, -54]),
    (0b000_010_101, [-39, -46, -50]),
    (0b000_010_111, [17, 11, 30]),
    (0b000_011_010, [49, 17, 18]),
    (0b000_011_100, [-51, -49, -20]),
    (0b000_011_101, [124, 130, 107]),
    (0b000_011_110, [10, 13, 34]),
    (0b000_101_000, [30, 26, 54]),
    (0b000_101_001, [6, 18, 58]),
    (0b000_101_010, [-54, -34, 7]),
    (0b000_101_011, [126, 143, 172]),
    (0b000_101_101, [44, 89, 130]),
    (0b000_101_111, [130, 157, 85]),
    (0b000_111_000, [-104, -136, -130]),
    (0b000_111_001, [-27, -25, -15]),
    (0b000_111_010, [15, 18, -7]),
    (0b000_111_101, [41, 31, 38]),
    (0b001_000_100, [-27, -31, -6]),
    (0b001_000_101, [-37, -27, -23]),
    (0b001_000_110, [-24, -11, -2]),
    (0b001_000_111, [0, -1, 39]),
    (0b001_001_110, [-31, -14, -38]),
    (0b001_001_111, [-86, -73, -42]),
    (0b001_010_100, [-26, -20, -1]),
    (0b001_010_101, [-7, 2, 49]),
    (0b001_010_110, [-6, 0, 16]),
    (0b001_010_111, [72, 50, 79]),
    (0b001_011_110, [72, 72, 79]),
    (0b001_100_001, [-9, -8, 26]),
    (0b001_100_010, [-72, -82, -75]),
    (0b001_100_011, [-9, 9, 43]),
    (0b001_100_101, [6, 11, 10]),
    (0b001_100_110, [-41, -62, -11]),
    (0b001_100_111, [-33, -36, 24]),
    (0b001_101_001, [0, -20, 34]),
    (0b001_101_010, [-60, -57, -37]),
    (0b001_101_011, [65, 79, 122]),
    (0b001_101_100, [-14, -20, 10]),
    (0b001_101_101, [3, 21, 74]),
    (0b001_101_110, [66, 72, 89]),
    (0b001_101_111, [68, 130, 92]),
    (0b001_110_001, [-51, -44, -48]),
    (0b001_110_010, [38, 28, 56]),
    (0b001_110_011, [44, 25, 31]),
    (0b001_110_101, [74, 88, 85]),
    (0b001_111_001, [-17, 58, -5]),
    (0b001_111_010, [36, 49, 5]),
    (0b001_111_100, [-7, -19, -43]),
    (0b001_111_101, [100, 53, 75]),
    (0b010_101_010, [-14, -8, 28]),
    (0b010_101_011, [71, 59, 34]),
    (0b010_101_101, [-9, -51, -44]),
    (0b010_101_111, [50, 50, 32]),
    (0b010_111_010, [32, 84, 68]),
    (0b010_111_101, [58, 36, 79]),
    (0b011_100_101, [56, 63, 103]),
    (0b011_100_111, [41, 59, 42]),
    (0b011_101_110, [16, -8, -26]),
    (0b011_101_111, [-19, -43, -96]),
    (0b011_110_101, [77, 61, 1]),
    (0b101_000_101, [-26, -49, -76]),
    (0b101_000_111, [19, -4, 11]),
    (0b101_001_111, [-1, 27, 55]),
    (0b101_010_101, [-1, -6, 18]),
    (0b101_010_111, [49, 19, -20]),
    (0b101_101_101, [34, 48, 28]),
    (0b101_101_111, [79, 61, -156]),
    (0b101_111_101, [7, 125, 94]),
    (0b111_101_111, [-19, 14, 129]),
];
