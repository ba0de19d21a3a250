//! Styles and scripts that the reports and the pages of the local server share, embedded.

/// A file of a page: its name and its text.
pub type Asset = (&'static str, &'static str);

macro_rules! scripts {
    ($($folder:literal: $($name:literal),+;)+) => {
        [$($(($name, include_str!(concat!("../assets/", $folder, "/", $name)))),+),+]
    };
}

/// The modules that reports and the pages of the local server share.
pub const SCRIPTS: [Asset; 12] = scripts![
    "shared": "dom.js", "save.js", "charts.js", "case_charts.js", "pair_charts.js";
    "game": "board.js", "boardview.js", "curve.js", "gamereplay.js", "record.js", "viewer.js", "game.js";
];
/// The style of every page.
pub const STYLE: &str =
    concat!(include_str!("../assets/shared/tokens.css"), include_str!("../assets/shared/style.css"));
/// The additions of a page that plays a game.
pub const GAME_STYLE: &str = include_str!("../assets/game/game.css");
/// The library that draws charts.
pub const CHART_LIBRARY: &str = include_str!("../assets/vendor/uPlot.iife.min.js");
/// Its style.
pub const CHART_STYLE: &str = include_str!("../assets/vendor/uPlot.min.css");
/// Its licence, which must be included in every copy.
pub const CHART_LICENSE: &str = include_str!("../assets/vendor/uPlot.LICENSE");
/// The additions of reports to the style.
pub(crate) const REPORT_STYLE: &str = include_str!("../assets/report/report.css");
/// Draws the charts of a run's report.
pub(crate) const RUN_CHARTS: &str = include_str!("../assets/report/charts.js");
/// Draws the charts of a comparison's report.
pub(crate) const COMPARISON_CHARTS: &str = include_str!("../assets/report/pairs.js");

/// Returns a script without the parts for human readers: full-line comments and indentation.
pub fn slim(script: &str) -> String {
    let mut is_comment = false;
    let is_needed = |line: &&str| {
        is_comment |= line.starts_with("/*");
        let is_dropped = is_comment || line.is_empty() || line.starts_with("//");
        is_comment &= !line.ends_with("*/");
        !is_dropped
    };
    let lines = script.lines().map(str::trim).filter(is_needed);
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// Returns a slim script without the ends of lines after which none is needed.
pub fn joined(script: &str) -> String {
    // A comment beside code goes to the end of its line. No text of these scripts has several lines.
    let needs_end = |line: &str| line.contains("//") || !line.ends_with(['{', ',', ';']);
    script.lines().flat_map(|line| [line, if needs_end(line) { "\n" } else { "" }]).collect()
}

/// Returns a style without the parts for human readers; also without spaces and line ends next to its punctuation.
pub fn slim_style(style: &str) -> String {
    const SIGNS: [(&str, &str); 9] = [
        (" {", "{"),
        ("{\n", "{"),
        ("{ ", "{"),
        (": ", ":"),
        (", ", ","),
        (";\n", ";"),
        ("; ", ";"),
        (" }", "}"),
        (";}", "}"),
    ];
    SIGNS.into_iter().fold(slim(style), |style, (long, short)| style.replace(long, short))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slim_scripts_have_the_same_code() {
        let script = "// About it.\n/** Two\n * lines. */\nfunction f() {\n  return 1; // one\n\n}\n/* x */\nf();\n";
        assert_eq!(slim(script), "function f() {\nreturn 1; // one\n}\nf();\n");
        assert_eq!(joined(&slim(script)), "function f() {return 1; // one\n}\nf();");
        for (_, script) in &SCRIPTS[..3] {
            assert!(slim(script).len() < script.len() * 9 / 10);
        }
    }

    #[test]
    fn slim_styles_have_the_same_rules() {
        let style = "/* About it. */\na:hover, b {\n  color: red;\n  margin: 0 calc(1px + 2px);\n}\nb { top: 0; }\n";
        assert_eq!(slim_style(style), "a:hover,b{color:red;margin:0 calc(1px + 2px)}\nb{top:0}\n");
    }
}
