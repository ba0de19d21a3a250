//! The Model Context Protocol, for agents: tools that evaluate, compare, check and look back, and the rules as
//! resources. It only reads files below the folder in which it was started.

use crate::evaluation;
use crate::evaluator::Evaluator;
use crate::methods::{self, Later, Step, TellProgress, Work, unknown_method};
use crate::params::{CompareParams, EvaluateParams, NoParams, read_params};
use crate::problems::{is_of_files, refuse_hidden};
use crate::rpc::{Answer, Id, RpcError, code, json, notification_line};
use crate::task::Progress;
use crate::{compare, methods::rules_text, sealed};
use judge_journal::HistoryFilter;
use judge_problem::{RowKey, RowOrder, Ruling, RunChoice};
use judge_report::{Document, RunReport, schema};
use judge_session::{Failure, RestoredRun, answers, recorder};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json as value};
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// The revisions of the protocol that are spoken, the newest first.
const REVISIONS: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// The methods.
const METHODS: [&str; 7] =
    ["initialize", "ping", "tools/list", "tools/call", "resources/list", "resources/read", "resources/templates/list"];

/// The tools.
const TOOLS: [&str; 5] = ["list_problems", "evaluate", "compare", "check", "history"];

/// The number of runs, and the number of cases of a run, that the tool `history` shows.
const SHOWN: usize = 20;

/// The tools, with their descriptions and the schemas of their arguments.
pub struct Mcp {
    /// Only files below this folder are read.
    folder: PathBuf,
}

impl Mcp {
    /// Returns the methods for an agent that works in this folder.
    ///
    /// # Errors
    /// When the folder does not exist any more.
    pub fn new(folder: &Path) -> Result<Self, Failure> {
        Ok(Self { folder: folder.canonicalize().map_err(Failure::fault)? })
    }

    pub(crate) fn step(
        &self,
        evaluator: &Arc<Evaluator>,
        method: &str,
        params: Map<String, Value>,
    ) -> Result<Step, RpcError> {
        let now = |value: Value| Ok(Step::Now(Ok(json(&value))));
        match method {
            "initialize" => now(initialize(&params)),
            "ping" | "notifications/initialized" => now(value!({})),
            "tools/list" => now(value!({ "tools": tools() })),
            "tools/call" => self.call(evaluator, params),
            "resources/list" => now(resources(evaluator)),
            "resources/templates/list" => now(value!({ "resourceTemplates": [] })),
            "resources/read" => Ok(Step::Now(read_resource(evaluator, &params))),
            "notifications/cancelled" => {
                let id = params.get("requestId").and_then(Id::read);
                id.map(Step::Cancel).ok_or_else(|| RpcError::params("params.requestId is missing"))
            }
            other => Err(unknown_method(other, &METHODS)),
        }
    }

    fn call(&self, evaluator: &Arc<Evaluator>, params: Map<String, Value>) -> Result<Step, RpcError> {
        let Call { name, arguments, meta } = read_params(params)?;
        if !TOOLS.contains(&&*name) {
            let error = RpcError::params(format!("there is no tool `{name}`"));
            return Err(error.with_hint(format!("known: {}", TOOLS.join(", "))));
        }
        let token = meta.and_then(|meta| meta.get("progressToken").cloned());
        let progress = token.map(tell_progress);
        // Wrong arguments are for the agent to correct, and are not an error of the protocol.
        let told = |error: RpcError| match error.code {
            code::INVALID_PARAMS => Ok(refusal(&error)),
            _ => Err(error),
        };
        let work = match self.work(evaluator, &name, arguments) {
            Ok(work) => work,
            Err(error) => return Ok(Step::Now(told(error))),
        };
        let work: Work = Box::new(move |task| work(task).or_else(told));
        Ok(Step::Later(Later { priority: 0, progress, work }))
    }

