//! A game move by move: its frames for a page, its boards as text, and stepping through it.

use checkers::{Board, Cell, Frame, Observer, Score};
use indexmap::IndexSet;
use indexmap::set::Slice;
use judge_problem::one_line;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr};
use schemars::JsonSchema;
use serde::Serialize;
use serde_with_macros::skip_serializing_none;
use std::borrow::Cow;
use std::io::{self, IsTerminal, Write, stdin, stdout};
use unicode_width::UnicodeWidthStr;

/// Records a game as it is replayed.
#[derive(Debug, Default)]
pub struct GameReplay {
    moves: MoveRange,
    captions: IndexSet<String>,
    cells: IndexSet<Look>,
    frames: Vec<Delta>,
    step: usize,
    total: Score,
    width: usize,
    board: Vec<u32>,
    queue: Queue,
    /// The parts that were sent.
    sent: Sent,
}

/// How much of a game was sent.
#[derive(Debug, Default)]
struct Sent {
    captions: usize,
    cells: usize,
    frames: usize,
    queue: usize,
}

/// The look of a cell, without its mark.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, JsonSchema)]
pub(crate) struct Look(Option<Cow<'static, str>>, u32);

impl Look {
    fn is_of(&self, cell: &Cell) -> bool {
        // The colour first: it nearly always differs, and comparing it is faster.
        (self.1 == cell.color || cell.text.is_none()) && self.0 == cell.text
    }
}

/// The difference between a frame and the previous one. Unchanged parts are absent.
#[skip_serializing_none]
#[derive(Debug, Default, Serialize, JsonSchema)]
struct Delta {
    /// The move's number.
    s: Option<usize>,
    /// The caption's index in the palette.
    t: u32,
    /// Gained points.
    g: Option<String>,
    /// Points so far.
    p: Option<String>,
    /// The board's width, if the form of the board changed; the board is then empty before the changes.
    w: Option<usize>,
    /// The number of cells of that board.
    n: Option<usize>,
    /// Changed cells: place, look, place, look, and so on. Each place is relative to the changed one before it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    c: Vec<u32>,
    /// All cells of a large board, a character for each, if many changed: look 0 is `#`, and so on in the order of Unicode
    /// without the backslash.
    b: Option<String>,
    /// Marked cells: their places, each counted from the one before it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    m: Vec<u32>,
    /// By how many columns the shown part of the queue moved on.
    #[serde(skip_serializing_if = "num_traits::Zero::is_zero")]
    q: usize,
}

/// The next pieces of the game, one after the other.
#[derive(Debug, Default)]
struct Queue {
    width: usize,
    height: usize,
    cells: Vec<u32>,
    /// The beginning of the visible part.
    start: usize,
}

/// The next pieces of the game, one after the other.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct QueueRecord<'a> {
    /// How many columns are shown at once.
    width: usize,
    /// How many cells a column has.
    height: usize,
    /// The looks of all columns of the game, one after the other, each from its top.
    cells: &'a [u32],
}

impl Queue {
    /// Shows these columns next: all remaining ones, up to a constant width. Returns how many columns the visible part
    /// has moved. Known columns are not stored again.
    fn show(&mut self, columns: &[u32], height: usize) -> usize {
        let before = self.start;
        if columns.is_empty() {
            self.start = self.cells.len() / self.height.max(1);
            return self.start - before;
        }
        let (height, width) = (height.max(1), columns.len() / height.max(1));
        (self.height, self.width) = (height, self.width.max(width));
        let mut starts = (before * height..=self.cells.len()).step_by(height).take(width + 1);
        // Fewer columns than usual are the last ones.
        let found = if width < self.width {
            let start = self.cells.len().checked_sub(columns.len()).filter(|start| *start >= before * height);
            start.filter(|start| self.cells[*start..] == *columns)
        } else {
            starts.find(|start| self.cells[*start..].starts_with(columns) || columns.starts_with(&self.cells[*start..]))
        };
        let start = found.unwrap_or(self.cells.len());
        let known = self.cells.len() - start;
        self.cells.extend(columns.get(known..).unwrap_or_default());
        self.start = start / height;
        self.start - before
    }
}

/// The frames in the form of a page. Numbers are strings, because scores can be longer than JavaScript's numbers.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReplayRecord<'a> {
    /// The captions, which frames refer to by index.
    #[schemars(with = "Vec<String>")]
    captions: &'a Slice<String>,
    /// The looks of cells, which frames refer to by index: text (`null` for an empty cell) and colour.
    #[schemars(with = "Vec<Look>")]
    cells: &'a Slice<Look>,
    /// Each as the difference from the one before it.
    frames: &'a [Delta],
    /// The next pieces of the game; absent if they are unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    queue: Option<QueueRecord<'a>>,
}

