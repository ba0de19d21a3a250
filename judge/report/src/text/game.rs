//! A game in plain characters.

use super::moves::MoveRange;
use checkers::{Board, Cell, Frame, Observer, Score};
use judge_problem::one_line;
use unicode_width::UnicodeWidthStr;

/// A game as it is replayed: each frame a text of several lines.
#[derive(Debug, Default)]
pub struct GameText {
    moves: MoveRange,
    frames: Vec<String>,
}

impl GameText {
    /// Starts with nothing of these moves.
    #[must_use]
    pub fn new(moves: MoveRange) -> Self {
        Self { moves, frames: Vec::new() }
    }

    /// Returns the frames, each without a newline at its end.
    #[must_use]
    pub fn frames(&self) -> &[String] {
        &self.frames
    }
}

impl Observer for GameText {
    fn step(&mut self, step: usize, frame: &mut dyn FnMut() -> Frame) {
        if self.moves.contains(step) {
            self.frames.push(text(&frame()));
        }
    }
}

/// Returns a frame as `move 3 · total 12 (+4)`, what happened, and the board.
fn text(frame: &Frame) -> String {
    let Frame { step, caption, gained, total, board } = frame;
    let gained = if *gained == Score::default() { String::new() } else { format!(" ({gained:+})") };
    let board = rows(board).join("\n");
    format!("move {step} · total {total}{gained}\n{}\n{board}", one_line(caption))
}

/// Returns the rows of a board. An empty cell is a dot, and the cells that the step concerns are in brackets.
fn rows(board: &Board) -> Vec<String> {
    let shown: Vec<_> = board.cells.iter().map(|cell| one_line(cell.text.as_deref().unwrap_or("."))).collect();
    let width = shown.iter().map(|text| text.width()).max().unwrap_or(0);
    let cell = |(text, cell): (&str, &Cell)| {
        let room = " ".repeat(width - text.width());
        if cell.marked { format!("{room}[{text}]") } else { format!("{room} {text} ") }
    };
    let cells: Vec<_> = shown.iter().map(|text| &**text).zip(&board.cells).map(cell).collect();
    cells.chunks(board.width.max(1)).map(|row| row.concat().trim_end().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_its_move_its_points_and_its_board() {
        let cell = |text: &str, marked| Cell { text: (text != ".").then(|| text.to_owned()), color: 1, marked };
        let cells = vec![cell("a", false), cell("12", true), cell(".", false), cell("b", true)];
        let frame = Frame {
            step: 3,
            caption: "2 matches\u{202e}".to_owned(),
            gained: 4.into(),
            total: 12.into(),
            board: Board { width: 2, cells },
        };
        let mut game = GameText::new(MoveRange { from: Some(3), to: None });
        game.step(3, &mut || frame.clone());
        game.step(2, &mut || unreachable!("it is not of these moves"));
        let shown = "move 3 · total 12 (+4)\n2 matches\\u{202e}\n  a [12]\n  .  [b]";
        assert_eq!(game.frames(), [shown]);
    }

    #[test]
    fn a_game_without_a_board_has_its_captions() {
        let board = Board { width: 0, cells: Vec::new() };
        let frame = Frame { step: 0, caption: "the start".into(), gained: 0.into(), total: 0.into(), board };
        let mut game = GameText::default();
        game.step(0, &mut || frame.clone());
        assert_eq!(game.frames(), ["move 0 · total 0\nthe start\n"]);
    }
}
