//! Pictures without a browser: a frame of a game, a badge, the history of scores. Each is one self-contained SVG.

use crate::history::{direction_of_total, figure};
use checkers::{Board, Cell, Frame, Observer};
use judge_problem::{HistoryRow, counted, one_line};
use num_rational::BigRational;
use num_traits::ToPrimitive;
use quick_xml::escape::escape;
use std::collections::BTreeMap;
use std::f64::consts::{PI, TAU};
use std::fmt::{Display, Write};

/// The size of a cell, the margin, and the space above a board, in pixels.
const CELL: usize = 40;
/// A board with at least this many cells is drawn in squares of this size, without letters.
const MANY: usize = 10_000;
const SMALL_CELL: usize = 4;
const MARGIN: usize = 16;
const HEAD: usize = 56;

/// Keeps the last frame of one move; without a number, of the game.
#[derive(Debug, Default)]
pub struct LastFrame {
    step: Option<usize>,
    /// The frame; `None` if the game has no such move.
    pub frame: Option<Frame>,
    /// The number of the last move of the game.
    pub last: usize,
}

impl LastFrame {
    /// Waits for this move.
    pub fn of(step: Option<usize>) -> Self {
        Self { step, ..Self::default() }
    }
}

impl Observer for LastFrame {
    fn step(&mut self, step: usize, frame: &mut dyn FnMut() -> Frame) {
        self.last = step;
        if self.step.is_none_or(|wanted| wanted == step) {
            self.frame = Some(frame());
        }
    }
}

/// Returns a frame as a drawing: its points, what happened, and the board, with frames around the cells that the move
/// concerns.
pub fn frame_svg(title: &str, frame: &Frame) -> String {
    let Board { width, cells } = &frame.board;
    let columns = (*width).max(1);
    let is_large = cells.len() >= MANY;
    let side = if is_large { SMALL_CELL } else { CELL };
    let [wide, high] = [columns, cells.len().div_ceil(columns)].map(|count| count * side);
    let size = [(wide + 2 * MARGIN).max(320), high + 2 * MARGIN + HEAD];
    let words = format!("{title}, move {}: {}", frame.step, frame.caption);
    let mut svg = opened(size, &words);
    add_text(&mut svg, MARGIN, 30, 20, "font-weight=\"600\"", &format!("{} points", frame.total));
    add_text(&mut svg, MARGIN, 52, 13, FAINT, &format!("move {}: {}", frame.step, frame.caption));
    let _ = write!(
        svg,
        "<rect x=\"{MARGIN}\" y=\"{}\" width=\"{wide}\" height=\"{high}\" fill=\"#eaeef2\"/>",
        MARGIN + HEAD
    );
    if is_large {
        draw_small_cells(&mut svg, cells, columns);
        svg.push_str("</svg>\n");
        return svg;
    }
    let corner = |place: usize| (MARGIN + place % columns * CELL, MARGIN + HEAD + place / columns * CELL);
    for (place, cell) in cells.iter().enumerate() {
        let (x, y) = corner(place);
        draw_cell(&mut svg, cell, x, y);
    }
    for (place, _) in cells.iter().enumerate().filter(|(_, cell)| cell.marked) {
        let ((x, y), side) = (corner(place), CELL - 3);
        let _ = write!(
            svg,
            "<rect x=\"{}\" y=\"{}\" width=\"{side}\" height=\"{side}\" fill=\"none\" stroke=\"#1f2328\" stroke-width=\"3\"/>",
            x as f64 + 1.5,
            y as f64 + 1.5
        );
    }
    svg.push_str("</svg>\n");
    svg
}

/// Draws the cells of a large board: a path for each colour, with a part for each sequence of equal neighbours in a
/// row. Marked cells are dark.
fn draw_small_cells(svg: &mut String, cells: &[Cell], columns: usize) {
    let mut paths: BTreeMap<Option<u32>, String> = BTreeMap::new();
    let color = |cell: &Cell| cell.text.as_ref().map(|_| (!cell.marked).then_some(cell.color));
    for (row, cells) in cells.chunks(columns).enumerate() {
        let mut place = 0;
        for equal in cells.chunk_by(|one, other| color(one) == color(other)) {
            if let Some(color) = color(&equal[0]) {
                let (x, y) = (MARGIN + place * SMALL_CELL, MARGIN + HEAD + row * SMALL_CELL);
                let path = paths.entry(color).or_default();
                let width = equal.len() * SMALL_CELL;
                let _ = write!(path, "M{x} {y}h{width}v{SMALL_CELL}h-{width}z");
            }
            place += equal.len();
        }
    }
    for (color, path) in paths {
        let paint = color.map_or_else(|| "#1f2328".to_owned(), tint);
        let _ = write!(svg, "<path d=\"{path}\" fill=\"{paint}\"/>");
    }
}