    /// Returns the result of a tool.
    fn work(&self, evaluator: &Arc<Evaluator>, tool: &str, arguments: Map<String, Value>) -> Result<Work, RpcError> {
        let evaluator = Arc::clone(evaluator);
        Ok(match tool {
            "list_problems" => {
                let NoParams {} = read_params(arguments)?;
                Box::new(move |_| methods::problems(&evaluator).map(|list| content(&list, None, false)))
            }
            "evaluate" => {
                let arguments = self.with_solver(arguments, "solver")?;
                let params: EvaluateParams = read_params(arguments)?;
                self.allow_cases(params.cases.as_deref())?;
                params.solver.choice()?;
                // There are no sealed cases here, and ordinary ones are not played in their place.
                sealed::are_wanted(&evaluator, &params)?;
                Box::new(move |task| evaluation::evaluate(&evaluator, &params, task).map(|result| evaluated(&result)))
            }
            "compare" => {
                let params: CompareParams = read_params(self.with_solvers(arguments)?)?;
                self.allow_cases(params.cases.as_deref())?;
                Box::new(move |task| {
                    compare::compare(&evaluator, &params, task).map(|result| content(&result, None, false))
                })
            }
            "check" => {
                let params: CheckParams = read_params(arguments)?;
                let input = params.input.as_deref().map(|input| self.allowed(input)).transpose()?;
                input.as_deref().map_or(Ok(()), |input| refuse_hidden(input, &evaluator.hidden))?;
                Box::new(move |_| check(&evaluator, &params, input.as_deref()))
            }
            _ => {
                let params: HistoryParams = read_params(arguments)?;
                Box::new(move |_| history(&evaluator, &params))
            }
        })
    }

    /// Moves the arguments that name a solver into an object, as `evaluate` takes it.
    fn with_solver(&self, mut arguments: Map<String, Value>, name: &str) -> Result<Map<String, Value>, RpcError> {
        // The params of `judge serve` have an object already.
        match arguments.remove(name) {
            None => {}
            Some(Value::Object(given)) => arguments.extend(given),
            Some(_) => {
                let error = RpcError::params(format!("params.{name}: expected an object"));
                return Err(error.with_hint("{\"path\": \"./bot.py\"}"));
            }
        }
        let mut solver = Map::new();
        for key in ["source", "path", "language"] {
            solver.extend(arguments.remove(key).map(|value| (key.to_owned(), value)));
        }
        if arguments.contains_key("command") {
            return Err(no_commands());
        }
        self.allow_solver(&mut solver)?;
        arguments.insert(name.to_owned(), Value::Object(solver));
        Ok(arguments)
    }

    /// Checks the solvers `a` and `b` of a comparison.
    fn with_solvers(&self, mut arguments: Map<String, Value>) -> Result<Map<String, Value>, RpcError> {
        for name in ["a", "b"] {
            if let Some(Value::Object(solver)) = arguments.get_mut(name) {
                self.allow_solver(solver)?;
            }
        }
        Ok(arguments)
    }

    /// Fails if a solver is a command or nothing, or a file outside. Its path becomes the real one.
    fn allow_solver(&self, solver: &mut Map<String, Value>) -> Result<(), RpcError> {
        if solver.contains_key("command") {
            return Err(no_commands());
        }
        if !solver.contains_key("source") && !solver.contains_key("path") {
            let error = RpcError::params("params: expected one of `source` and `path`");
            return Err(error.with_hint("{\"path\": \"./bot.py\"}"));
        }
        let Some(Value::String(path)) = solver.get_mut("path") else { return Ok(()) };
        let real = self.allowed(path)?;
        refuse_links_out(&real, &self.folder)?;
        *path = real.to_string_lossy().into_owned();
        Ok(())
    }

