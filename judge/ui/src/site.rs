//! The journal's pages as files, for any web host: stored responses of the server.
//!
//! The data files are scripts, because a page that is opened from a disk can load nothing else. Each is JSON,
//! compressed and in Base64.

use crate::api::problems;
use crate::api::runs::{self, CompareQuery, RowsQuery, RunsQuery};
use crate::games::{self, SiteGames};
use crate::reply::Document;
use crate::server::{bundle, static_page};
use crate::store::Store;
use axum::extract::{Path, Query};
use checkers::Score;
use data_encoding::BASE64;
use flate2::Compression;
use flate2::write::GzEncoder;
use judge_problem::{Bytes, Catalogue, RunChoice, counted, split_words};
use judge_session::Failure;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io::Write;

/// The information about the machine and the solvers that a site may contain.
#[derive(Debug, Clone, Copy, Default)]
pub struct SiteParts {
    /// Command lines.
    pub commands: bool,
    /// The machine, and paths on it.
    pub machine: bool,
    /// The solvers' standard error.
    pub stderr: bool,
}

/// The content of a site.
#[derive(Debug, Clone, Copy)]
pub struct SiteOptions<'a> {
    /// The runs; none: all.
    pub runs: &'a [RunChoice],
    /// The parts that it may contain.
    pub parts: SiteParts,
    /// The maximal number of bytes of games.
    pub games: Bytes,
}

/// A site: its files, each with its path in the folder.
pub struct Site {
    /// The paths and the contents.
    pub files: Vec<(String, Vec<u8>)>,
    /// How many runs it has.
    pub runs: usize,
    /// The number of results whose game the site shows, and the number of results whose game it leaves out.
    pub games: (usize, usize),
    /// How many runs it leaves out, because their problem is no longer in the catalogue.
    pub left_out: usize,
}

/// Returns the site of a journal.
///
/// # Errors
/// When the journal cannot be read, or has none of the runs.
pub fn site(catalogue: Catalogue, options: SiteOptions<'_>) -> Result<Site, Failure> {
    let store = Store::new(Catalogue { is_read_only: true, ..catalogue }, None)?;
    let mut maker = Maker {
        store,
        redaction: Redaction::of(options.parts),
        files: page_files()?,
        games: SiteGames::new(options.games),
    };
    let (runs, left_out) = maker.runs(options.runs)?;
    let heads = runs.iter().map(|run| head(&maker.store, &run.to_string())).collect::<Result<Vec<_>, _>>()?;
    let solvers = heads.iter().flat_map(|head| head["solvers"].as_array().into_iter().flatten());
    let named = solvers.filter_map(|solver| Some((solver["name"].as_str()?, solver["command"].as_str()?)));
    maker.redaction.hide_commands(named);
    let mut rows = heads.iter().map(|head| maker.rows(head)).collect::<Result<Vec<_>, _>>()?;
    maker.add_games(&heads, &mut rows)?;
    for (head, rows) in heads.iter().zip(rows) {
        maker.add(&format!("run-{}", head["run"]), json!({ "rows": rows }))?;
    }
    maker.add_comparisons(&heads)?;
    maker.add_index(&runs, heads)?;
    let Maker { mut files, games, .. } = maker;
    let counts = (games.shown, games.left_out);
    files.extend(games.into_files()?.into_iter().map(|(name, file)| (format!("data/{name}.js"), file)));
    Ok(Site { files, runs: runs.len(), games: counts, left_out })
}

/// Reads a document of the API.
fn read(document: Document) -> Result<Value, Failure> {
    serde_json::from_str(&document.map_err(|refused| refused.failure)?).map_err(Failure::fault)
}

/// Returns the document of a run without its cases.
fn head(store: &Store, run: &str) -> Result<Value, Failure> {
    read(runs::head(store, Path(run.to_owned())))
}

/// Returns the problems of the catalogue.
fn problems(store: &Store) -> Result<Vec<Value>, Failure> {
    Ok(read(problems::list(store, ()))?["problems"].as_array().cloned().unwrap_or_default())
}

/// The maximal number of rows of one request.
const PAGE: usize = 1000;

