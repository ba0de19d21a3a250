//! A game as a web page that plays it.

use crate::assets;
use crate::html::page::{Shown, in_script};
use crate::text::json::json_line;
use crate::text::replay::{GameReplay, ReplayRecord};
use askama::Template;
use serde::Serialize;

/// The texts of a page about a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GamePage<'a> {
    /// The problem's title.
    pub title: &'a str,
    /// The case's name.
    pub case: &'a str,
    /// The solver; empty where it is unknown.
    pub player: &'a str,
    /// The result: `accepted, 141`, or the rule that the answer breaks.
    pub result: &'a str,
    /// Whether the answer is rejected at its last frame.
    pub is_rejected: bool,
}

#[derive(Template)]
#[template(path = "game.html")]
struct Page {
    title: Shown,
    heading: Shown,
    facts: Shown,
    is_served: bool,
    style: &'static str,
    script: &'static str,
    chart_style: &'static str,
    chart_script: &'static str,
    /// JSON for a script. [`in_script`] has made it safe, so that the template does not escape it.
    data: String,
}

#[derive(Serialize)]
struct Data<'a> {
    schema: u32,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    rejected: bool,
    #[serde(flatten)]
    reel: ReplayRecord<'a>,
}

/// Returns a self-contained web page that shows a game move by move.
///
/// # Errors
/// Never: every value in it can be written as JSON.
pub fn game_html(page: &GamePage<'_>, film: &GameReplay) -> askama::Result<String> {
    render(page, film, false)
}

/// Returns the same page for a server that sends its style and script as `/assets/game.css`, `/assets/board.js` and `/assets/game.js`.
///
/// # Errors
/// Never: every value in it can be written as JSON.
pub fn served_game_html(page: &GamePage<'_>, film: &GameReplay) -> askama::Result<String> {
    render(page, film, true)
}

fn render(page: &GamePage<'_>, film: &GameReplay, is_served: bool) -> askama::Result<String> {
    let data = json_line(&Data { schema: 1, rejected: page.is_rejected, reel: film.record() })
        .map_err(askama::Error::custom)?;
    let facts: Vec<_> = [page.case, page.player, page.result].into_iter().filter(|fact| !fact.is_empty()).collect();
    let page = Page {
        title: Shown::line(&format!("{} – {}", page.title, page.case)),
        heading: Shown::line(page.title),
        facts: Shown::line(&facts.join(" · ")),
        is_served,
        style: assets::GAME_STYLE,
        script: assets::GAME_SCRIPT,
        chart_style: assets::CHART_STYLE,
        chart_script: assets::CHART_LIBRARY,
        data: in_script(&data),
    };
    page.render()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::replay::MoveRange;
    use checkers::{Board, Cell, Frame, Observer, Score};
    use proptest::prelude::*;
    use serde_json::Value;

    #[test]
    fn texts_are_neither_markup_nor_templates() {
        let mut film = GameReplay::new(MoveRange::default());
        let board = Board { width: 0, cells: Vec::new() };
        let frame = Frame { step: 0, caption: String::new(), gained: 0.into(), total: 0.into(), board };
        film.step(0, &mut || frame.clone());
        let page = GamePage {
            title: "<a href=\"x\">'&",
            case: "{{ title }}",
            player: "a\n\u{1b}]0;x\u{7}",
            result: "",
            is_rejected: false,
        };
        let html = game_html(&page, &film).unwrap();
        assert!(html.contains("<h1>&#60;a href=&#34;x&#34;&#62;&#39;&#38;</h1>"), "{html}");
        assert!(html.contains(r#"<p id="facts">{{ title }} · a\n\x1b]0;x\x07</p>"#), "{html}");
    }

    /// Decodes the data a second time, as the script of a page does.
    fn played(html: &str) -> Vec<Frame> {
        let data = html.split("<script type=\"application/json\" id=\"game\">").nth(1).unwrap();
        let data: Value = serde_json::from_str(data.split("</script>").next().unwrap()).unwrap();
        let number = |value: &Value| usize::try_from(value.as_u64().unwrap()).unwrap();
        let numbers = |value: &Value| value.as_array().map_or_else(Vec::new, |list| list.iter().map(number).collect());
        let (mut step, mut total, mut width, mut looks) = (0, Score::default(), 0, Vec::new());
        let mut frames = Vec::new();
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
            let mut marked = vec![false; looks.len()];
            let mut place = 0;
            for difference in numbers(&delta["m"]) {
                place += difference;
                marked[place] = true;
            }
            let cell = |(&look, &marked): (&usize, &bool)| Cell {
                text: data["cells"][look][0].as_str().map(str::to_owned),
                color: u32::try_from(data["cells"][look][1].as_u64().unwrap()).unwrap(),
                marked,
            };
            frames.push(Frame {
                step,
                caption: data["captions"][number(&delta["t"])].as_str().unwrap().to_owned(),
                gained: delta.get("g").map_or(Score::default(), |points| points.as_str().unwrap().parse().unwrap()),
                total: total.clone(),
                board: Board { width, cells: looks.iter().zip(&marked).map(cell).collect() },
            });
        }
        frames
    }

    fn filmed(frames: &[Frame], from: Option<usize>, to: Option<usize>) -> String {
        let mut film = GameReplay::new(MoveRange { from, to });
        frames.iter().for_each(|frame| film.step(frame.step, &mut || frame.clone()));
        game_html(&GamePage { title: "<T>", case: "c", player: "", result: "", is_rejected: false }, &film).unwrap()
    }

    fn any_frame() -> impl Strategy<Value = Frame> {
        let cell = (proptest::option::of("[a-c<]{1,2}"), 0_u32..4, any::<bool>());
        let cells = proptest::collection::vec(cell, 6);
        (0_usize..5, "[a-z</script>]{0,9}", 0_i32..3, any::<i64>(), 1_usize..3, cells).prop_map(
            |(step, caption, gained, total, rows, cells)| {
                let cell = |(text, color, marked): (Option<String>, u32, bool)| {
                    let color = if text.is_some() { color } else { 0 };
                    Cell { text, color, marked }
                };
                let board = Board { width: 6 / rows, cells: cells.into_iter().map(cell).take(6).collect() };
                Frame { step, caption, gained: gained.into(), total: total.into(), board }
            },
        )
    }

    proptest! {
        #[test]
        fn applying_the_changes_gives_the_frames_back(frames in proptest::collection::vec(any_frame(), 1..20)) {
            prop_assert_eq!(played(&filmed(&frames, None, None)), frames);
        }

        #[test]
        fn a_part_of_a_game_starts_with_a_whole_board(
            frames in proptest::collection::vec(any_frame(), 1..20), from in 0_usize..5, to in 0_usize..5
        ) {
            let part: Vec<_> = frames.iter().filter(|frame| (from..=to).contains(&frame.step)).cloned().collect();
            prop_assert_eq!(played(&filmed(&frames, Some(from), Some(to))), part);
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
        let mut film = GameReplay::new(MoveRange::default());
        case.replay(answer.as_bytes(), &mut film).unwrap();
        let html = game_html(
            &GamePage { title: "Columns", case: "seed-1", player: "", result: "", is_rejected: false },
            &film,
        )
        .unwrap();
        // The colour of an empty cell has no meaning.
        for frame in &mut frames.0 {
            frame.board.cells.iter_mut().filter(|cell| cell.text.is_none()).for_each(|cell| cell.color = 0);
        }
        assert_eq!(played(&html), frames.0);
    }
}
