//! A game as a web page that plays it.

use crate::html::page::{OF_GAME, Shown, chart_script, in_script};
use crate::text::{GameOutline, GameReplay, ReplayRecord, json_line};
use askama::Template;
use judge_problem::one_line;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

/// The texts of a page about a game. In JSON their hidden characters are escaped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct GamePage<'a> {
    /// The problem's title.
    #[serde(serialize_with = "line")]
    pub title: &'a str,
    /// The case's name.
    #[serde(serialize_with = "line")]
    pub case: &'a str,
    /// The solver's name; empty if it is unknown.
    #[serde(serialize_with = "line")]
    pub player: &'a str,
    /// The result: `accepted 141`, or the rule that the answer breaks.
    #[serde(serialize_with = "line")]
    pub result: &'a str,
    /// Whether the answer is rejected at its last frame.
    #[serde(rename = "rejected", skip_serializing_if = "std::ops::Not::not")]
    pub is_rejected: bool,
}

fn line<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&one_line(text))
}

#[derive(Template)]
#[template(path = "game.html")]
struct Page<'a> {
    facts: Shown,
    game: &'a GamePage<'a>,
    /// The run that the page asks its server for; `None` without a server.
    run: Option<i64>,
    /// JSON for a script. [`in_script`] has made it safe, so the template does not escape it.
    data: String,
}

/// A game with its frames: `GET /api/runs/{run}/cases/{case}/replay`, and the data of a page.
#[derive(Serialize, JsonSchema)]
pub struct GameDocument<'a, F> {
    /// The number of this form.
    schema: u32,
    #[serde(flatten)]
    page: &'a GamePage<'a>,
    #[serde(flatten)]
    replay: F,
}

impl<'a, F> GameDocument<'a, F> {
    /// Describes a game. `replay` is its frames, or a shorter form of them for pages without a server.
    #[must_use]
    pub fn of(page: &'a GamePage<'_>, replay: F) -> Self {
        Self { schema: SCHEMA, page, replay }
    }
}

/// Incremented when a page could misread the new form.
const SCHEMA: u32 = 1;

/// A line of `GET /api/runs/{run}/cases/{case}/replay?lines`. The captions, cells, frames and pieces of a line follow those of the
/// lines before it.
#[derive(Serialize, JsonSchema)]
pub struct ReplayLine<'a> {
    #[serde(flatten)]
    first: Option<FirstLine<'a>>,
    #[serde(flatten)]
    replay: ReplayRecord<'a>,
}

/// What only the first line has.
#[derive(Serialize, JsonSchema)]
struct FirstLine<'a> {
    /// The number of this form.
    schema: u32,
    #[serde(flatten)]
    page: &'a GamePage<'a>,
    /// The number of frames of all lines.
    length: usize,
    /// All moves: number and first frame, each as the difference from those of the move before it.
    moves: &'a [usize],
}

impl<'a> ReplayLine<'a> {
    /// Describes a game and its first frames.
    #[must_use]
    pub fn first(page: &'a GamePage<'_>, outline: &'a GameOutline, replay: &'a GameReplay) -> Self {
        let GameOutline { frames, moves, .. } = outline;
        Self { first: Some(FirstLine { schema: SCHEMA, page, length: *frames, moves }), replay: replay.record() }
    }

    /// Describes the frames that follow.
    #[must_use]
    pub fn next(replay: &'a GameReplay) -> Self {
        Self { first: None, replay: replay.record() }
    }
}

/// Returns a self-contained web page that shows a game move by move.
///
/// # Errors
/// Never: every value in it can be written as JSON.
pub fn game_html(page: &GamePage<'_>, replay: &GameReplay) -> askama::Result<String> {
    let data = json_line(&GameDocument::of(page, replay.record())).map_err(askama::Error::custom)?;
    render(page, None, in_script(&data))
}

/// Returns the same page for a server that sends its style and scripts below `/assets/`. The page asks for the game of this
/// run itself.
///
/// # Errors
/// Never: every value in it can be written.
pub fn served_game_html(page: &GamePage<'_>, run: i64) -> askama::Result<String> {
    render(page, Some(run), String::new())
}

#[derive(Template)]
#[template(path = "refused.html")]
struct RefusedPage {
    error: Shown,
    hints: Vec<Shown>,
}