/// Returns the paint of a colour. The golden angle makes neighbouring colours distinct. The page uses the same colours.
fn tint(color: u32) -> String {
    format!("hsl({:.1} 70% 68%)", (f64::from(color) * 137.508 + 200.0) % 360.0)
}

fn draw_cell(svg: &mut String, cell: &Cell, x: usize, y: usize) {
    let Some(text) = &cell.text else { return };
    let middle = [x, y].map(|side| (side + CELL / 2) as f64);
    let paint = format!("fill=\"{}\" stroke=\"#0005\"", tint(cell.color));
    let radius = CELL as f64 / 2.0 - 2.0;
    let (corners, turn) = if text == "*" { (10, 0.0) } else { CORNERS[cell.color as usize % CORNERS.len()] };
    let low = if corners == 3 { CELL as f64 * 0.1 } else { 0.0 };
    if corners == 0 {
        let _ = write!(svg, "<circle cx=\"{}\" cy=\"{}\" r=\"{radius}\" {paint}/>", middle[0], middle[1]);
    } else if (corners, turn) == (4, 0.5) {
        let (x, y, side) = (x + 2, y + 2, CELL - 4);
        let _ = write!(svg, "<rect x=\"{x}\" y=\"{y}\" width=\"{side}\" height=\"{side}\" rx=\"6\" {paint}/>");
    } else {
        let _ = write!(svg, "<polygon points=\"{}\" {paint}/>", points(corners, turn, middle, radius, low));
    }
    let size = (CELL as f64 * 0.48).min(CELL as f64 * 1.1 / text.chars().count().max(1) as f64);
    let _ = write!(
        svg,
        "<text x=\"{}\" y=\"{:.1}\" font-size=\"{size:.1}\" font-weight=\"600\" text-anchor=\"middle\" fill=\"#111\">{}</text>",
        middle[0],
        middle[1] + low + size * 0.36,
        shown(text)
    );
}

/// The corners of the shapes that stand for colours, and their rotation. The page uses the same shapes.
const CORNERS: [(u32, f64); 7] = [(0, 0.0), (4, 0.5), (4, 0.0), (6, 0.0), (3, 0.0), (8, 0.5), (5, 0.0)];

fn points(corners: u32, turn: f64, middle: [f64; 2], radius: f64, low: f64) -> String {
    let corner = |at: u32| {
        let angle = TAU * (f64::from(at) + turn) / f64::from(corners) - PI / 2.0;
        let far = match (corners, at % 2) {
            (10, 1) => radius * 0.62,
            (3, _) => radius * 1.16,
            _ => radius,
        };
        format!("{:.1},{:.1}", middle[0] + far * angle.cos(), middle[1] + low + far * angle.sin())
    };
    (0..corners).map(corner).collect::<Vec<_>>().join(" ")
}

/// Returns the best total of each run, the oldest run first. Only runs on the same cases and by the same rule as the
/// newest run are included.
fn totals(rows: &[HistoryRow]) -> Vec<(&HistoryRow, &BigRational)> {
    let mut best: Vec<(&HistoryRow, &BigRational)> = Vec::new();
    let Some(newest) = rows.iter().find(|row| row.total.is_some()) else { return best };
    let is_same = |row: &&HistoryRow| row.case_set == newest.case_set && row.rule == newest.rule && row.group.is_none();
    for row in rows.iter().filter(is_same) {
        let Some(total) = &row.total else { continue };
        match best.last_mut() {
            Some(known) if known.0.run == row.run => {
                if direction_of_total(row).compare(total, known.1).is_gt() {
                    *known = (row, total);
                }
            }
            _ => best.push((row, total)),
        }
    }
    best.reverse();
    best
}

