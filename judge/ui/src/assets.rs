//! The page itself: its own files, and those that it shares with the reports, embedded.

use axum::extract::Path;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use judge_report::assets;

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const TEXT: &str = "text/plain; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

/// A file of the page.
macro_rules! asset {
    ($kind:expr, $name:literal) => {
        ($name, $kind, include_str!(concat!("../assets/", $name)))
    };
}

/// Every file: its name, its type and its text.
const FILES: [(&str, &str, &str); 26] = [
    ("style.css", CSS, assets::STYLE),
    asset!(SCRIPT, "main.js"),
    asset!(SCRIPT, "api.js"),
    ("dom.js", SCRIPT, assets::DOM),
    ("charts.js", SCRIPT, assets::CHARTS),
    ("case_charts.js", SCRIPT, assets::CASE_CHARTS),
    ("pair_charts.js", SCRIPT, assets::PAIR_CHARTS),
    asset!(SCRIPT, "rows.js"),
    asset!(SCRIPT, "runs.js"),
    asset!(SCRIPT, "run.js"),
    asset!(SCRIPT, "cases.js"),
    asset!(SCRIPT, "labels.js"),
    asset!(SCRIPT, "started.js"),
    asset!(SCRIPT, "compare.js"),
    asset!(SCRIPT, "problems.js"),
    asset!(SCRIPT, "fresh.js"),
    asset!(SCRIPT, "replays.js"),
    asset!(SCRIPT, "play.js"),
    asset!(SCRIPT, "playboard.js"),
    ("game.css", CSS, assets::GAME_STYLE),
    ("board.js", SCRIPT, assets::BOARD),
    ("curve.js", SCRIPT, assets::CURVE),
    ("game.js", SCRIPT, assets::GAME),
    ("uPlot.iife.min.js", SCRIPT, assets::CHART_LIBRARY),
    ("uPlot.min.css", CSS, assets::CHART_STYLE),
    // Its licence goes with every copy.
    ("uPlot.LICENSE", TEXT, assets::CHART_LICENSE),
];

/// Returns the page that all others are parts of.
pub(super) async fn page() -> Response {
    let (_, kind, text) = asset!(HTML, "index.html");
    ([(CONTENT_TYPE, kind)], text).into_response()
}

/// Returns a file of the page.
pub(super) async fn file(Path(name): Path<String>) -> Response {
    match FILES.iter().find(|(known, ..)| *known == name) {
        Some((_, kind, text)) => ([(CONTENT_TYPE, *kind)], *text).into_response(),
        None => (StatusCode::NOT_FOUND, "there is no such file\n").into_response(),
    }
}