    fn allow_cases(&self, cases: Option<&[String]>) -> Result<(), RpcError> {
        let files = cases.into_iter().flatten().filter(|name| is_of_files(name));
        for pattern in files {
            let full = self.folder.join(pattern);
            let is_below = |path: &Path| path.canonicalize().is_ok_and(|real| real.starts_with(&self.folder));
            // Outside, no folder is looked through, and no message names what is there.
            if !is_plainly_below(&full, &self.folder) && !is_below(&full) {
                return Err(outside(pattern, &self.folder));
            }
            let found = judge_run::matching::matching(Path::new(""), pattern).map_err(Failure::from)?;
            if !found.iter().all(|file| is_below(&self.folder.join(file))) {
                return Err(outside(pattern, &self.folder));
            }
        }
        Ok(())
    }

    /// Returns a file or folder below the folder of the server, by its real path. Paths outside are refused with the
    /// same message, whether they exist or not.
    fn allowed(&self, path: &str) -> Result<PathBuf, RpcError> {
        let full = self.folder.join(path);
        match full.canonicalize() {
            Ok(real) if real.starts_with(&self.folder) => Ok(real),
            Err(error) if is_plainly_below(&full, &self.folder) => {
                Err(RpcError::params(format!("cannot read {path}: {error}")))
            }
            Ok(_) | Err(_) => Err(outside(path, &self.folder)),
        }
    }
}

fn no_commands() -> RpcError {
    let error = RpcError::params("commands are not run for agents");
    error.with_hint("give the source text, or the path of a file below this folder")
}

/// Returns whether a path is below a folder by its text only, without any `..`.
fn is_plainly_below(path: &Path, folder: &Path) -> bool {
    path.starts_with(folder) && !path.components().any(|part| part == Component::ParentDir)
}

fn outside(path: &str, folder: &Path) -> RpcError {
    let error = format!("{path} is outside {}, and is not read for agents", folder.display());
    RpcError::params(error).with_hint("copy it below that folder, or give the source text")
}

/// The deepest folders of a solver that are looked through.
const MAX_DEPTH: usize = 32;

/// Fails if a folder has a link that leads out of the folder of the server.
fn refuse_links_out(path: &Path, folder: &Path) -> Result<(), RpcError> {
    let mut waiting = vec![(path.to_owned(), 0)];
    while let Some((path, depth)) = waiting.pop() {
        let meta = path.symlink_metadata().map_err(Failure::usage)?;
        if meta.is_symlink() && !path.canonicalize().is_ok_and(|real| real.starts_with(folder)) {
            return Err(outside(&path.display().to_string(), folder));
        }
        if meta.is_dir() && depth < MAX_DEPTH {
            let entries = fs::read_dir(&path).map_err(Failure::usage)?;
            waiting.extend(entries.flatten().map(|entry| (entry.path(), depth + 1)));
        }
    }
    Ok(())
}

