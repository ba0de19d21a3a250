//! The parameters of requests, and their errors.

use crate::rpc::{Result, RpcError};
use judge_cli::LimitArgs;
use judge_compare::paired::MinEffect;
use judge_problem::{InvalidText, Limits, Seeds, closest, parse_limit};
use judge_session::running;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Number, Value};
use std::num::NonZeroU32;

/// The highest priority of a request. The lowest is its negative.
const MAX_PRIORITY: i32 = 1000;

/// The parameters of `evaluate`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EvaluateParams {
    pub(crate) problem: Option<String>,
    pub(crate) solver: SolverParam,
    pub(crate) seeds: Option<SeedsParam>,
    pub(crate) cases: Option<Vec<String>>,
    pub(crate) limits: Option<LimitsParam>,
    pub(crate) against: Option<String>,
    pub(crate) min_effect: Option<NumberOrText>,
    pub(crate) fresh: Option<bool>,
    /// Whether the sealed cases are played. By default they are if there are some and the request names no cases.
    pub(crate) sealed: Option<bool>,
    pub(crate) priority: Option<i32>,
}

/// The parameters of `compare`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CompareParams {
    pub(crate) problem: Option<String>,
    pub(crate) a: SolverParam,
    pub(crate) b: SolverParam,
    pub(crate) seeds: Option<SeedsParam>,
    pub(crate) cases: Option<Vec<String>>,
    pub(crate) limits: Option<LimitsParam>,
    pub(crate) alpha: Option<f64>,
    pub(crate) min_effect: Option<NumberOrText>,
    pub(crate) priority: Option<i32>,
}

/// The parameters of `rules`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProblemParams {
    pub(crate) problem: Option<String>,
}

/// The parameters of `cancel`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CancelParams {
    pub(crate) id: Value,
}

/// The parameters of methods that take none.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NoParams {}

/// A candidate as a client names it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object such as {\"path\": \"./bot.py\"}")]
pub(crate) struct SolverParam {
    pub(crate) source: Option<String>,
    pub(crate) path: Option<String>,
    pub(crate) command: Option<String>,
    language: Option<String>,
}

/// A candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SolverChoice<'a> {
    /// A source text in a language.
    Source { text: &'a str, language: &'a str },
    /// A file or folder, and its language if that is given.
    Path { path: &'a str, language: Option<&'a str> },
    /// A command.
    Command(&'a str),
}

impl<'a> SolverChoice<'a> {
    /// Returns the language that is given for a file.
    pub(crate) fn language_of_file(self) -> Option<&'a str> {
        match self {
            Self::Path { language, .. } => language,
            Self::Source { .. } | Self::Command(_) => None,
        }
    }
}

impl SolverParam {
    /// Returns the solver that it names.
    pub(crate) fn choice(&self) -> Result<SolverChoice<'_>> {
        let Self { source, path, command, language } = self;
        let language = language.as_deref();
        let bad = |why: &str, hint: &str| Err(RpcError::params(format!("params.solver: {why}")).with_hint(hint));
        match (source, path, command) {
            (Some(text), None, None) => match language {
                Some(language) => Ok(SolverChoice::Source { text, language }),
                None => bad("a source text needs a language", "{\"source\": TEXT, \"language\": \"python\"}"),
            },
            (None, Some(path), None) if !path.trim().is_empty() => Ok(SolverChoice::Path { path, language }),
            (None, Some(_), None) => bad("the path is empty", "{\"path\": \"./bot.py\"}"),
            (None, None, Some(_)) if language.is_some() => {
                bad("a command has no language", "{\"path\": \"bot.py\", \"language\": \"python\"}")
            }
            (None, None, Some(command)) if !command.trim().is_empty() => Ok(SolverChoice::Command(command)),
            (None, None, Some(_)) => bad("the command is empty", "{\"command\": \"python3 bot.py\"}"),
            _ => bad("expected one of `source`, `path` and `command`", "{\"path\": \"./bot.py\"}"),
        }
    }
}

/// Seeds: a text such as `1-20`, or one number.
#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "expected seeds such as \"1-20\", or a whole number from 0")]
pub(crate) enum SeedsParam {
    Text(String),
    Number(u64),
}