/// Returns all rows of a list. `page` returns the documents that have them in this field, from a number of a row on.
fn pages(field: &str, page: impl Fn(usize) -> Document) -> Result<Vec<Value>, Failure> {
    let mut rows = Vec::new();
    loop {
        let mut page = read(page(rows.len()))?;
        let found = page[field].as_array_mut().map(std::mem::take).unwrap_or_default();
        let is_last = found.len() < PAGE;
        rows.extend(found);
        if is_last {
            return Ok(rows);
        }
    }
}

/// Returns the rows of all runs.
fn history(store: &Store) -> Result<Vec<Value>, Failure> {
    pages("runs", |offset| {
        runs::list(store, Ok(Query(RunsQuery { offset, limit: Some(PAGE), ..RunsQuery::default() })))
    })
}

/// The information that a site must not contain.
pub(super) struct Redaction {
    /// The names of fields whose values are left out.
    fields: Vec<&'static str>,
    /// Whether facts about machines are left out.
    hides_machine: bool,
    /// Texts that are removed from all others: paths and names of this machine.
    texts: Vec<String>,
    /// Names of solvers that are command lines, the longest first, with their replacements.
    names: Vec<(String, String)>,
}

impl Redaction {
    fn of(parts: SiteParts) -> Self {
        let mut fields = Vec::new();
        if !parts.commands {
            fields.extend(["command", "reproduce", "git_commit", "solver_hash"]);
        }
        if !parts.machine {
            fields.extend(["host", "cpu", "kernel", "node"]);
        }
        if !parts.stderr {
            fields.push("stderr");
        }
        let here = std::env::current_dir().ok().map(|folder| folder.to_string_lossy().into_owned());
        let variables = ["HOME", "TMPDIR", "USER", "HOSTNAME"].map(|name| std::env::var(name).ok());
        let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
        let known = variables.into_iter().flatten().chain(here).chain([host]);
        // Short names, such as `root`, also occur inside words.
        let texts = if parts.machine { Vec::new() } else { known.filter(|text| text.len() > 4).collect() };
        Self { fields, hides_machine: !parts.machine, texts, names: Vec::new() }
    }

    /// Hides the command lines in the names of solvers, which come with their commands. The name of the program's file
    /// replaces each.
    fn hide_commands<'a>(&mut self, solvers: impl Iterator<Item = (&'a str, &'a str)>) {
        if !self.fields.contains(&"command") {
            return;
        }
        let mut files: BTreeMap<&str, Option<String>> = BTreeMap::new();
        for (name, command) in solvers {
            let file = files.entry(name).or_default();
            *file = file.take().or_else(|| file_in(name, command));
        }
        let kept = files.iter().filter(|(_, file)| file.is_none()).map(|(name, _)| (*name).to_owned());
        let mut used: HashSet<String> = kept.collect();
        for (name, file) in files {
            let Some(file) = file else { continue };
            let numbered = (2..).map(|number| format!("{file} ({number})"));
            let shown = std::iter::once(file.clone()).chain(numbered).find(|shown| used.insert(shown.clone()));
            self.names.extend(shown.map(|shown| (name.to_owned(), shown)));
        }
        self.names.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
    }

    /// Returns a text without command lines in place of names.
    fn renamed(&self, text: &str) -> String {
        self.names.iter().fold(text.to_owned(), |text, (name, shown)| text.replace(name.as_str(), shown))
    }

    /// Removes private information from a document.
    pub(super) fn cut(&self, value: &mut Value) {
        match value {
            Value::Array(values) => values.iter_mut().for_each(|value| self.cut(value)),
            Value::Object(fields) => {
                for (name, value) in fields {
                    if self.fields.contains(&name.as_str()) && value.is_string() {
                        *value = Value::String(String::new());
                    }
                    if name == "nodes" && self.hides_machine {
                        *value = json!([]);
                    }
                    self.cut(value);
                }
            }
            Value::String(text) => *text = self.shown(text),
            _ => {}
        }
    }

    /// Returns a solver of a run, `RUN/NAME`, as the page names it.
    fn shown_entrant(&self, entrant: &str) -> String {
        let (run, name) = entrant.split_once('/').unwrap_or((entrant, ""));
        format!("{run}/{}", self.shown(name))
    }

    /// Returns a text without paths of this machine.
    fn shown(&self, text: &str) -> String {
        let text = self.texts.iter().fold(self.renamed(text), |text, hidden| text.replace(hidden.as_str(), "…"));
        if self.hides_machine { without_paths(&text) } else { text }
    }
}

