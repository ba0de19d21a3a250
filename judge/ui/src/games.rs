//! Games on the page: replays of answers, games that people play, and the games of a site.
//!
//! A site has as many games as fit, equal ones once. A game of columns is stored as its moves, and all games of a case are in
//! one file with the case's pieces. A game of another kind has its own file.

use crate::reply::Refused;
use crate::shown_run::{ShownRun, starts_programs};
use crate::site::{Redaction, data_file};
use crate::store::Store;
use checkers::{CheckError, Frame, ManualGame, ManualReader, Move, NextMoves, Observer, Score};
use judge_problem::{
    Bytes, CaseSpec, CheckerChoice, Digest, Problem, Ruling, RunId, Seeds, SolverSpec, StoredCase, StoredOutcome, quote,
};
use judge_report::{
    BestRecord, GameDocument, GameOutline, GamePage, GameReplay, ManualGamePage, MoveRange, ReplayLine, exact,
};
use judge_run::cases::{Inputs, PreparedCase, Selection, select};
use judge_run::command::game_of;
use judge_session::manual_game::{self, ManualResult};
use judge_session::programs::{self, Programs};
use judge_session::{Failure, answers, command_line, entrants};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A solver's result on a case of a run.
pub(super) struct Played {
    shown: Arc<ShownRun>,
    case: StoredCase,
    player: String,
    pub(super) result: StoredOutcome,
}

impl Played {
    /// Finds the result of a solver on a case. The name may be absent if the run has one solver.
    pub(super) fn find(shown: Arc<ShownRun>, case: &str, solver: Option<&str>) -> Result<Self, Refused> {
        let stored = &shown.run;
        let case = answers::find_case(stored, case).map_err(Refused::missing)?;
        let solver = entrants::find_entrant(stored, solver)?;
        let player = stored.entrants[solver].name.clone();
        let result = case.results[solver].clone().ok_or_else(|| {
            let why = format!("run {} has no result of `{player}` on {}", stored.id, case.spec.name);
            Refused::missing(Failure::usage(why))
        })?;
        Ok(Self { shown, case, player, result })
    }

    /// Returns the stored answer.
    pub(super) fn answer(&self, store: &Store) -> Result<Vec<u8>, Refused> {
        let id = self.result.answer.ok_or_else(|| self.no_answer())?;
        store.read(|journal| Ok(journal.answer(id)?))?.ok_or_else(|| self.no_answer())
    }

    fn no_answer(&self) -> Refused {
        Refused::missing(answers::no_answer(self.run_id(), &self.player, &self.case, self.result.outcome.verdict))
    }

    fn run_id(&self) -> RunId {
        self.shown.run.id
    }

    fn problem(&self) -> &Problem {
        self.shown.problem()
    }
}