impl SeedsParam {
    pub(crate) fn seeds(&self) -> Result<Seeds> {
        let text = match self {
            Self::Text(text) => text.clone(),
            Self::Number(seed) => seed.to_string(),
        };
        text.parse().map_err(|error| RpcError::params(format!("params.seeds: {error}")))
    }
}

/// A number, or a text such as `0.5%`.
#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "expected a text such as \"1%\", or a number")]
pub(crate) enum NumberOrText {
    Text(String),
    Number(Number),
}

impl NumberOrText {
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Number(number) => number.to_string(),
        }
    }

    /// Reads the smallest effect that counts.
    pub(crate) fn min_effect(&self) -> Result<MinEffect> {
        let error = |error: InvalidText| RpcError::params(format!("params.min_effect: {error}")).with_hint("\"1%\"");
        self.text().parse().map_err(error)
    }
}

/// Limits, as the command line takes them.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object such as {\"cpu\": \"1s\"}")]
pub(crate) struct LimitsParam {
    cpu: Option<String>,
    wall: Option<String>,
    memory: Option<String>,
    output: Option<String>,
    processes: Option<NonZeroU32>,
}

impl LimitsParam {
    /// Returns these limits where given, none above the server's own.
    pub(crate) fn within(&self, own: &Limits) -> Result<Limits> {
        let given = LimitArgs {
            cpu: read("cpu", self.cpu.as_deref(), parse_limit)?,
            wall: read("wall", self.wall.as_deref(), parse_limit)?,
            memory: read("memory", self.memory.as_deref(), parse_limit)?,
            output_limit: read("output", self.output.as_deref(), str::parse)?,
            processes: self.processes,
        };
        let asked = running::limits(own, &given);
        Ok(Limits {
            cpu: asked.cpu.min(own.cpu),
            wall: asked.wall.min(own.wall),
            memory: asked.memory.min(own.memory),
            output: asked.output.min(own.output),
            processes: asked.processes.min(own.processes),
        })
    }
}

fn read<T>(name: &str, text: Option<&str>, parse: impl Fn(&str) -> Result<T, InvalidText>) -> Result<Option<T>> {
    text.map(parse).transpose().map_err(|error| RpcError::params(format!("params.limits.{name}: {error}")))
}

/// Returns the priority of a request.
pub(crate) fn priority(given: Option<i32>) -> Result<i32> {
    let priority = given.unwrap_or_default();
    if (-MAX_PRIORITY..=MAX_PRIORITY).contains(&priority) {
        return Ok(priority);
    }
    let why = format!("params.priority: expected a number from -{MAX_PRIORITY} to {MAX_PRIORITY}, found {priority}");
    Err(RpcError::params(why))
}

/// Reads parameters. An error names the parameter that is wrong.
pub(crate) fn read_params<T: DeserializeOwned>(params: Map<String, Value>) -> Result<T> {
    serde_path_to_error::deserialize(Value::Object(params)).map_err(|error| {
        let path = error.path().to_string();
        let place = if path == "." { "params".to_owned() } else { format!("params.{path}") };
        let why = error.inner().to_string();
        RpcError::params(format!("{place}: {}", in_words(&why))).with_hint_if(meant(&why))
    })
}

/// Returns the error of a parameter without names of types.
fn in_words(why: &str) -> String {
    const WORDS: [(&str, &str); 12] = [
        (" as u128, expected any value", " is too large"),
        (" as i128, expected any value", " is too small"),
        ("invalid number", "expected a whole number"),
        ("expected a nonzero u32", "expected a whole number from 1 to 4294967295"),
        ("expected i32", "expected a whole number"),
        ("expected i64", "expected a whole number"),
        ("expected u64", "expected a whole number from 0"),
        ("expected f64", "expected a number"),
        ("expected a sequence", "expected a list"),
        ("expected a map", "expected an object"),
        ("expected a boolean", "expected true or false"),
        ("there are no fields", "it takes no params"),
    ];
    WORDS.iter().fold(why.to_owned(), |why, (types, words)| why.replace(types, words))
}