/// Returns the name of the program's file in a solver's name that is a command line or a path; `None` if it is neither.
fn file_in(name: &str, command: &str) -> Option<String> {
    if !name.contains('/') && (name != command || !name.contains(char::is_whitespace)) {
        return None;
    }
    let words = split_words(name).unwrap_or_default();
    // A word such as `exec 2>/dev/null; ./bot` is a script.
    let is_path = |word: &&String| word.chars().all(|sign| sign.is_alphanumeric() || "-+._/~".contains(sign));
    let is_file = |word: &&String| word.contains(['.', '/']) && !word.starts_with('-') && is_path(word);
    let file = words.iter().find(is_file).or(words.first())?;
    let file = file.split('/').rev().find(|part| part.contains(char::is_alphanumeric));
    Some(file.unwrap_or("program").to_owned())
}

/// Returns a text without absolute paths. One begins at a space, or behind a sign such as `=`: not in `a/b`, `</b>` or `https://`.
fn without_paths(text: &str) -> String {
    let (mut shown, mut rest, mut before) = (String::new(), text, ' ');
    while let Some(sign) = rest.chars().next() {
        let may_begin = matches!(sign, '/' | '~') && (before.is_whitespace() || "=:'\"`([{,;|".contains(before));
        let length = if may_begin { path_length(rest, before) } else { 0 };
        shown.push(if length > 0 { '…' } else { sign });
        rest = &rest[length.max(sign.len_utf8())..];
        before = sign;
    }
    shown
}

/// Returns the length of the path that a text begins with behind this character; 0 if it begins with none.
fn path_length(text: &str, before: char) -> usize {
    const QUOTES: [char; 3] = ['\'', '"', '`'];
    let quoted = Some(before).filter(|before| QUOTES.contains(before)).and_then(|quote| text.find(quote));
    let end = quoted.or_else(|| text.find(|sign: char| sign.is_whitespace() || sign == ')' || QUOTES.contains(&sign)));
    let word = &text[..end.unwrap_or(text.len())];
    let is_address = before == ':' && word.starts_with("//") && !word.starts_with("///");
    let is_name = |sign: char| sign.is_alphanumeric() || sign == '.' || sign == '_';
    let is_named = word.trim_start_matches(['/', '~']).starts_with(is_name);
    if word.contains('/') && is_named && !is_address { word.len() } else { 0 }
}

struct Maker {
    store: Store,
    redaction: Redaction,
    files: Vec<(String, Vec<u8>)>,
    games: SiteGames,
}

impl Maker {
    /// Returns the numbers of the runs, the newest first, and how many are left out because their problem is not in the
    /// catalogue.
    fn runs(&self, choices: &[RunChoice]) -> Result<(Vec<i64>, usize), Failure> {
        let mut runs = BTreeSet::new();
        for choice in choices {
            let word = if let RunChoice::Number(run) = choice { run.to_string() } else { "last".to_owned() };
            runs.extend(head(&self.store, &word)?["run"].as_i64());
        }
        let mut left_out = 0;
        if choices.is_empty() {
            let problems = problems(&self.store)?;
            let is_known = |row: &Value| problems.iter().any(|problem| problem["problem"] == row["problem"]);
            let (known, others): (Vec<_>, Vec<_>) = history(&self.store)?.into_iter().partition(is_known);
            // A run with several solvers has several rows.
            let runs_of = |rows: &[Value]| rows.iter().filter_map(|row| row["run"].as_i64()).collect::<BTreeSet<_>>();
            runs.extend(runs_of(&known));
            left_out = runs_of(&others).len();
        }
        if runs.is_empty() && left_out > 0 {
            let runs = counted(left_out, "run");
            let error =
                format!("there is no run to show: {runs} left out, because the catalogue no longer has the problem");
            return Err(Failure::usage(error).with_hint("for another catalogue's runs, give its --problems FILE"));
        }
        if runs.is_empty() {
            return Err(Failure::usage("the journal has no run to show").with_hint("`judge run -p ID` records one"));
        }
        Ok((runs.into_iter().rev().collect(), left_out))
    }