/// A form in which an answer is shown.
pub(super) enum Replay {
    /// The page that plays the game.
    Game(String),
    /// A drawing by the problem's own program, with its media type.
    Drawing(Vec<u8>, &'static str),
}

/// Returns whether answers to a problem are shown. If this needs a program of the setter, the server must be allowed to
/// start programs.
pub(super) fn is_shown(store: &Store, problem: &Problem) -> bool {
    has_picture(problem) && (!takes_program(problem) || store.starter.is_some())
}

fn has_picture(problem: &Problem) -> bool {
    problem.viewer.is_some() || matches!(problem.checker, CheckerChoice::BuiltIn(_))
}

fn takes_program(problem: &Problem) -> bool {
    problem.viewer.is_some() || starts_programs(problem)
}

/// Fails if answers to the problem of a run are not shown here.
fn check_shown(store: &Store, played: &Played) -> Result<(), Refused> {
    let problem = played.problem();
    if !has_picture(problem) {
        let error = format!("nothing draws answers to `{}`: its checker is a program", problem.id);
        let hint = "`view-command` in the catalogue names a program that draws them";
        return Err(Failure::usage(error).with_hint(hint).into());
    }
    if !is_shown(store, problem) {
        let error = format!("it takes a program to show answers to `{}`, and none is started from here", problem.id);
        let solver = match played.shown.run.entrants.len() {
            1 => String::new(),
            _ => format!(" --solver={}", quote(&played.player)),
        };
        let case = quote(&played.case.spec.name.0);
        let view = format!("judge view --run {} --case {case}{solver} --html PATH", played.run_id());
        let [ui, view] = ["judge ui --allow-run", &view].map(command_line::at_places);
        return Err(Failure::usage(error).with_hint(format!("{ui}, or {view}")).into());
    }
    Ok(())
}

/// Returns an answer in the form of its problem. The page of a game requests the game itself.
pub(super) fn replay(store: &Store, played: &Played) -> Result<Replay, Refused> {
    check_shown(store, played)?;
    let (problem, Played { case, player, result, .. }) = (played.problem(), played);
    if problem.viewer.is_none() {
        if result.answer.is_none() {
            return Err(played.no_answer());
        }
        let name = case.spec.name.to_string();
        let recorded = match &result.outcome.score {
            Some(score) => format!("accepted {score}"),
            None => format!("rejected {}", result.outcome.note),
        };
        let page = GamePage { title: &problem.title, case: &name, player, result: &recorded, is_rejected: false };
        return Ok(Replay::Game(judge_report::served_game_html(&page, played.run_id().0).map_err(Failure::fault)?));
    }
    let answer = played.answer(store)?;
    let mut catalogue = store.catalogue.clone();
    let _programs = programs::compile(&mut catalogue, Some(&problem.id))?;
    let problem = catalogue.find(&problem.id)?;
    let viewer = problem.viewer.as_ref().ok_or_else(|| Failure::fault("the program that draws is gone"))?;
    let input = answers::shown_input(problem, played.run_id(), case)?;
    Ok(Replay::Drawing(
        answers::drawn_page(problem, viewer, Some(&case.spec.source), &input, &answer)?,
        media_type(&viewer.page),
    ))
}

/// Returns a game with its frames, as one JSON document.
pub(super) fn game(store: &Store, played: &Played) -> Result<String, Refused> {
    with_game(store, played, |page, replay, _| judge_report::json_line(&GameDocument::of(page, replay.record())))
}

/// After this time, the first frames leave, so that a page can show them while the others are drawn.
const FIRST_PART: Duration = Duration::from_millis(30);

/// The same for the second part. Each part costs a page some time, so that each takes twice as long as the one before.
const SECOND_PART: Duration = Duration::from_millis(200);

/// Sends the same in lines of JSON while the game is played again. Stops as soon as `send` says that nobody reads them.
pub(super) fn game_in_lines(
    store: &Store,
    played: &Played,
    send: &mut dyn FnMut(String) -> bool,
) -> Result<(), Refused> {
    let answer = ReadAnswer::of(store, played)?;
    let mut outline = GameOutline::default();
    let ruling = answer.play(&mut outline, |outline| outline.frames == 0)?;
    let result = ruling.to_string();
    let first = Some((answer.page(&result, &ruling), &outline));
    let replay = GameReplay::new(MoveRange::default());
    let mut lines = GameLines { send, replay, first, is_read: true, began: Instant::now(), pause: FIRST_PART };
    answer.play(&mut lines, |_| false)?;
    lines.send_line();
    Ok(())
}

/// A game that leaves in lines while it is played again.
struct GameLines<'a> {
    send: &'a mut dyn FnMut(String) -> bool,
    replay: GameReplay,
    /// What the first line says.
    first: Option<(GamePage<'a>, &'a GameOutline)>,
    is_read: bool,
    /// When the last line left, and after which time the next one does.
    began: Instant,
    pause: Duration,
}

impl GameLines<'_> {
    fn send_line(&mut self) {
        let line = match &self.first {
            Some((page, outline)) => ReplayLine::first(page, outline, &self.replay),
            None => ReplayLine::next(&self.replay),
        };
        self.is_read = judge_report::json_line(&line).is_ok_and(|line| (self.send)(line));
        self.replay.forget_sent();
        self.first = None;
        (self.began, self.pause) = (Instant::now(), SECOND_PART.max(2 * self.pause));
    }
}

impl Observer for GameLines<'_> {
    fn step(&mut self, step: usize, frame: &mut dyn FnMut() -> Frame) {
        if !self.is_read {
            return;
        }
        self.replay.step(step, frame);
        if self.began.elapsed() >= self.pause {
            self.send_line();
        }
    }
}

/// A case of columns.
#[derive(Clone)]
pub(super) struct ColumnsCase {
    /// The name of its file: another input is another case.
    file: String,
    width: usize,
    height: usize,
    /// The pieces that are shown.
    pieces: Vec<String>,
}