/// The call of a tool.
#[derive(Deserialize)]
struct Call {
    name: String,
    #[serde(default)]
    arguments: Map<String, Value>,
    #[serde(rename = "_meta")]
    meta: Option<Map<String, Value>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CheckParams {
    problem: Option<String>,
    seed: Option<u64>,
    input: Option<String>,
    answer: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HistoryParams {
    problem: Option<String>,
    run: Option<i64>,
}

fn initialize(params: &Map<String, Value>) -> Value {
    let wanted = params.get("protocolVersion").and_then(Value::as_str);
    let revision = REVISIONS.into_iter().find(|known| Some(*known) == wanted).unwrap_or(REVISIONS[0]);
    value!({
        "protocolVersion": revision,
        "capabilities": {"tools": {}, "resources": {}},
        "serverInfo": {"name": "judge", "version": env!("CARGO_PKG_VERSION")},
        "instructions": "Read the rules of a problem (resource judge://rules/ID), write a solver that reads a case from \
            standard input and writes an answer to standard output, and evaluate it.",
    })
}

#[derive(Serialize)]
struct ProgressParams {
    #[serde(rename = "progressToken")]
    token: Value,
    progress: usize,
    total: usize,
    message: &'static str,
}

fn tell_progress(token: Value) -> TellProgress {
    Box::new(move |Progress { state, done, cases }| {
        let params = ProgressParams { token: token.clone(), progress: done, total: cases, message: state };
        notification_line("notifications/progress", &params)
    })
}

/// Returns the result of a tool: a JSON object, and the text for the agent, which is the object itself if there is none.
fn content(object: &str, text: Option<&str>, is_error: bool) -> String {
    let structured: Value = serde_json::from_str(object).unwrap_or_default();
    let text = text.unwrap_or(object);
    json(&value!({"content": [{"type": "text", "text": text}], "structuredContent": structured, "isError": is_error}))
}

/// Returns the result of a tool that was called with wrong arguments.
fn refusal(error: &RpcError) -> String {
    let hint = error.hint.as_ref().map(|hint| format!("\nhint: {hint}")).unwrap_or_default();
    json(&value!({"content": [{"type": "text", "text": format!("{}{hint}", error.message)}], "isError": true}))
}

/// Returns the result of an evaluation: a program that is not accepted is an error.
fn evaluated(result: &str) -> String {
    let object: Value = serde_json::from_str(result).unwrap_or_default();
    let text = |name: &str| object.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let candidate = format!("candidate: {}\n", text("candidate"));
    content(result, Some(&(text("feedback") + &candidate)), text("verdict") != "accepted")
}

/// Checks an answer that the agent itself has written.
fn check(evaluator: &Evaluator, params: &CheckParams, file: Option<&Path>) -> Answer {
    let ready = evaluator.problem(params.problem.as_deref())?;
    let problem = ready.problem();
    answers::refuse_interactive(problem)?;
    if file.is_some() == params.seed.is_some() {
        return Err(RpcError::params("expected one of `seed` and `input`").with_hint("\"seed\": 1"));
    }
    let (input, name) = answers::named_input(problem, file, params.seed.unwrap_or_default())?;
    let case = answers::prepare(problem, &input, &name, file, None)?;
    let is_long = params.answer.len() as u64 > problem.limits.output.0;
    let ruling = match is_long {
        true => answers::too_long(problem.limits.output),
        false => case.check(params.answer.as_bytes()).map_err(Failure::from)?,
    };
    let is_accepted = matches!(ruling, Ruling::Accepted(_));
    let object = json(&value!({"accepted": is_accepted, "ruling": ruling.to_string()}));
    Ok(content(&object, Some(&ruling.to_string()), !is_accepted))
}

/// Lists past runs, or shows the worst cases of one.
fn history(evaluator: &Evaluator, params: &HistoryParams) -> Answer {
    let catalogue = evaluator.problems.catalogue();
    let Some(journal) = recorder::open_to_read_if_any(catalogue)? else {
        return Ok(content("{\"runs\":[]}", Some("there are no runs yet"), false));
    };
    let Some(run) = params.run else {
        let problem = params.problem.as_deref();
        let filter = HistoryFilter { problem, newest: Some(SHOWN), ..HistoryFilter::default() };
        let rows = journal.history(&filter).map_err(Failure::from)?;
        return Ok(content(&json(&rows.record()), None, false));
    };
    let choice: RunChoice = run.to_string().parse().map_err(|error| RpcError::params(format!("run: {error}")))?;
    let stored = journal.choose(choice).and_then(|run| journal.stored_run(run)).map_err(Failure::from)?;
    let mut restored = RestoredRun::of(&stored, catalogue)?;
    let scored = restored.score(None, None).map_err(Failure::from)?;
    let order = RowOrder { key: RowKey::Points, best_first: false, top: NonZeroUsize::new(SHOWN) };
    let report = RunReport { order: Some(order), ..restored.report(&stored, &scored, true) };
    Ok(content(&json(&report.record()), None, false))
}

const RULES: &str = "judge://rules/";
const SCHEMA: &str = "judge://schema/evaluate";

fn resources(evaluator: &Evaluator) -> Value {
    let rules = evaluator.problems.catalogue().problems.iter().map(|problem| {
        let name = format!("Rules of {}", problem.title);
        value!({"uri": format!("{RULES}{}", problem.id), "name": name, "mimeType": "text/markdown"})
    });
    let schema = value!({
        "uri": SCHEMA, "name": "JSON schema of the result of evaluate", "mimeType": "application/schema+json",
    });
    value!({ "resources": rules.chain([schema]).collect::<Vec<_>>() })
}

fn read_resource(evaluator: &Evaluator, params: &Map<String, Value>) -> Answer {
    let uri = params.get("uri").and_then(Value::as_str).unwrap_or_default();
    let (kind, text) = if uri == SCHEMA {
        ("application/schema+json", schema("serve-evaluate").map(|schema| json(&schema)).unwrap_or_default())
    } else if let Some(id) = uri.strip_prefix(RULES) {
        ("text/markdown", rules_text(evaluator, Some(id))?)
    } else {
        let error = RpcError::params(format!("there is no resource `{uri}`"));
        return Err(error.with_hint("`resources/list` lists them"));
    };
    Ok(json(&value!({"contents": [{"uri": uri, "mimeType": kind, "text": text}]})))
}

/// Returns a parameter that is a text.
fn text(what: &str) -> Value {
    value!({"type": "string", "description": what})
}

/// Returns the parameters that name a solver.
fn solver() -> Map<String, Value> {
    [
        ("source", "The source text of the solver; needs `language`"),
        ("language", "The language of the source, such as python or c++"),
        ("path", "Instead of a source text: a file or folder below the current folder"),
    ]
    .map(|(name, what)| (name.to_owned(), text(what)))
    .into_iter()
    .collect()
}

/// Returns the parameters of the tool `evaluate`, without the names of the solver, the problem and the seeds.
fn of_evaluation() -> Value {
    value!({
        "cases": {
            "type": "array", "items": {"type": "string"},
            "description": "Instead of seeds: names such as seed-7, or files",
        },
        "limits": {"type": "object", "description": "cpu, wall, memory, output, processes; at most the server's"},
        "against": text("best, or the id of an earlier candidate: stop as soon as this one is known to be no better"),
        "min_effect": text("With against: the improvement that counts, such as 1%"),
        "fresh": {"type": "boolean", "description": "Run again what is known"},
    })
}

/// Returns the tools with the schemas of their arguments.
fn tools() -> Value {
    let problem = || text("The problem's id; not needed if there is only one");
    let seeds = || text("The cases made from these seeds, such as 1-20; without it the problem's own cases");
    let tool = |name: &str, description: &str, properties: Value, required: &[&str]| {
        let schema = value!({
            "type": "object", "properties": properties, "required": required, "additionalProperties": false,
        });
        value!({"name": name, "description": description, "inputSchema": schema})
    };
    let mut evaluate = of_evaluation();
    if let Value::Object(properties) = &mut evaluate {
        properties.extend(solver());
        properties.extend([("problem".to_owned(), problem()), ("seeds".to_owned(), seeds())]);
    }
    let one = value!({"type": "object", "properties": solver(), "additionalProperties": false});
    let compare = value!({
        "problem": problem(), "a": one, "b": one, "seeds": seeds(), "min_effect": text("Such as 1%"),
    });
    let check = value!({
        "problem": problem(), "answer": text("The answer"),
        "seed": {"type": "integer", "description": "The seed of the case"},
        "input": text("Instead of a seed: the file of the input"),
    });
    let history = value!({"problem": problem(), "run": {"type": "integer", "description": "The number of a run"}});
    value!([
        tool("list_problems", "The problems with their scoring and limits", value!({}), &[]),
        tool(
            "evaluate",
            "Run a solver on cases in the sandbox: verdicts, scores, and feedback on the worst cases",
            evaluate,
            &[],
        ),
        tool(
            "compare",
            "Run two solvers on the same cases, and tell which is better and how certain that is",
            compare,
            &["a", "b"],
        ),
        tool("check", "Check an answer to a case, without running anything", check, &["answer"]),
        tool("history", "The newest recorded runs; with `run` the worst cases of that run", history, &[]),
    ])
}
