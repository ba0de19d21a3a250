//! The Model Context Protocol, for agents: tools that evaluate, compare, check and look back, and the rules as
//! resources. It only reads files below the folder in which it was started.

use crate::evaluator::Evaluator;
use crate::methods::{self, Later, Step, TellProgress, Work, rules_text, unknown_method};
use crate::params::{CompareParams, EvaluateParams, NoParams, SolverParam, read_params};
use crate::problems::{is_of_files, refuse_hidden};
use crate::queue::Progress;
use crate::rpc::{Answer, Id, Result, RpcError, code, json, notification_line};
use crate::{compare, evaluation, sealed};
use judge_journal::{HistoryFilter, JournalError};
use judge_problem::{RowKey, RowOrder, Ruling, RunChoice};
use judge_report::{Document, RunReport, schema};
use judge_session::{Failure, RestoredRun, answers, recorder};
use serde::Deserialize;
use serde_json::{Map, Value, json as value};
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Component, Path, PathBuf};

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

    pub(crate) fn step(&self, evaluator: &Evaluator, method: &str, params: Map<String, Value>) -> Result<Step> {
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

    fn call(&self, evaluator: &Evaluator, params: Map<String, Value>) -> Result<Step> {
        let Call { name, arguments, meta } = read_params(params)?;
        if !TOOLS.contains(&&*name) {
            let error = RpcError::params(format!("there is no tool `{name}`"));
            return Err(error.with_hint(format!("known: {}", TOOLS.join(", "))));
        }
        let token = meta.and_then(|meta| meta.get("progressToken").cloned());
        let progress = token.map(tell_progress);
        // Wrong arguments are for the agent to correct, and are not an error of the protocol.
        let as_content = |error: RpcError| match error.code {
            code::INVALID_PARAMS => Ok(refusal(&error)),
            _ => Err(error),
        };
        let work = match self.work(evaluator, &name, arguments) {
            Ok(work) => work,
            Err(error) => return Ok(Step::Now(as_content(error))),
        };
        let work: Work = Box::new(move |evaluator, task| work(evaluator, task).or_else(as_content));
        Ok(Step::Later(Later { priority: 0, progress, work }))
    }

    /// Returns the result of a tool.
    fn work(&self, evaluator: &Evaluator, tool: &str, arguments: Map<String, Value>) -> Result<Work> {
        Ok(match tool {
            "list_problems" => {
                let NoParams {} = read_params(arguments)?;
                Box::new(|evaluator, _| methods::problems(evaluator).map(|list| content(&list, None, false)))
            }
            "evaluate" => {
                let mut params: EvaluateParams = read_params(with_solver(arguments)?)?;
                self.allow_solver(&mut params.solver)?;
                self.allow_cases(params.cases.as_deref())?;
                params.solver.choice()?;
                // There are no sealed cases here, and ordinary ones are not played in their place.
                sealed::are_wanted(evaluator, &params)?;
                Box::new(move |evaluator, task| {
                    evaluation::evaluate(evaluator, &params, task).map(|result| evaluated(&result))
                })
            }
            "compare" => {
                let mut params: CompareParams = read_params(arguments)?;
                [&mut params.a, &mut params.b].into_iter().try_for_each(|solver| self.allow_solver(solver))?;
                self.allow_cases(params.cases.as_deref())?;
                Box::new(move |evaluator, task| {
                    compare::compare(evaluator, &params, task).map(|result| content(&result, None, false))
                })
            }
            "check" => {
                let params: CheckParams = read_params(arguments)?;
                let input = params.input.as_deref().map(|input| self.allowed(input)).transpose()?;
                input.as_deref().map_or(Ok(()), |input| refuse_hidden(input, &evaluator.hidden))?;
                Box::new(move |evaluator, _| check(evaluator, &params, input.as_deref()))
            }
            _ => {
                let params: HistoryParams = read_params(arguments)?;
                Box::new(move |evaluator, _| history(evaluator, &params))
            }
        })
    }

    /// Fails if a solver is a command or nothing, or a file outside. Its path becomes the real one.
    fn allow_solver(&self, solver: &mut SolverParam) -> Result<()> {
        if solver.command.is_some() {
            let error = RpcError::params("commands are not run for agents");
            return Err(error.with_hint("give the source text, or the path of a file below this folder"));
        }
        match (&mut solver.path, &solver.source) {
            (Some(path), _) => {
                let real = self.allowed(path)?;
                refuse_links_out(&real, &self.folder)?;
                *path = real.to_string_lossy().into_owned();
                Ok(())
            }
            (None, Some(_)) => Ok(()),
            (None, None) => {
                let error = RpcError::params("params: expected one of `source` and `path`");
                Err(error.with_hint("{\"path\": \"./bot.py\"}"))
            }
        }
    }

    fn allow_cases(&self, cases: Option<&[String]>) -> Result<()> {
        let files = cases.into_iter().flatten().filter(|name| is_of_files(name));
        for pattern in files {
            let full = self.folder.join(pattern);
            let is_below = |path: &Path| path.canonicalize().is_ok_and(|real| real.starts_with(&self.folder));
            // Folders outside are not searched, and no message names their files.
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
    fn allowed(&self, path: &str) -> Result<PathBuf> {
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

/// Moves the arguments that name a solver into an object, as `evaluate` takes it.
fn with_solver(mut arguments: Map<String, Value>) -> Result<Map<String, Value>> {
    // The params of `judge serve` have an object already.
    let mut solver = match arguments.remove("solver") {
        None => Map::new(),
        Some(Value::Object(given)) => given,
        Some(_) => {
            let error = RpcError::params("params.solver: expected an object");
            return Err(error.with_hint("{\"path\": \"./bot.py\"}"));
        }
    };
    for key in ["source", "path", "command", "language"] {
        if let Some(value) = arguments.remove(key)
            && solver.insert(key.to_owned(), value).is_some()
        {
            let error = RpcError::params(format!("params.{key}: `solver` has a `{key}`, too"));
            return Err(error.with_hint("name one solver"));
        }
    }
    arguments.insert("solver".to_owned(), solver.into());
    Ok(arguments)
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
fn refuse_links_out(path: &Path, folder: &Path) -> Result<()> {
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

fn tell_progress(token: Value) -> TellProgress {
    Box::new(move |Progress { state, done, cases }| {
        let params = value!({ "progressToken": token, "progress": done, "total": cases, "message": state });
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
    let catalogue = &evaluator.catalogue;
    let journal = recorder::open_to_read_if_any(catalogue)?;
    let Some(run) = params.run else {
        let problem = params.problem.as_deref();
        let filter = HistoryFilter { problem, newest: Some(SHOWN), ..HistoryFilter::default() };
        let rows = journal.map_or_else(|| Ok(Vec::new()), |journal| journal.history(&filter)).map_err(Failure::from)?;
        if rows.is_empty() && problem.is_some() {
            evaluator.find_problem(problem)?;
        }
        return Ok(content(&json(&rows.record()), rows.is_empty().then_some("there are no runs yet"), false));
    };
    let journal = journal.ok_or(JournalError::NoRunYet).map_err(Failure::from)?;
    let choice: RunChoice = run.to_string().parse().map_err(|error| RpcError::params(format!("run: {error}")))?;
    let stored = journal.choose(choice).and_then(|run| journal.stored_run(run)).map_err(Failure::from)?;
    let restored = RestoredRun::of(&stored, catalogue)?;
    let scored = restored.score(None).map_err(Failure::from)?;
    let order = RowOrder { key: RowKey::Points, best_first: false, top: NonZeroUsize::new(SHOWN) };
    let report = RunReport { order: Some(order), ..restored.report(&stored, &scored, true) };
    Ok(content(&json(&report.record()), None, false))
}

const RULES: &str = "judge://rules/";
const SCHEMA: &str = "judge://schema/evaluate";

fn resources(evaluator: &Evaluator) -> Value {
    let rules = evaluator.catalogue.problems.iter().map(|problem| {
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

/// A parameter of a tool: its name, its type and its description.
type Property = (&'static str, &'static str, &'static str);

const PROBLEM: Property = ("problem", "string", "The problem's id; not needed if there is only one");
const SEEDS: Property =
    ("seeds", "string", "The cases made from these seeds, such as 1-20; without it the problem's own cases");
const LIMITS: Property = ("limits", "object", "cpu, wall, memory, output, processes; at most the server's");

/// The parameters that name a solver.
const SOLVER: [Property; 3] = [
    ("source", "string", "The source text of the solver; needs `language`"),
    ("language", "string", "The language of the source, such as python or c++"),
    ("path", "string", "Instead of a source text: a file or folder below the current folder"),
];

/// The parameters of `evaluate` in addition to the solver and the names of cases.
const EVALUATION: [Property; 6] = [
    PROBLEM,
    SEEDS,
    LIMITS,
    ("against", "string", "best, or the id of an earlier candidate: stop as soon as this one is known to be no better"),
    ("min_effect", "string", "With against: the improvement that counts, such as 1%"),
    ("fresh", "boolean", "Run known cases again"),
];

/// Returns the schemas of parameters, by their names.
fn properties(list: &[Property]) -> Map<String, Value> {
    let schema = |(name, kind, what): &Property| ((*name).to_owned(), value!({"type": kind, "description": what}));
    list.iter().map(schema).collect()
}

/// Returns the tools with the schemas of their arguments.
fn tools() -> Value {
    let tool = |name: &str, description: &str, properties: Map<String, Value>, required: &[&str]| {
        let schema = value!({
            "type": "object", "properties": properties, "required": required, "additionalProperties": false,
        });
        value!({"name": name, "description": description, "inputSchema": schema})
    };
    let mut evaluate = properties(&[&SOLVER[..], &EVALUATION].concat());
    let what = "Instead of seeds: names such as seed-7, or files";
    let cases = value!({"type": "array", "items": {"type": "string"}, "description": what});
    evaluate.insert("cases".to_owned(), cases.clone());
    let solver = value!({"type": "object", "properties": properties(&SOLVER), "additionalProperties": false});
    let mut compare = properties(&[PROBLEM, SEEDS, LIMITS, ("min_effect", "string", "Such as 1%")]);
    compare.insert("cases".to_owned(), cases);
    compare.extend(["a", "b"].map(|name| (name.to_owned(), solver.clone())));
    let check = properties(&[
        PROBLEM,
        ("answer", "string", "The answer"),
        ("seed", "integer", "The seed of the case"),
        ("input", "string", "Instead of a seed: the file of the input"),
    ]);
    let history = properties(&[PROBLEM, ("run", "integer", "The number of a run")]);
    let of_evaluate = "Run a solver on cases in the sandbox: verdicts, scores, and feedback on the worst cases";
    let of_compare = "Run two solvers on the same cases, and tell which is better and how certain that is";
    value!([
        tool("list_problems", "The problems with their scoring and limits", Map::new(), &[]),
        tool("evaluate", of_evaluate, evaluate, &[]),
        tool("compare", of_compare, compare, &["a", "b"]),
        tool("check", "Check an answer to a case, without running anything", check, &["answer"]),
        tool("history", "The newest recorded runs; with `run` the worst cases of that run", history, &[]),
    ])
}