impl ColumnsCase {
    /// Reads the parts of a case that a game shows.
    fn read(problem: &Problem, name: &str, input: &[u8], pieces: usize) -> Option<Self> {
        let mut words = std::str::from_utf8(input).ok()?.split_ascii_whitespace();
        let mut number = || words.next()?.parse().ok();
        let (width, height, _) = (number()?, number()?, number()?);
        let file = format!("games-{}", name_of(&format!("{}\n{name}\n{}", problem.id, Digest::of(input))));
        Some(Self { file, width, height, pieces: words.take(pieces).map(str::to_owned).collect() })
    }
}

fn is_columns(problem: &Problem) -> bool {
    matches!(&problem.checker, CheckerChoice::BuiltIn(checker) if checker.id == "columns")
}

/// Returns a game as a site stores it; `None` if there is none to show. Of a game of columns these are the moves, and its
/// case.
pub(super) fn stored(store: &Store, run: i64, case: &str, solver: &str) -> Option<(Value, Option<ColumnsCase>)> {
    let stored = || -> Result<_, Refused> {
        let played = Played::find(store.run(RunId(run))?, case, Some(solver))?;
        let problem = played.problem();
        with_game(store, &played, |page, replay, input| {
            if let Some(moves) = replay.columns_moves().filter(|_| is_columns(problem))
                && let Some(case) = ColumnsCase::read(problem, page.case, input, moves.pieces)
            {
                return Ok((serde_json::to_value(GameDocument::of(page, moves))?, Some(case)));
            }
            Ok((serde_json::to_value(GameDocument::of(page, replay.record()))?, None))
        })
    };
    // There is none if today's checker refuses to read the answer, or if a program draws the problem's games.
    stored().ok()
}

/// Plays an answer again, and makes something of the game.
fn with_game<T>(
    store: &Store,
    played: &Played,
    make: impl FnOnce(&GamePage<'_>, &GameReplay, &[u8]) -> serde_json::Result<T>,
) -> Result<T, Refused> {
    let answer = ReadAnswer::of(store, played)?;
    let mut replay = GameReplay::new(MoveRange::default());
    let ruling = answer.play(&mut replay, |replay| replay.is_empty())?;
    let result = ruling.to_string();
    Ok(make(&answer.page(&result, &ruling), &replay, &answer.input).map_err(Failure::fault)?)
}

/// An answer that can be played again.
struct ReadAnswer<'a> {
    played: &'a Played,
    input: Vec<u8>,
    case: PreparedCase,
    bytes: Vec<u8>,
    /// The compiled programs of the problem. They are deleted when they are dropped.
    _programs: Option<Programs>,
}

impl<'p> ReadAnswer<'p> {
    /// Reads an answer with its case.
    fn of(store: &Store, played: &'p Played) -> Result<Self, Refused> {
        check_shown(store, played)?;
        let problem = played.problem();
        if problem.viewer.is_some() {
            return Err(Failure::usage(format!("a program draws the answers to `{}`", problem.id)).into());
        }
        let bytes = played.answer(store)?;
        let mut catalogue = store.catalogue.clone();
        let programs =
            takes_program(problem).then(|| programs::compile(&mut catalogue, Some(&problem.id))).transpose()?;
        let problem = catalogue.find(&problem.id)?;
        let input = answers::shown_input(problem, played.run_id(), &played.case)?;
        let case = answers::prepare(problem, &input, &played.case.spec.name.0, None, None)?;
        Ok(Self { played, input, case, bytes, _programs: programs })
    }

    /// Plays the answer. Fails if that shows no move.
    fn play<T: Observer>(&self, observer: &mut T, is_empty: impl FnOnce(&T) -> bool) -> Result<Ruling, Refused> {
        let ruling = self.case.replay(&self.bytes, observer).map_err(Failure::from)?;
        if is_empty(observer) {
            return Err(Failure::usage(format!("there is no move to show: {ruling}")).into());
        }
        Ok(ruling)
    }

    fn page<'a>(&'a self, result: &'a str, ruling: &Ruling) -> GamePage<'a> {
        let is_rejected = matches!(ruling, Ruling::Rejected(_));
        let Played { case, player, .. } = self.played;
        GamePage { title: &self.played.problem().title, case: &case.spec.name.0, player, result, is_rejected }
    }
}

/// Returns the media type of a drawing by the extension of its file.
fn media_type(page: &Path) -> &'static str {
    match page.extension().and_then(|ending| ending.to_str()) {
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("html" | "htm") => "text/html; charset=utf-8",
        _ => "text/plain; charset=utf-8",
    }
}