/// A frame with this many cells or more has the whole board, if at least a quarter of it changed.
const LARGE: usize = 500;

/// Returns the character of a look on a large board; `None` if there are too many looks.
fn symbol(look: u32) -> Option<char> {
    const FIRST: u32 = '#' as u32;
    // A backslash is escaped in JSON.
    let skipped = u32::from(FIRST + look >= '\\' as u32);
    char::from_u32(FIRST + look + skipped).filter(char::is_ascii_graphic)
}

impl GameReplay {
    /// Starts a replay of these moves, without frames.
    pub fn new(moves: MoveRange) -> Self {
        let mut replay = Self { moves, ..Self::default() };
        // An empty cell is 0, so a new board lists no empty cells.
        replay.cells.insert(Look(None, 0));
        replay
    }

    /// Returns the number of frames.
    pub fn len(&self) -> usize {
        self.sent.frames + self.frames.len()
    }

    /// Returns whether there are no frames.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Forgets the recorded part, which was sent. The next part continues it.
    pub fn forget_sent(&mut self) {
        let queue = self.queue.cells.len();
        self.sent = Sent { captions: self.captions.len(), cells: self.cells.len(), frames: self.len(), queue };
        self.frames.clear();
    }

    /// Returns the points after the last frame.
    pub fn points(&self) -> &Score {
        &self.total
    }

    /// Returns the game, or what followed since [`Self::forget_sent`].
    pub fn record(&self) -> ReplayRecord<'_> {
        let Queue { width, height, cells, .. } = &self.queue;
        let queue = QueueRecord { width: *width, height: *height, cells: &cells[self.sent.queue..] };
        ReplayRecord {
            captions: &self.captions[self.sent.captions..],
            cells: &self.cells[self.sent.cells..],
            frames: &self.frames,
            queue: Some(queue).filter(|queue| !queue.cells.is_empty()),
        }
    }

    fn add(&mut self, frame: Frame) {
        let Frame { step, caption, gained, total, board, ahead } = frame;
        let first = self.is_empty();
        let marked = (0..).zip(&board.cells).filter(|(_, cell)| cell.marked).map(|(place, _)| place);
        let mut delta = Delta {
            s: (first || step != self.step).then_some(step),
            t: small(self.captions.insert_full(caption).0),
            g: (gained != Score::default()).then(|| gained.to_string()),
            p: (first || total != self.total).then(|| total.to_string()),
            m: differences(marked),
            q: self.move_queue(ahead),
            ..Delta::default()
        };
        self.redraw(board, &mut delta);
        (self.step, self.total) = (step, total);
        self.frames.push(delta);
    }

    /// Returns by how many columns the shown part of the queue moves on.
    fn move_queue(&mut self, Board { width, cells }: Board) -> usize {
        let height = cells.len() / width.max(1);
        let looks: Vec<_> = cells.into_iter().map(|cell| small(self.cells.insert_full(look(cell)).0)).collect();
        let columns: Vec<_> = (0..width).flat_map(|column| looks.iter().copied().skip(column).step_by(width)).collect();
        self.queue.show(&columns, height)
    }

    fn redraw(&mut self, board: Board, delta: &mut Delta) {
        if self.width != board.width || self.board.len() != board.cells.len() {
            (delta.w, delta.n) = (Some(board.width), Some(board.cells.len()));
            self.width = board.width;
            self.board = vec![0; board.cells.len()];
        }
        let mut last = 0;
        for (place, cell) in board.cells.into_iter().enumerate() {
            // Nearly all cells look as before. This check is faster than a search of the palette.
            if self.cells[self.board[place] as usize].is_of(&cell) {
                continue;
            }
            // On a large board most cells have one of the first looks.
            let known = self.cells.iter().take(16).position(|look| look.is_of(&cell));
            let look = small(known.unwrap_or_else(|| self.cells.insert_full(look(cell)).0));
            self.board[place] = look;
            delta.c.extend([small(place - last), look]);
            last = place;
        }
        if self.board.len() >= LARGE && delta.c.len() > self.board.len() / 2 {
            delta.b = self.board.iter().map(|look| symbol(*look)).collect();
            if delta.b.is_some() {
                delta.c.clear();
            }
        }
    }
}