    /// Returns the rows of a run.
    fn rows(&self, head: &Value) -> Result<Vec<Value>, Failure> {
        let run = head["run"].to_string();
        let mut rows = pages("rows", |offset| {
            let query = RowsQuery { offset, limit: Some(PAGE), ..RowsQuery::default() };
            runs::cases(&self.store, (Path(run.clone()), Ok(Query(query))))
        })?;
        for row in &mut rows {
            let Some(fields) = row.as_object_mut() else { continue };
            // The answer itself is not part of a site. Messages of a compiler or a broken program contain paths.
            let is_ruled = matches!(fields.get("code").and_then(Value::as_str), Some("AC" | "WA"));
            if !is_ruled && self.redaction.hides_machine {
                fields.remove("note");
            }
        }
        Ok(rows)
    }

    /// Adds the games of these runs, the best of each case first, as long as they fit. The row of a result then names
    /// its game.
    fn add_games(&mut self, heads: &[Value], rows: &mut [Vec<Value>]) -> Result<(), Failure> {
        let mut order: BTreeMap<(String, String), Vec<(usize, usize)>> = BTreeMap::new();
        for (run, (head, rows)) in heads.iter().zip(&*rows).enumerate() {
            let problem = head["problem"].as_str().unwrap_or_default();
            let has_answer = |row: &&(usize, &Value)| row.1["answer"] == true && head["replays"] == true;
            for (place, row) in rows.iter().enumerate().collect::<Vec<_>>().iter().filter(has_answer) {
                let case = (problem.to_owned(), row["case"].as_str().unwrap_or_default().to_owned());
                order.entry(case).or_default().push((run, *place));
            }
        }
        let score = |&(run, place): &(usize, usize)| rows[run][place]["score"].to_string().parse::<Score>().ok();
        for results in order.values_mut() {
            results.sort_by_cached_key(score);
            if heads[results[0].0]["scoring"]["direction"] != "min" {
                results.reverse();
            }
            // Rejected answers come last.
            results.sort_by_cached_key(|result| score(result).is_none());
        }
        let most = order.values().map(Vec::len).max().unwrap_or(0);
        for rank in 0..most {
            for &(run, place) in order.values().filter_map(|results| results.get(rank)) {
                let game = self.game(&heads[run], &rows[run][place])?;
                self.games.shown += usize::from(game.is_some());
                if let (Some(game), Some(fields)) = (game, rows[run][place].as_object_mut()) {
                    fields.insert("game".to_owned(), Value::String(game));
                }
            }
        }
        rows.iter_mut().flatten().filter_map(Value::as_object_mut).for_each(|fields| {
            let has_game = fields.contains_key("game");
            fields.insert("answer".to_owned(), Value::Bool(has_game));
        });
        Ok(())
    }

    /// Adds a game if it fits. Returns its place. An answer that shows no game, such as one without a move, is not left
    /// out: more room would not show it.
    fn game(&mut self, head: &Value, row: &Value) -> Result<Option<String>, Failure> {
        let text = |field: &str| row[field].as_str().unwrap_or_default();
        let run = head["run"].as_i64().unwrap_or_default();
        let place = match self.games.has_room() {
            false => None,
            true => match games::stored(&self.store, run, text("case"), text("solver")) {
                Some(game) => self.games.add(game, &self.redaction)?,
                None => return Ok(None),
            },
        };
        self.games.left_out += usize::from(place.is_none());
        Ok(place)
    }