/// Returns a badge for a README: the problem, and the best total of its newest run. The rows belong to one problem, the newest
/// first.
pub fn badge_svg(rows: &[HistoryRow]) -> String {
    let name = rows.first().map_or("judge", |row| &row.problem);
    // A newest run without a total does not show the one before.
    let newest = rows.first().map(|row| row.run);
    let totals = totals(rows);
    let total = totals.last().filter(|(row, _)| Some(row.run) == newest);
    let value = total.map_or_else(|| "no total".to_owned(), |(row, total)| figure(row, total));
    badge(name, &value)
}

fn badge(name: &str, value: &str) -> String {
    // A character of the font is about 6.6 pixels wide.
    let width = |text: &str| one_line(text).chars().count() * 66 / 10 + 14;
    let (left, right) = (width(name), width(value));
    let mut svg = opened([left + right, 20], &format!("{name}: {value}"));
    let _ = writeln!(
        svg,
        "<clipPath id=\"r\"><rect width=\"{0}\" height=\"20\" rx=\"4\"/></clipPath><g clip-path=\"url(#r)\">\
         <rect width=\"{left}\" height=\"20\" fill=\"#3b4250\"/><rect x=\"{left}\" width=\"{right}\" height=\"20\" fill=\"#3350c8\"/></g>\
         <g fill=\"#fff\" font-size=\"11\" text-anchor=\"middle\"><text x=\"{1}\" y=\"14\">{2}</text><text x=\"{3}\" y=\"14\">{4}</text></g></svg>",
        left + right,
        left / 2,
        shown(name),
        left + right / 2,
        shown(value)
    );
    svg
}

/// Returns the best total of each run as a line. The rows belong to one problem, the newest first.
pub fn history_svg(rows: &[HistoryRow]) -> String {
    let named = |(row, total): (&HistoryRow, _)| (format!("run {}", row.run), total, figure(row, total));
    let totals: Vec<_> = totals(rows).into_iter().map(named).collect();
    history(rows.first().map_or("judge", |row| &row.problem), &totals)
}

/// The size of a history, and of the part with the line: left, top, width, height.
const HISTORY: [usize; 2] = [640, 240];
const PLOT: [f64; 4] = [84.0, 44.0, 536.0, 160.0];

/// `totals` are named, and each is given as a number and as text.
fn history(title: &str, totals: &[(String, &BigRational, String)]) -> String {
    let [left, top, width, height] = PLOT;
    let value = |total: &BigRational| total.to_f64().unwrap_or_default();
    let low = totals.iter().min_by(|one, other| one.1.cmp(other.1));
    let high = totals.iter().max_by(|one, other| one.1.cmp(other.1));
    let (least, most) = (low.map_or(0.0, |low| value(low.1)), high.map_or(0.0, |high| value(high.1)));
    let spread = if most > least { most - least } else { 1.0 };
    let x = |at: usize| left + width * if totals.len() > 1 { at as f64 / (totals.len() - 1) as f64 } else { 0.5 };
    let y = |total: &BigRational| top + height * (1.0 - (value(total) - least) / spread);
    let mut svg = opened(HISTORY, &format!("{title}: {}", counted(totals.len(), "run")));
    add_text(&mut svg, 16, 26, 15, "font-weight=\"600\"", title);
    for (_, total, text) in [low, high].into_iter().flatten() {
        let (y, right) = (y(total), left + width);
        let _ = write!(svg, "<path d=\"M{left} {y:.1}H{right}\" stroke=\"#dde1e8\"/>");
        let place = format!("{:.1}", y + 4.0);
        add_text(&mut svg, left - 8.0, place, 11, &format!("text-anchor=\"end\" {FAINT}"), text);
    }
    let line: Vec<_> =
        totals.iter().enumerate().map(|(at, (_, total, _))| format!("{:.1} {:.1}", x(at), y(total))).collect();
    if !line.is_empty() {
        let _ = write!(svg, "<path d=\"M{}\" fill=\"none\" stroke=\"#0072b2\" stroke-width=\"2.5\"/>", line.join("L"));
    }
    for (at, (run, total, text)) in totals.iter().enumerate() {
        let (name, x) = (shown(run), x(at));
        let _ = write!(
            svg,
            "<circle cx=\"{x:.1}\" cy=\"{:.1}\" r=\"3.5\" fill=\"#0072b2\"><title>{name}: {text}</title></circle>",
            y(total)
        );
        if at == 0 || at + 1 == totals.len() {
            add_text(&mut svg, format!("{x:.1}"), 226, 11, &format!("text-anchor=\"middle\" {FAINT}"), run);
        }
    }
    svg.push_str("</svg>\n");
    svg
}