/// Returns the known name that is most similar to an unknown one, from an error that lists both.
fn meant(why: &str) -> Option<String> {
    let mut names = why.strip_prefix("unknown field `")?.split('`').step_by(2);
    let unknown = names.next()?;
    let known: Vec<&str> = why.split('`').skip(3).step_by(2).collect();
    match closest(unknown, known.iter().copied()) {
        Some(meant) => Some(format!("did you mean `{meant}`?")),
        None => (!known.is_empty()).then(|| format!("known: {}", known.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use judge_problem::{Bytes, Time};
    use serde_json::json;
    use std::time::Duration;

    fn evaluate(params: Value) -> Result<EvaluateParams> {
        let Value::Object(params) = params else { panic!("not an object") };
        read_params(params)
    }

    #[test]
    fn an_error_names_the_parameter_and_what_is_meant() {
        let solver = json!({"path": "a"});
        for (params, message, hint) in [
            (json!({"solver": solver, "sedes": "1"}), "sedes", "did you mean `seeds`?"),
            (json!({"solver": solver, "limits": {"cpu": 3}}), "params.limits.cpu: invalid type", ""),
            (json!({"solver": solver, "seeds": [1]}), "params.seeds: expected seeds such as", ""),
            (json!({"solver": solver, "seeds": 1_u128 << 64}), "6` is too large", ""),
            (json!({"solver": "bot.py"}), "expected an object such as {\"path\"", ""),
            (json!({"solver": solver, "limits": {"processes": 0}}), "expected a whole number from 1 to 4294967295", ""),
            (json!({"solver": solver, "cases": "seed-2"}), "params.cases: invalid type: string", ""),
            (json!({"solver": solver, "priority": 1.5}), "params.priority: expected a whole number", ""),
            (json!({"solver": {"file": "a"}}), "params.solver", "known: source, path, command, language"),
            (json!({}), "missing field `solver`", ""),
            (json!({"solver": solver, "fresh": "yes"}), "params.fresh: invalid type", ""),
        ] {
            let error = evaluate(params).unwrap_err();
            assert!(error.message.contains(message), "{error:?}");
            assert_eq!(error.hint.unwrap_or_default(), hint, "{}", error.message);
        }
    }

    #[test]
    fn a_method_without_params_has_no_hint() {
        let params = Map::from_iter([("a".to_owned(), json!(1))]);
        let error = read_params::<NoParams>(params).unwrap_err();
        assert!(error.message.contains("it takes no params") && error.hint.is_none(), "{error:?}");
    }

    #[test]
    fn a_solver_is_named_in_one_way() {
        let choice = |solver: Value| {
            let params = evaluate(json!({ "solver": solver })).unwrap();
            params.solver.choice().map(|choice| format!("{choice:?}")).map_err(|error| error.message)
        };
        assert!(choice(json!({"source": "", "language": "c"})).is_ok());
        assert!(choice(json!({"path": "a", "language": "c", "source": null})).is_ok());
        for wrong in [
            json!({}),
            json!({"source": "x"}),
            json!({"path": "a", "command": "b"}),
            json!({"command": "a", "language": "c"}),
            json!({"command": " "}),
        ] {
            assert!(choice(wrong.clone()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn limits_are_at_most_those_of_the_server() {
        let own = Limits {
            cpu: Time(Duration::from_secs(2)),
            wall: Time(Duration::from_secs(7)),
            memory: Bytes(1 << 20),
            output: Bytes(1000),
            processes: 4,
        };
        let asked = |limits: Value| {
            let params = evaluate(json!({"solver": {"path": "a"}, "limits": limits})).unwrap();
            params.limits.unwrap().within(&own).unwrap()
        };
        assert_eq!(asked(json!({"cpu": "9s", "wall": "99s", "memory": "1GiB", "output": "1MB", "processes": 99})), own);
        let less = asked(json!({"cpu": "1s", "memory": "1KiB"}));
        assert_eq!((less.cpu.0, less.wall.0), (Duration::from_secs(1), Duration::from_secs(4)));
        assert_eq!(less.memory, Bytes(1024));
        let none = LimitsParam { cpu: Some("0s".to_owned()), ..LimitsParam::default() };
        assert!(none.within(&own).unwrap_err().message.contains("params.limits.cpu: expected more than zero"));
        assert!(priority(Some(1001)).is_err() && priority(Some(-1000)).is_ok() && priority(None) == Ok(0));
    }
}
