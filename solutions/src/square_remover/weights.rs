//! What the tiles of one colour around a cell are worth, as fitted to games of the search itself.
//!
//! The origin of the numbers: games of 10,000 moves by a beam of 80, nine games for each number of colours and none of them
//! a case of the problem. After every second move a board of the beam, at times changed by one or two random moves that
//! complete a square, was played on from for 15 moves by a beam of 20. What that gained, squares removed and promise left,
//! less the mean of the game, is what the board was worth; the weights are the least squares fit to it by how often the
//! patterns occur, from 45,000 boards for each number of colours. The promise was that of an earlier fit, the first one that
//! of hand-made weights, and this is the fourth. It explains 57, 67 and 75 % of what boards differ in.

/// The numbers of colours that have weights.
pub(super) const COLORS: [u8; 3] = [4, 5, 6];

/// What a removed square is worth.
pub(super) const REMOVED: i32 = 750;

/// Patterns of a colour in the nine cells around and at a cell, and what they are worth by [`COLORS`]. Turned and mirrored
/// patterns are worth the same and are not listed. What else is missing is worth nothing: patterns within three cells of
/// one side, which would be seen beyond some edges of a board and not beyond others, and those with a whole square.
pub(super) const WEIGHTS: [(usize, [i16; 3]); 78] = [
    (0b000_001_010, [-66, -74, -86]),
    (0b000_001_011, [-69, -96, -124]),
    (0b000_001_100, [-16, -3, 9]),
    (0b000_001_101, [4, 37, 37]),
    (0b000_001_110, [-41, -48, -59]),
    (0b000_001_111, [-78, -68, -60]),
    (0b000_010_000, [-290, -302, -303]),
    (0b000_010_001, [-111, -112, -118]),
    (0b000_010_010, [-145, -180, -190]),
    (0b000_010_011, [-32, -45, -53]),
    (0b000_010_101, [-43, -34, -45]),
    (0b000_010_111, [27, 19, 41]),
    (0b000_011_010, [37, 20, 18]),
    (0b000_011_100, [-51, -47, -37]),
    (0b000_011_101, [142, 134, 141]),
    (0b000_011_110, [26, 12, 38]),
    (0b000_101_000, [20, 41, 48]),
    (0b000_101_001, [4, 20, 48]),
    (0b000_101_010, [-49, -38, -11]),
    (0b000_101_011, [103, 143, 167]),
    (0b000_101_101, [34, 67, 101]),
    (0b000_101_111, [151, 155, 179]),
    (0b000_111_000, [-97, -128, -149]),
    (0b000_111_001, [-29, -40, -29]),
    (0b000_111_010, [15, 8, -12]),
    (0b000_111_101, [41, 40, 10]),
    (0b001_000_100, [-20, -28, -18]),
    (0b001_000_101, [-29, -34, -22]),
    (0b001_000_110, [-20, -16, -11]),
    (0b001_000_111, [-1, 19, 36]),
    (0b001_001_110, [-23, -25, -31]),
    (0b001_001_111, [-103, -101, -63]),
    (0b001_010_100, [-39, -31, -12]),
    (0b001_010_101, [-7, 16, 30]),
    (0b001_010_110, [-14, -9, 14]),
    (0b001_010_111, [70, 68, 85]),
    (0b001_011_110, [52, 74, 55]),
    (0b001_100_001, [-10, -6, 18]),
    (0b001_100_010, [-72, -78, -73]),
    (0b001_100_011, [-16, 18, 41]),
    (0b001_100_101, [-7, 14, 23]),
    (0b001_100_110, [-53, -56, -57]),
    (0b001_100_111, [-7, -17, 5]),
    (0b001_101_001, [-8, -34, 22]),
    (0b001_101_010, [-52, -60, -40]),
    (0b001_101_011, [50, 85, 118]),
    (0b001_101_100, [-18, -24, 2]),
    (0b001_101_101, [15, 30, 71]),
    (0b001_101_110, [48, 62, 70]),
    (0b001_101_111, [83, 86, 96]),
    (0b001_110_001, [-51, -45, -48]),
    (0b001_110_010, [30, 36, 57]),
    (0b001_110_011, [44, 54, 46]),
    (0b001_110_101, [97, 87, 99]),
    (0b001_111_001, [14, 2, 39]),
    (0b001_111_010, [41, 33, 11]),
    (0b001_111_100, [-3, -28, -25]),
    (0b001_111_101, [34, 77, 79]),
    (0b010_101_010, [-18, -4, 24]),
    (0b010_101_011, [43, 66, 77]),
    (0b010_101_101, [4, -3, 1]),
    (0b010_101_111, [85, -25, 12]),
    (0b010_111_010, [42, 61, 94]),
    (0b010_111_101, [34, 106, 24]),
    (0b011_100_101, [32, 34, 70]),
    (0b011_100_111, [68, 81, 48]),
    (0b011_101_110, [-21, -7, -52]),
    (0b011_101_111, [106, 24, 41]),
    (0b011_110_101, [90, 50, 16]),
    (0b101_000_101, [-50, -91, -97]),
    (0b101_000_111, [30, 5, 64]),
    (0b101_001_111, [-1, -20, -1]),
    (0b101_010_101, [-12, -16, 31]),
    (0b101_010_111, [60, 17, 26]),
    (0b101_101_101, [-10, 98, -3]),
    (0b101_101_111, [81, 46, 4]),
    (0b101_111_101, [26, 105, 65]),
    (0b111_101_111, [-113, 31, -32]),
];