impl Observer for GameReplay {
    fn step(&mut self, step: usize, frame: &mut dyn FnMut() -> Frame) {
        if self.moves.contains(step) {
            self.add(frame());
        }
    }
}

/// The jewels of a piece of columns.
const HEIGHT: usize = 3;

/// The number of next pieces that a frame of columns shows.
const SHOWN: usize = 10;

/// A game of columns as its moves only, for pages without a server. `columns.js` plays them again, with the pieces of the
/// case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ColumnsMoves {
    /// A character for each piece, counted from `0`: three times the column, plus how often the bottom jewel moves to
    /// the top.
    pub moves: String,
    /// The number of pieces that the game shows.
    #[serde(skip)]
    pub pieces: usize,
    /// The checksum of the frames, with which a page checks that it has played the same game.
    pub sum: u32,
}

impl GameReplay {
    /// Returns the moves of a whole game of columns; `None` if the frames show another game.
    pub fn columns_moves(&self) -> Option<ColumnsMoves> {
        if self.queue.height != HEIGHT || self.width == 0 {
            return None;
        }
        let (mut start, mut moves) = (0, String::new());
        for delta in &self.frames {
            if delta.s.is_some_and(|step| step > 0) {
                let caption = &self.captions[delta.t as usize];
                let shifts = shifts(self.queue.cells.get(HEIGHT * start..)?.get(..HEIGHT)?, &self.cells, caption)?;
                moves.push(char::from(b'0' + u8::try_from(HEIGHT * column_of(caption)? + shifts).ok()?));
            }
            start += delta.q;
        }
        let record = serde_json::to_vec(&self.record()).ok()?;
        Some(ColumnsMoves { pieces: moves.len() + SHOWN, moves, sum: sum_of(&record) })
    }
}

/// Returns the column, from 0, in a caption such as `abc does not fit in column 3: the game is over`.
fn column_of(caption: &str) -> Option<usize> {
    let (_, rest) = caption.split_once("column ")?;
    let end = rest.find(|sign: char| !sign.is_ascii_digit()).unwrap_or(rest.len());
    rest[..end].parse::<usize>().ok()?.checked_sub(1)
}

/// Returns how often the bottom jewel of a piece moved to the top before it landed. The caption begins with the jewels as
/// they landed, from the bottom, and a piece has their looks from the top.
fn shifts(piece: &[u32], looks: &IndexSet<Look>, caption: &str) -> Option<usize> {
    let mut jewels: Vec<&str> =
        piece.iter().rev().map(|look| looks[*look as usize].0.as_deref().unwrap_or("")).collect();
    (0..HEIGHT).find(|_| {
        let is_landed = caption.starts_with(&jewels.concat());
        jewels.rotate_left(1);
        is_landed
    })
}

/// Returns the sum of bytes: FNV-1a.
fn sum_of(bytes: &[u8]) -> u32 {
    bytes.iter().fold(2_166_136_261, |sum, byte| (sum ^ u32::from(*byte)).wrapping_mul(16_777_619))
}

/// Returns the look of a cell.
pub(crate) fn look(cell: Cell) -> Look {
    // The colour of an empty cell is meaningless.
    let color = if cell.text.is_some() { cell.color } else { 0 };
    Look(cell.text, color)
}

/// Returns the difference of each number from the one before it.
fn differences(places: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut last = 0;
    places.map(|place| place - std::mem::replace(&mut last, place)).collect()
}

/// Converts a place on a board or an index in a palette. There is never memory for 2^32 of them.
fn small(number: usize) -> u32 {
    u32::try_from(number).expect("places are counted in memory")
}

/// The moves from `from` to `to`; `None` is the first or the last one.
#[derive(Debug, Clone, Copy, Default)]
pub struct MoveRange {
    /// The first move.
    pub from: Option<usize>,
    /// The last move.
    pub to: Option<usize>,
}

impl MoveRange {
    /// Returns whether a move is part of it.
    pub fn contains(self, step: usize) -> bool {
        self.from.is_none_or(|from| step >= from) && self.to.is_none_or(|to| step <= to)
    }
}

/// How long a game is, and where its moves begin. This is known before its frames are drawn.
#[derive(Debug, Default)]
pub struct GameOutline {
    /// The number of frames.
    pub frames: usize,
    /// The moves: number and first frame, each as the difference from those of the move before it.
    pub(crate) moves: Vec<usize>,
    last: Option<(usize, usize)>,
}