/// The prefix of the name of a case that is made from a seed.
const SEED_PREFIX: &str = "seed-";

/// A case that a person plays.
pub(super) struct OpenGame<'a> {
    problem: &'a Problem,
    case: CaseSpec,
    input: Vec<u8>,
    game: Box<dyn ManualGame>,
}

/// An accepted answer.
pub(super) struct ManualAnswer {
    pub(super) bytes: Vec<u8>,
    pub(super) score: Score,
    /// The last move.
    replay: GameReplay,
}

/// Returns the reader of a problem's cases; `None` if the problem cannot be played manually, or if reading starts a
/// program.
pub(super) fn reader(problem: &Problem) -> Option<ManualReader> {
    match &problem.checker {
        CheckerChoice::BuiltIn(checker) if !starts_programs(problem) => checker.manual_reader,
        _ => None,
    }
}

impl<'a> OpenGame<'a> {
    /// Opens the case of this name: one of the problem's own, or `seed-N` or `N` for the case of a seed.
    pub(super) fn open(store: &'a Store, problem: &str, case: &str) -> Result<Self, Refused> {
        let problem = store.catalogue.find(problem)?;
        let reader = reader(problem).ok_or_else(|| {
            let failure = Failure::usage(format!("`{}` cannot be played by hand", problem.id));
            failure.with_hint("columns, square-remover and same-game-free can")
        })?;
        let case = find_case(problem, case.trim())?;
        let input = Inputs::of(problem).load(&case).map_err(Failure::from)?;
        let malformed = |error| Failure::usage(format!("{} is not an input of `{}`: {error}", case.name, problem.id));
        let game = reader(&input).map_err(malformed)?;
        Ok(Self { problem, case, input, game })
    }

    /// Returns the name of the case.
    pub(super) fn case(&self) -> &str {
        &self.case.name.0
    }

    /// Returns the answer that plays these moves, as the checker accepts it.
    pub(super) fn answer(&self, moves: &[Move]) -> Result<ManualAnswer, Refused> {
        let bytes = self.game.answer(moves);
        let limit = self.problem.limits.output;
        if bytes.len() as u64 > limit.0 {
            return Err(Failure::usage(answers::too_long(limit).to_string()).into());
        }
        let last = Some(moves.len());
        let mut replay = GameReplay::new(MoveRange { from: last, to: last });
        let score = self.game.replay(&bytes, &mut replay).map_err(refused)?;
        if replay.is_empty() {
            let error = format!("the game is over before move {}", moves.len());
            return Err(Failure::usage(error).with_hint("play fewer moves").into());
        }
        Ok(ManualAnswer { bytes, score, replay })
    }

    /// Returns the game after these moves, as one JSON document.
    pub(super) fn page(&self, store: &Store, moves: &[Move]) -> Result<String, Refused> {
        let ManualAnswer { score, replay, .. } = self.answer(moves)?;
        let (game, name, input) = (game_of(self.problem), &self.case.name, Digest::of(&self.input));
        let best = |solver| store.read(|journal| Ok(journal.best_of_case(&game, name, input, solver)?));
        let NextMoves { choices, ahead } = self.game.next_moves(moves).map_err(refused)?;
        let best_known = best(None)?;
        let page = ManualGamePage {
            problem: &self.problem.id,
            case: self.case(),
            moves: moves.len(),
            points: exact(replay.points()),
            score: exact(&score),
            choices: choices.iter().map(Into::into).collect(),
            ahead: (&ahead).into(),
            replay: replay.record(),
            best: best_known.as_ref().map(|(score, solver)| BestRecord { score: exact(score), solver }),
            best_by_hand: best(Some(SolverSpec::BY_HAND))?.and_then(|(score, _)| exact(&score)),
            records: !store.catalogue.is_read_only,
        };
        Ok(judge_report::json_line(&page).map_err(Failure::fault)?)
    }

    /// Records the answer that plays these moves. Returns its run and its score.
    pub(super) fn record(self, store: &Store, moves: &[Move]) -> Result<(RunId, Score), Refused> {
        let forbidden =
            |failure: Failure| Refused::forbidden(failure.with_hint("save the answer instead: `judge check` reads it"));
        store.check_writable().map_err(forbidden)?;
        let ManualAnswer { bytes, score, .. } = self.answer(moves)?;
        let Self { problem, case, input, .. } = self;
        let played = ManualResult { problem, case, input: &input, answer: bytes, score: score.clone() };
        Ok((manual_game::record(&store.catalogue, played)?, score))
    }
}