    /// Adds the comparisons of every two solvers of a problem, a file for each run.
    fn add_comparisons(&mut self, heads: &[Value]) -> Result<(), Failure> {
        let entrants = |head: &Value| {
            let names = head["solvers"].as_array().into_iter().flatten();
            names.filter_map(|solver| Some(format!("{}/{}", head["run"], solver["name"].as_str()?))).collect::<Vec<_>>()
        };
        for head in heads {
            let same = |other: &&Value| other["problem"] == head["problem"];
            let mut found = Map::new();
            for one in entrants(head) {
                for other in heads.iter().filter(same).flat_map(entrants).filter(|other| *other != one) {
                    let [a, b] = [&one, &other].map(|entrant| format!("run:{entrant}"));
                    let query = CompareQuery { a, b, ..CompareQuery::default() };
                    // Runs without a common case have no comparison.
                    if let Ok(mut document) = read(runs::compare(&self.store, Ok(Query(query)))) {
                        shorten(&mut document);
                        self.redaction.cut(&mut document);
                        let key = [&one, &other].map(|entrant| self.redaction.shown_entrant(entrant)).join("\n");
                        found.insert(key, document);
                    }
                }
            }
            self.add(&format!("compare-{}", head["run"]), Value::Object(found))?;
        }
        Ok(())
    }

    fn add_index(&mut self, runs: &[i64], heads: Vec<Value>) -> Result<(), Failure> {
        let is_chosen = |row: &Value| row["run"].as_i64().is_some_and(|run| runs.contains(&run));
        let mut history = history(&self.store)?;
        history.retain(is_chosen);
        let ids: BTreeSet<&str> = heads.iter().filter_map(|head| head["problem"].as_str()).collect();
        let mut problems = problems(&self.store)?;
        problems.retain(|problem| problem["problem"].as_str().is_some_and(|id| ids.contains(id)));
        let mut pages = Map::new();
        for id in &ids {
            // A problem that is no longer in the catalogue has no page.
            let Ok(mut page) = read(problems::show(&self.store, Path((*id).to_owned()))) else { continue };
            (page["by_hand"], page["fresh_replays"]) = (false.into(), false.into());
            if self.redaction.hides_machine {
                page["facts"] = json!([]);
            }
            pages.insert((*id).to_owned(), page);
        }
        problems.iter_mut().for_each(|problem| problem["by_hand"] = false.into());
        let heads: Map<String, Value> = heads.iter().map(|head| (head["run"].to_string(), head.clone())).collect();
        let judge = env!("CARGO_PKG_VERSION");
        let index = json!({ "judge": judge, "runs": history, "heads": heads, "problems": problems, "pages": pages });
        self.add("index", index)
    }

    /// Adds a file of data.
    fn add(&mut self, name: &str, mut document: Value) -> Result<(), Failure> {
        self.redaction.cut(&mut document);
        let file = data_file(name, &document)?;
        self.files.push((format!("data/{name}.js"), file));
        Ok(())
    }
}

/// Removes from a comparison the parts that the page has from the rows of its runs, and digits that it does not show.
fn shorten(comparison: &mut Value) {
    if let Some(fields) = comparison.as_object_mut() {
        fields.remove("cases");
    }
    round(comparison);
}

/// Rounds all fractions in a document to six digits.
fn round(value: &mut Value) {
    match value {
        Value::Array(values) => values.iter_mut().for_each(round),
        Value::Object(fields) => fields.values_mut().for_each(round),
        Value::Number(number) if number.to_string().contains(['.', 'e']) => {
            let rounded = number.as_f64().and_then(|number| format!("{number:.5e}").parse::<f64>().ok());
            if let Some(rounded) = rounded.and_then(serde_json::Number::from_f64) {
                *number = rounded;
            }
        }
        _ => {}
    }
}

/// Returns a file of data.
pub(super) fn data_file(name: &str, document: &Value) -> Result<Vec<u8>, Failure> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(document.to_string().as_bytes()).map_err(Failure::fault)?;
    let bytes = encoder.finish().map_err(Failure::fault)?;
    Ok(format!("judgeData({:?}, \"{}\");\n", name, BASE64.encode(&bytes)).into_bytes())
}