impl Observer for GameOutline {
    fn step(&mut self, step: usize, _: &mut dyn FnMut() -> Frame) {
        let (last_step, last_frame) = self.last.unwrap_or_default();
        if self.last.is_none() || step != last_step {
            // A game never goes back to an earlier move.
            self.moves.extend([step.saturating_sub(last_step), self.frames - last_frame]);
            self.last = Some((step, self.frames));
        }
        self.frames += 1;
    }
}

/// Records a game as it is replayed. Each frame is a text of several lines.
#[derive(Debug, Default)]
pub struct GameText {
    moves: MoveRange,
    /// The frames, each without a newline at its end.
    pub frames: Vec<String>,
}

impl GameText {
    /// Starts a replay of these moves, without frames.
    pub fn new(moves: MoveRange) -> Self {
        Self { moves, frames: Vec::new() }
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
    let Frame { step, caption, gained, total, board, .. } = frame;
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

/// Switches to the alternate screen and back. The text on the terminal stays as it was.
const ENTER: &str = "\x1b[?1049h\x1b[?25l";
const LEAVE: &str = "\x1b[?25h\x1b[?1049l";
const CLEAR: &str = "\x1b[H\x1b[2J";

/// The number of frames that one key skips.
const LEAP: usize = 10;

/// The time between two checks whether to stop.
const CHECK_INTERVAL: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };

/// Returns whether the user can step through frames: standard input and output are a terminal.
pub fn can_step() -> bool {
    stdin().is_terminal() && stdout().is_terminal()
}

/// Shows the frames one at a time until the reader leaves, or `is_stopped`, and restores the terminal. `result` is shown
/// below the last one. Returns whether the reader left.
///
/// # Errors
/// When the terminal cannot be read or written.
pub fn step_through(frames: &[String], result: &str, mut is_stopped: impl FnMut() -> bool) -> io::Result<bool> {
    let _keys = Keys::open()?;
    let mut place = 0;
    loop {
        let last = frames.len().saturating_sub(1);
        let end = if place == last { format!("\n\n{result}") } else { String::new() };
        let help = "→ next · ← back · PgDn, PgUp by 10 · Home, End · q leaves";
        let shown = format!("{}{end}\n\nframe {} of {} · {help}", frames[place], place + 1, frames.len());
        write_out(&format!("{CLEAR}{}", shown.replace('\n', "\r\n")))?;
        if !wait_for_key(&mut is_stopped)? {
            return Ok(false);
        }
        let mut bytes = [0; 16];
        // Without the buffer of `Stdin`, whose content `poll` does not see.
        let count = rustix::io::read(stdin(), &mut bytes)?;
        for key in keys(&bytes[..count]) {
            match key {
                Key::Leave => return Ok(true),
                Key::Move(by) => place = place.saturating_add_signed(by).min(last),
                Key::First => place = 0,
                Key::Last => place = last,
            }
        }
        if count == 0 {
            return Ok(true);
        }
    }
}

/// Waits for a key or the end of the input. Returns false if `is_stopped` is true before.
fn wait_for_key(is_stopped: &mut impl FnMut() -> bool) -> io::Result<bool> {
    let keyboard = stdin();
    loop {
        let mut waiting = [PollFd::new(&keyboard, PollFlags::IN)];
        match poll(&mut waiting, Some(&CHECK_INTERVAL)) {
            Ok(0) | Err(Errno::INTR) if is_stopped() => return Ok(false),
            Ok(0) | Err(Errno::INTR) => {}
            Ok(_) => return Ok(true),
            Err(error) => return Err(error.into()),
        }
    }
}

fn write_out(text: &str) -> io::Result<()> {
    let mut stdout = stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Key {
    Move(isize),
    First,
    Last,
    Leave,
}

/// Returns the keys in the bytes that a terminal sends. Unknown keys are ignored.
fn keys(mut bytes: &[u8]) -> Vec<Key> {
    const NAMED: [(&[&[u8]], Key); 7] = [
        (&[b"\x1b[C", b"\x1b[B", b"\x1bOC", b"\x1bOB", b" ", b"\r", b"\n", b"n"], Key::Move(1)),
        (&[b"\x1b[D", b"\x1b[A", b"\x1bOD", b"\x1bOA", b"\x7f", b"p"], Key::Move(-1)),
        (&[b"\x1b[6~"], Key::Move(LEAP.cast_signed())),
        (&[b"\x1b[5~"], Key::Move(-LEAP.cast_signed())),
        (&[b"\x1b[H", b"\x1b[1~", b"g"], Key::First),
        (&[b"\x1b[F", b"\x1b[4~", b"G"], Key::Last),
        (&[b"q", b"\x03"], Key::Leave),
    ];
    let mut found = Vec::new();
    while let Some(first) = bytes.first() {
        let mut codes = NAMED.iter().flat_map(|(codes, key)| codes.iter().map(move |code| (code, *key)));
        if let Some((code, key)) = codes.find(|(code, _)| bytes.starts_with(code)) {
            found.push(key);
            bytes = &bytes[code.len()..];
        } else if *first == 0x1b && bytes.len() > 1 {
            // Another key's sequence.
            break;
        } else {
            found.extend(matches!(first, 0x1b | 0x04).then_some(Key::Leave));
            bytes = &bytes[1..];
        }
    }
    found
}

/// A terminal that sends each key at once. Dropping this restores the terminal.
struct Keys(Termios);

impl Keys {
    fn open() -> io::Result<Self> {
        let before = tcgetattr(stdin())?;
        let mut now = before.clone();
        now.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG);
        now.special_codes[SpecialCodeIndex::VMIN] = 1;
        now.special_codes[SpecialCodeIndex::VTIME] = 0;
        tcsetattr(stdin(), OptionalActions::Now, &now)?;
        let keys = Self(before);
        write_out(ENTER)?;
        Ok(keys)
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        let _ = write_out(LEAVE);
        let _ = tcsetattr(stdin(), OptionalActions::Now, &self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_its_move_its_points_and_its_board() {
        let cell = |text: &str, marked| Cell { text: (text != ".").then(|| text.to_owned().into()), color: 1, marked };
        let cells = vec![cell("a", false), cell("12", true), cell(".", false), cell("b", true)];
        let frame = Frame {
            step: 3,
            caption: "2 matches\u{202e}".to_owned(),
            gained: 4.into(),
            total: 12.into(),
            board: Board { width: 2, cells },
            ahead: Board::default(),
        };
        let mut game = GameText::new(MoveRange { from: Some(3), to: None });
        game.step(3, &mut || frame.clone());
        game.step(2, &mut || unreachable!("it is not of these moves"));
        let shown = "move 3 · total 12 (+4)\n2 matches\\u{202e}\n  a [12]\n  .  [b]";
        assert_eq!(game.frames, [shown]);
    }

    #[test]
    fn a_game_without_a_board_has_its_captions() {
        let board = Board { width: 0, cells: Vec::new() };
        let ahead = Board::default();
        let frame = Frame { step: 0, caption: "the start".into(), gained: 0.into(), total: 0.into(), board, ahead };
        let mut game = GameText::default();
        game.step(0, &mut || frame.clone());
        assert_eq!(game.frames, ["move 0 · total 0\nthe start\n"]);
    }

    #[test]
    fn what_a_terminal_sends_are_keys() {
        let (next, back) = (Key::Move(1), Key::Move(-1));
        for (bytes, expected) in [
            (&b"\x1b[C\x1b[C\x1b[D"[..], &[next, next, back][..]),
            (b" np\x7f\r", &[next, next, back, back, next]),
            (b"\x1b[6~\x1b[5~\x1b[HG", &[Key::Move(10), Key::Move(-10), Key::First, Key::Last]),
            (b"xyz", &[]),
            (b"q", &[Key::Leave]),
            (b"\x1b", &[Key::Leave]),
            (b"\x03", &[Key::Leave]),
            // A function key.
            (b"\x1b[15~", &[]),
            (b"", &[]),
        ] {
            assert_eq!(keys(bytes), expected, "{bytes:?}");
        }
    }

    #[test]
    fn moves_are_read_from_the_frames() {
        let checker = checkers::find("columns").unwrap();
        let case = checker.read(b"6 13\n5\nabc\n***\nabd\naaa\nbbb\n").unwrap();
        let mut replay = GameReplay::new(MoveRange::default());
        case.replay(b"4\n6 2\n6 0\n1 1\n1 2\n", &mut replay).unwrap();
        let known = replay.columns_moves().unwrap();
        // Equal jewels are not shifted, and the rules place the piece that the answer leaves out.
        assert_eq!((known.moves.as_str(), known.pieces), ("A?100", 15));
        assert_eq!(sum_of(b"judge"), 0xaae2_e5a4);
    }

    #[test]
    fn other_games_have_no_moves() {
        let checker = checkers::find("same-game-free").unwrap();
        let case = checker.read(&checker.generate(1).unwrap()).unwrap();
        let mut replay = GameReplay::new(MoveRange::default());
        case.replay(b"0\n", &mut replay).unwrap();
        assert_eq!(replay.columns_moves(), None);
    }
}