/// Returns the start of a drawing on white paper, with a text for people who cannot see it.
fn opened([width, height]: [usize; 2], words: &str) -> String {
    let words = shown(words);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
         aria-label=\"{words}\" font-family=\"system-ui, sans-serif\" fill=\"#161a22\"><title>{words}</title>\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>"
    )
}

/// The paint of texts that are less important than the rest.
const FAINT: &str = "fill=\"#535d6e\"";

/// Adds a text to a drawing.
fn add_text(svg: &mut String, x: impl Display, y: impl Display, size: usize, look: &str, text: &str) {
    let _ = write!(svg, "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\" {look}>{}</text>", shown(text));
}

/// Returns a text in one line, without markup or hidden characters.
fn shown(text: &str) -> String {
    escape(&*one_line(text)).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_well_formed(svg: &str) -> bool {
        let mut reader = quick_xml::Reader::from_str(svg);
        loop {
            match reader.read_event() {
                Ok(quick_xml::events::Event::Eof) => return true,
                Ok(_) => {}
                Err(_) => return false,
            }
        }
    }

    #[test]
    fn texts_are_no_markup() {
        let cell = |text: &str, color| Cell { text: Some(text.to_owned().into()), color, marked: color == 1 };
        let frame = Frame {
            step: 3,
            caption: "<script>\u{202e}&\"".to_owned(),
            gained: 1.into(),
            total: 12.into(),
            board: Board { width: 3, cells: (0..8).map(|color| cell("<", color)).chain([cell("*", 0)]).collect() },
            ahead: Board::default(),
        };
        let one = BigRational::from_integer(1.into());
        for svg in [
            frame_svg("<b>", &frame),
            badge("a & b", "<1>"),
            history("\"x\"", &[("<".to_owned(), &one, "1".to_owned())]),
            history_svg(&[]),
        ] {
            assert!(is_well_formed(&svg), "{svg}");
            assert!(
                !svg.contains("<script") && !svg.contains('\u{202e}') && !svg.contains("NaN") && !svg.contains("inf"),
                "{svg}"
            );
        }
        let svg = frame_svg("x", &frame);
        assert!(svg.contains("12 points") && svg.contains("move 3: &lt;script&gt;\\u{202e}&amp;&quot;"), "{svg}");
        assert_eq!((svg.matches("stroke-width=\"3\"").count(), svg.matches("<text").count()), (1, 11));
    }

    #[test]
    fn a_large_board_is_a_path_for_each_color() {
        let cell = |color| Cell { text: (color > 0).then(|| "x".into()), color, marked: color == 3 };
        let board = Board { width: 1000, cells: (0..20_000).map(|place| cell(place / 500 % 4)).collect() };
        let (caption, ahead) = (String::new(), Board::default());
        let svg = frame_svg("x", &Frame { step: 1, caption, gained: 0.into(), total: 1.into(), board, ahead });
        assert!(is_well_formed(&svg) && svg.contains("width=\"4032\""), "{}", &svg[..500]);
        assert_eq!((svg.matches("<path").count(), svg.matches("h2000v4").count()), (3, 30));
    }

    #[test]
    fn the_last_frame_of_a_move_is_kept() {
        let frame = |step, caption: &str| Frame {
            step,
            caption: caption.to_owned(),
            gained: 0.into(),
            total: 0.into(),
            board: Board::default(),
            ahead: Board::default(),
        };
        for (wanted, caption) in [(Some(1), Some("b")), (None, Some("c")), (Some(7), None)] {
            let mut last = LastFrame::of(wanted);
            for (step, caption) in [(1, "a"), (1, "b"), (2, "c")] {
                last.step(step, &mut || frame(step, caption));
            }
            assert_eq!((last.frame.as_ref().map(|frame| &*frame.caption), last.last), (caption, 2));
        }
    }
}