/// Returns the page itself: its text, its style and its scripts.
fn page_files() -> Result<Vec<(String, Vec<u8>)>, Failure> {
    let style = [judge_report::assets::CHART_STYLE, judge_report::assets::STYLE, judge_report::assets::GAME_STYLE];
    Ok(vec![
        ("index.html".to_owned(), static_page().into_bytes()),
        ("style.css".to_owned(), style.concat().into_bytes()),
        ("uPlot.js".to_owned(), judge_report::assets::CHART_LIBRARY.as_bytes().to_vec()),
        ("uPlot.LICENSE".to_owned(), judge_report::assets::CHART_LICENSE.as_bytes().to_vec()),
        ("site.js".to_owned(), bundle().map_err(Failure::fault)?.into_bytes()),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comparisons_keep_what_is_shown() {
        let mut document = json!({ "cases": [1], "effect": 0.020_897_758_447, "p": 1.5e-12, "looks": [{ "mean": 2.0 }], "count": 1_234_567_890 });
        shorten(&mut document);
        assert_eq!(
            document,
            json!({ "effect": 0.020_897_8, "p": 1.5e-12, "looks": [{ "mean": 2.0 }], "count": 1_234_567_890 })
        );
    }

    #[test]
    fn names_that_are_commands_are_hidden() {
        let mut redaction = Redaction::of(SiteParts::default());
        let script = "bash -c 'exec 2>/dev/null; ./bot'";
        let lines =
            ["python3 bot.py", "python3 /home/me/bot.py --x 1", "cat -n", "by hand", "mybot", "v1.2", script, "sh /"];
        let commands = lines.map(|name| (name, if name == "by hand" { "./bot" } else { name }));
        redaction.hide_commands(commands.into_iter().chain([("bot.py", "./bot.py")]));
        for (name, shown) in [
            ("by hand", "by hand"),
            ("cat -n", "cat"),
            ("bot.py", "bot.py"),
            ("mybot", "mybot"),
            ("v1.2", "v1.2"),
            (script, "bash"),
            ("sh /", "program"),
            ("python3 bot.py#4", "bot.py (3)#4"),
            ("12/python3 /home/me/bot.py --x 1", "12/bot.py (2)"),
        ] {
            assert_eq!(redaction.renamed(name), shown);
        }
        let mut document = json!({ "command": "judge run", "git_commit": "0123abcd", "message": "see /etc/passwd now", "solvers": [{ "host": "x", "total": 1 }] });
        redaction.cut(&mut document);
        let shown =
            json!({ "command": "", "git_commit": "", "message": "see … now", "solvers": [{ "host": "", "total": 1 }] });
        assert_eq!(document, shown);
        assert_eq!(redaction.shown_entrant("12/python3 /home/me/bot.py --x 1"), "12/bot.py (2)");
        let with_commands = Redaction::of(SiteParts { commands: true, ..SiteParts::default() });
        for name in ["python3 /home/me/bot.py", "/home/me/bot"] {
            let (shown, of_run) = (with_commands.shown(name), with_commands.shown_entrant(&format!("12/{name}")));
            assert_eq!(of_run, format!("12/{shown}"));
            assert!(!shown.contains("home"), "{shown}");
        }
        let mut open = Redaction::of(SiteParts { commands: true, machine: true, stderr: true });
        open.hide_commands([("python3 bot.py", "python3 bot.py")].into_iter());
        assert_eq!(open.shown("python3 bot.py at /etc/passwd"), "python3 bot.py at /etc/passwd");
    }

    #[test]
    fn absolute_paths_are_cut_out_of_texts() {
        for (text, shown) in [
            ("see\n/opt/secret/log and path=/opt/hidden, file:/opt/third", "see\n… and path=… file:…"),
            ("file:///opt/a //opt/b ~/c ~me/d '/a folder/e' (/f)", "file:… … … … '…' (…)"),
        ] {
            assert_eq!(without_paths(text), shown, "{text}");
        }
        for text in ["a/b and 1/2, ./c ../d / ~5", "https://host/e", "<b>f(n)/n</b> <br /> /\\/\\ x[i]/y"] {
            assert_eq!(without_paths(text), text);
        }
    }

    #[test]
    fn nodes_are_of_the_machine() {
        let mut document = json!({ "nodes": [{ "name": "node-17", "host": "a" }], "rows": [{ "node": "node-17" }] });
        Redaction::of(SiteParts::default()).cut(&mut document);
        assert_eq!(document, json!({ "nodes": [], "rows": [{ "node": "" }] }));
    }
}