/// Returns the page of the server that says why a game is not shown.
///
/// # Errors
/// Never: every value in it can be written.
pub fn refused_html(error: &str, hints: &[&str]) -> askama::Result<String> {
    let hints = hints.iter().map(|hint| Shown::line(hint)).collect();
    RefusedPage { error: Shown::line(error), hints }.render()
}

fn render(game: &GamePage<'_>, run: Option<i64>, data: String) -> askama::Result<String> {
    let facts: Vec<_> = [game.case, game.player, game.result].into_iter().filter(|fact| !fact.is_empty()).collect();
    Page { facts: Shown::line(&facts.join(" · ")), game, run, data }.render()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::MoveRange;
    use checkers::{Board, Cell, Frame, Observer, Score};
    use proptest::prelude::*;
    use serde_json::Value;

    #[test]
    fn texts_are_neither_markup_nor_templates() {
        let mut replay = GameReplay::new(MoveRange::default());
        let board = Board { width: 0, cells: Vec::new() };
        let ahead = Board::default();
        let frame = Frame { step: 0, caption: String::new(), gained: 0.into(), total: 0.into(), board, ahead };
        replay.step(0, &mut || frame.clone());
        let page = GamePage {
            title: "<a href=\"x\">'&",
            case: "{{ title }}",
            player: "a\n\u{1b}]0;x\u{7}",
            result: "",
            is_rejected: false,
        };
        let html = game_html(&page, &replay).unwrap();
        assert!(html.contains("<h1>&#60;a href=&#34;x&#34;&#62;&#39;&#38;</h1>"), "{html}");
        assert!(html.contains(r#"<p id="facts">{{ title }} · a\n\x1b]0;x\x07</p>"#), "{html}");
    }

    /// Decodes the data a second time, as the script of a page does.
    fn played(html: &str) -> Vec<Frame> {
        let data = html.split("<script type=\"application/json\" id=\"game\">").nth(1).unwrap();
        frames_of(&serde_json::from_str(data.split("</script>").next().unwrap()).unwrap())
    }

    fn frames_of(data: &Value) -> Vec<Frame> {
        let number = |value: &Value| usize::try_from(value.as_u64().unwrap()).unwrap();
        let numbers = |value: &Value| value.as_array().map_or_else(Vec::new, |list| list.iter().map(number).collect());
        let (mut step, mut total, mut width, mut looks) = (0, Score::default(), 0, Vec::new());
        let (mut frames, mut start) = (Vec::new(), 0);
        let look = |look: usize, marked| Cell {
            text: data["cells"][look][0].as_str().map(|text| text.to_owned().into()),
            color: u32::try_from(data["cells"][look][1].as_u64().unwrap()).unwrap(),
            marked,
        };
        for delta in data["frames"].as_array().unwrap() {
            step = delta.get("s").map_or(step, number);
            total = delta.get("p").map_or(total, |points| points.as_str().unwrap().parse().unwrap());
            if let Some(new_width) = delta.get("w") {
                (width, looks) = (number(new_width), vec![0; number(&delta["n"])]);
            }
            let mut place = 0;
            for change in numbers(&delta["c"]).chunks(2) {
                place += change[0];
                looks[place] = change[1];
            }
            if let Some(all) = delta.get("b") {
                let place = |symbol: char| symbol as usize - '#' as usize - usize::from(symbol > '\\');
                looks = all.as_str().unwrap().chars().map(place).collect();
            }
            start += delta.get("q").map_or(0, number);
            let mut marked = vec![false; looks.len()];
            let mut place = 0;
            for difference in numbers(&delta["m"]) {
                place += difference;
                marked[place] = true;
            }
            let cells = looks.iter().zip(&marked).map(|(&cell, &marked)| look(cell, marked)).collect();
            frames.push(Frame {
                step,
                caption: data["captions"][number(&delta["t"])].as_str().unwrap().to_owned(),
                gained: delta.get("g").map_or(Score::default(), |points| points.as_str().unwrap().parse().unwrap()),
                total: total.clone(),
                board: Board { width, cells },
                ahead: ahead(&data["queue"], start, look),
            });
        }
        frames
    }

    /// Returns the visible part of the queue in a frame.
    fn ahead(queue: &Value, start: usize, look: impl Fn(usize, bool) -> Cell) -> Board {
        let number = |value: &Value| usize::try_from(value.as_u64().unwrap()).unwrap();
        let Some(cells) = queue["cells"].as_array() else { return Board::default() };
        let height = number(&queue["height"]);
        let columns: Vec<_> = cells.chunks(height).skip(start).take(number(&queue["width"])).collect();
        let cell = |(row, column): (usize, &&[Value])| look(number(&column[row]), false);
        let rows = (0..height).flat_map(|row| columns.iter().map(move |column| (row, column)));
        Board { width: columns.len(), cells: if columns.is_empty() { Vec::new() } else { rows.map(cell).collect() } }
    }

    fn html_of(frames: &[Frame], from: Option<usize>, to: Option<usize>) -> String {
        let mut replay = GameReplay::new(MoveRange { from, to });
        frames.iter().for_each(|frame| replay.step(frame.step, &mut || frame.clone()));
        game_html(&GamePage { title: "<T>", case: "c", player: "", result: "", is_rejected: false }, &replay).unwrap()
    }

    fn any_frame() -> impl Strategy<Value = Frame> {
        let cell = (proptest::option::of("[a-c<]{1,2}"), 0_u32..4, any::<bool>());
        let cells = proptest::collection::vec(cell, 6);
        (0_usize..5, "[a-z</script>]{0,9}", 0_i32..3, any::<i64>(), 1_usize..3, cells).prop_map(
            |(step, caption, gained, total, rows, cells)| {
                let cell = |(text, color, marked): (Option<String>, u32, bool)| {
                    let color = if text.is_some() { color } else { 0 };
                    Cell { text: text.map(Into::into), color, marked }
                };
                let board = Board { width: 6 / rows, cells: cells.into_iter().map(cell).take(6).collect() };
                let ahead = Board::default();
                Frame { step, caption, gained: gained.into(), total: total.into(), board, ahead }
            },
        )
    }

    /// Frames of a game whose next pieces are known. Pieces have two cells, and three pieces are shown.
    fn any_game() -> impl Strategy<Value = Vec<Frame>> {
        let pieces = proptest::collection::vec(("[a-b]", "[a-b]"), 12);
        (proptest::collection::vec((any_frame(), 0_usize..5), 1..20), pieces).prop_map(|(frames, pieces)| {
            let mut start = 0;
            let with_queue = |(frame, moved): (Frame, usize)| {
                start = pieces.len().min(start + moved);
                let shown = &pieces[start..pieces.len().min(start + 3)];
                let cell = |text: &String| Cell { text: Some(text.clone().into()), color: 1, marked: false };
                let rows = shown.iter().map(|piece| cell(&piece.0)).chain(shown.iter().map(|piece| cell(&piece.1)));
                Frame { ahead: Board { width: shown.len(), cells: rows.collect() }, ..frame }
            };
            frames.into_iter().map(with_queue).collect()
        })
    }

    #[test]
    fn a_large_board_is_stored_whole() {
        let cell = |text: usize| Cell { text: Some(text.to_string().into()), color: 0, marked: text == 3 };
        let frame = |shift| Frame {
            step: shift,
            caption: String::new(),
            gained: 0.into(),
            total: 0.into(),
            board: Board { width: 100, cells: (0..10_000).map(|place| cell((place + shift) % 70)).collect() },
            ahead: Board::default(),
        };
        let frames = [frame(0), frame(1), frame(1)];
        let html = html_of(&frames, None, None);
        assert_eq!((played(&html), html.matches("\"b\":").count()), (frames.to_vec(), 2));
    }

    /// Sends a game in lines, each with the frames up to one of these numbers, and joins them as a page does.
    fn sent(frames: &[Frame], cuts: &[usize]) -> Value {
        let page = GamePage { title: "", case: "", player: "", result: "", is_rejected: false };
        let (mut outline, mut replay, mut lines) =
            (GameOutline::default(), GameReplay::new(MoveRange::default()), Vec::new());
        frames.iter().for_each(|frame| outline.step(frame.step, &mut || unreachable!()));
        let mut send = |replay: &mut GameReplay| {
            let is_first = lines.is_empty();
            let line = if is_first { ReplayLine::first(&page, &outline, replay) } else { ReplayLine::next(replay) };
            lines.push(serde_json::to_value(line).unwrap());
            replay.forget_sent();
        };
        for (at, frame) in frames.iter().enumerate() {
            replay.step(frame.step, &mut || frame.clone());
            if cuts.contains(&at) {
                send(&mut replay);
            }
        }
        send(&mut replay);
        let join = |mut whole: Value, mut line: Value| {
            for name in ["captions", "cells", "frames"] {
                whole[name].as_array_mut().unwrap().append(line[name].as_array_mut().unwrap());
            }
            if let (Some(cells), Some(more)) =
                (whole["queue"]["cells"].as_array().cloned(), line["queue"]["cells"].as_array())
            {
                whole["queue"] = line["queue"].clone();
                whole["queue"]["cells"] = cells.iter().chain(more).cloned().collect();
            } else if !line["queue"].is_null() {
                whole["queue"] = line["queue"].take();
            }
            whole
        };
        lines.into_iter().reduce(join).unwrap()
    }

    proptest! {
        #[test]
        fn lines_of_a_game_give_the_frames_back(frames in any_game(), cuts in proptest::collection::vec(0_usize..20, 0..4)) {
            let mut frames = frames;
            let mut steps: Vec<_> = frames.iter().map(|frame| frame.step).collect();
            steps.sort_unstable();
            frames.iter_mut().zip(steps).for_each(|(frame, step)| frame.step = step);
            let whole = sent(&frames, &cuts);
            prop_assert_eq!(whole["length"].as_u64(), Some(frames.len() as u64));
            let mut moves = Vec::new();
            for pair in whole["moves"].as_array().unwrap().chunks(2) {
                let [step, first] = [0, 1].map(|at| pair[at].as_u64().unwrap());
                let (last_step, last_first) = moves.last().copied().unwrap_or_default();
                moves.push((last_step + step, last_first + first));
            }
            let starts = whole["frames"].as_array().unwrap().iter().zip(0_u64..);
            let starts: Vec<_> = starts.filter_map(|(delta, at)| Some((delta["s"].as_u64()?, at))).collect();
            prop_assert_eq!(moves, starts);
            prop_assert_eq!(frames_of(&whole), frames);
        }

        #[test]
        fn applying_the_changes_gives_the_frames_back(frames in any_game()) {
            prop_assert_eq!(played(&html_of(&frames, None, None)), frames);
        }

        #[test]
        fn a_part_of_a_game_starts_with_a_whole_board(
            frames in any_game(), from in 0_usize..5, to in 0_usize..5
        ) {
            let part: Vec<_> = frames.iter().filter(|frame| (from..=to).contains(&frame.step)).cloned().collect();
            prop_assert_eq!(played(&html_of(&frames, Some(from), Some(to))), part);
        }
    }

    #[test]
    fn real_games_come_back_frame_by_frame() {
        struct Frames(Vec<Frame>);
        impl Observer for Frames {
            fn step(&mut self, _: usize, frame: &mut dyn FnMut() -> Frame) {
                self.0.push(frame());
            }
        }
        let checker = checkers::find("columns").unwrap();
        let case = checker.read(&checker.generate(1).unwrap()).unwrap();
        let pieces = case.features().iter().find(|feature| feature.name == "k").unwrap().value;
        let answer = format!(
            "{pieces}\n{}",
            (0..pieces).map(|piece| format!("{} {}\n", piece % 6 + 1, piece % 3)).collect::<String>()
        );
        let mut frames = Frames(Vec::new());
        case.replay(answer.as_bytes(), &mut frames).unwrap();
        assert!(frames.0.len() > 10);
        let mut replay = GameReplay::new(MoveRange::default());
        case.replay(answer.as_bytes(), &mut replay).unwrap();
        let html = game_html(
            &GamePage { title: "Columns", case: "seed-1", player: "", result: "", is_rejected: false },
            &replay,
        )
        .unwrap();
        // The colour of an empty cell is meaningless.
        for frame in &mut frames.0 {
            frame.board.cells.iter_mut().filter(|cell| cell.text.is_none()).for_each(|cell| cell.color = 0);
        }
        assert_eq!(played(&html), frames.0);
    }
}
