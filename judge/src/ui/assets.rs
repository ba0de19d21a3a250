//! The page itself: what is in judge/assets, embedded.

use axum::extract::Path;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const TEXT: &str = "text/plain; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

/// A file of the page.
macro_rules! asset {
    ($kind:expr, $folder:literal, $name:literal) => {
        ($name, $kind, include_str!(concat!("../../assets/", $folder, "/", $name)))
    };
}

/// Every file: its name, its type and its text.
const FILES: [(&str, &str, &str); 26] = [
    asset!(CSS, "ui", "style.css"),
    asset!(SCRIPT, "ui", "main.js"),
    asset!(SCRIPT, "ui", "api.js"),
    asset!(SCRIPT, "ui", "dom.js"),
    asset!(SCRIPT, "ui", "charts.js"),
    asset!(SCRIPT, "ui", "case_charts.js"),
    asset!(SCRIPT, "ui", "pair_charts.js"),
    asset!(SCRIPT, "ui", "rows.js"),
    asset!(SCRIPT, "ui", "runs.js"),
    asset!(SCRIPT, "ui", "run.js"),
    asset!(SCRIPT, "ui", "cases.js"),
    asset!(SCRIPT, "ui", "labels.js"),
    asset!(SCRIPT, "ui", "started.js"),
    asset!(SCRIPT, "ui", "compare.js"),
    asset!(SCRIPT, "ui", "problems.js"),
    asset!(SCRIPT, "ui", "fresh.js"),
    asset!(SCRIPT, "ui", "replays.js"),
    asset!(SCRIPT, "ui", "play.js"),
    asset!(SCRIPT, "ui", "playboard.js"),
    asset!(CSS, "game", "game.css"),
    asset!(SCRIPT, "game", "board.js"),
    asset!(SCRIPT, "game", "curve.js"),
    asset!(SCRIPT, "game", "game.js"),
    asset!(SCRIPT, "vendor", "uPlot.iife.min.js"),
    asset!(CSS, "vendor", "uPlot.min.css"),
    // Its licence goes with every copy.
    asset!(TEXT, "vendor", "uPlot.LICENSE"),
];

/// Returns the page that all others are parts of.
pub(super) async fn page() -> Response {
    let (_, kind, text) = asset!(HTML, "ui", "index.html");
    ([(CONTENT_TYPE, kind)], text).into_response()
}

/// Returns a file of the page.
pub(super) async fn file(Path(name): Path<String>) -> Response {
    match FILES.iter().find(|(known, ..)| *known == name) {
        Some((_, kind, text)) => ([(CONTENT_TYPE, *kind)], *text).into_response(),
        None => (StatusCode::NOT_FOUND, "there is no such file\n").into_response(),
    }
}