/// Returns the case of this name: one of the problem's own, or `seed-N` or `N` for the case of a seed.
pub(super) fn find_case(problem: &Problem, name: &str) -> Result<CaseSpec, Refused> {
    if let Some(place) = problem.cases.place_of(name) {
        return Ok(problem.cases.at(place));
    }
    let seed = name.strip_prefix(SEED_PREFIX).unwrap_or(name).parse::<u64>().ok();
    let seed = seed.filter(|_| problem.generator.is_some());
    let seeds = seed.map(|seed| seed.to_string().parse::<Seeds>()).transpose().map_err(Failure::usage)?;
    let chosen = Selection { seeds, ..Selection::default() };
    let cases = select(problem, &chosen).map_err(Failure::from)?;
    let place = if seed.is_some() { Some(0) } else { cases.place_of(name) };
    place.map(|place| cases.at(place)).ok_or_else(|| {
        let failure = Failure::usage(format!("`{}` has no case `{name}`", problem.id));
        Refused::missing(failure.with_hint("seed-1 is the case of the seed 1"))
    })
}

fn refused(error: CheckError) -> Failure {
    match error {
        CheckError::Rejected(rejection) => Failure::usage(Ruling::from(rejection).to_string()),
        CheckError::Undecided(undecided) => Failure::usage(undecided.to_string()),
    }
}

/// The games that a site has.
#[derive(Default)]
pub(super) struct SiteGames {
    room: Bytes,
    bytes: u64,
    /// How many results have a game.
    pub(super) shown: usize,
    /// The number of results whose game did not fit.
    pub(super) left_out: usize,
    /// The cases of columns, each with its games, by the names of their files.
    cases: BTreeMap<String, (ColumnsCase, Map<String, Value>)>,
    /// The files of other games.
    files: BTreeMap<String, Vec<u8>>,
    /// Whether a requested game has fitted, by its place.
    known: HashMap<String, bool>,
}

/// Returns a short name for the content of a text.
fn name_of(text: &str) -> String {
    Digest::of(text.as_bytes()).to_string()[..16].to_owned()
}

impl SiteGames {
    /// Returns an empty list of games with this maximal size in bytes.
    pub(super) fn new(room: Bytes) -> Self {
        Self { room, ..Self::default() }
    }

    /// Returns whether more games fit.
    pub(super) fn has_room(&self) -> bool {
        self.bytes < self.room.0
    }

    /// Adds a game if it fits. Returns its place: the name of its file, and the name of the game in it.
    pub(super) fn add(
        &mut self,
        (mut document, case): (Value, Option<ColumnsCase>),
        redaction: &Redaction,
    ) -> Result<Option<String>, Failure> {
        // The solver's name is in the row: the games of equal answers are equal.
        document["player"] = Value::String(String::new());
        redaction.cut(&mut document);
        let name = name_of(&document.to_string());
        let place = case.as_ref().map_or_else(|| format!("game-{name}"), |case| format!("{}/{name}", case.file));
        if let Some(is_there) = self.known.get(&place) {
            return Ok(is_there.then_some(place));
        }
        let file = data_file(&place, &document)?;
        let bytes = file.len() as u64;
        let is_there = self.bytes + bytes <= self.room.0;
        self.known.insert(place.clone(), is_there);
        if !is_there {
            return Ok(None);
        }
        self.bytes += bytes;
        match case {
            Some(case) => {
                let (known, games) = self.cases.entry(case.file.clone()).or_insert_with(|| (case.clone(), Map::new()));
                if known.pieces.len() < case.pieces.len() {
                    *known = case;
                }
                games.insert(name, document);
            }
            None => {
                self.files.insert(place.clone(), file);
            }
        }
        Ok(Some(place))
    }

    /// Returns the names and the contents of the files.
    pub(super) fn into_files(self) -> Result<Vec<(String, Vec<u8>)>, Failure> {
        let case = |(name, (case, games)): (String, (ColumnsCase, Map<String, Value>))| {
            let ColumnsCase { width, height, pieces, .. } = case;
            let document = json!({ "width": width, "height": height, "pieces": pieces.concat(), "games": games });
            let file = data_file(&name, &document)?;
            Ok((name, file))
        };
        self.cases.into_iter().map(case).chain(self.files.into_iter().map(Ok)).collect()
    }
}
