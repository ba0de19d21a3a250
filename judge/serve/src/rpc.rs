//! JSON-RPC 2.0: requests are read from messages, and answers are written.

use judge_journal::JournalError;
use judge_problem::Exit;
use judge_session::Failure;
use serde::Serialize;
use serde_json::{Map, Value, json as value};

/// The codes of errors.
pub(crate) mod code {
    pub(crate) const PARSE: i32 = -32700;
    pub(crate) const INVALID_REQUEST: i32 = -32600;
    pub(crate) const NO_METHOD: i32 = -32601;
    pub(crate) const INVALID_PARAMS: i32 = -32602;
    pub(crate) const FAULT: i32 = -32603;
    pub(crate) const CANCELLED: i32 = -32000;
    pub(crate) const QUEUE_FULL: i32 = -32001;
    pub(crate) const ENDING: i32 = -32002;
}

/// The id of a request, as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Id(String);

impl Id {
    /// The id of an answer to a message whose own id is unknown.
    pub(crate) fn unknown() -> Self {
        Self("null".to_owned())
    }

    /// Reads an id: a string or a number.
    pub(crate) fn read(value: &Value) -> Option<Self> {
        matches!(value, Value::String(_) | Value::Number(_)).then(|| Self(value.to_string()))
    }

    /// Returns it as JSON.
    pub(crate) fn json(&self) -> &str {
        &self.0
    }
}

/// A request, or a notification, which has no id and gets no answer.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) id: Option<Id>,
    pub(crate) method: String,
    pub(crate) params: Map<String, Value>,
}

/// What a request gives.
pub(crate) type Result<T, E = RpcError> = std::result::Result<T, E>;

/// Why a request has no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RpcError {
    pub(crate) code: i32,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
}

impl RpcError {
    pub(crate) fn new(code: i32, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), hint: None }
    }

    pub(crate) fn params(message: impl Into<String>) -> Self {
        Self::new(code::INVALID_PARAMS, message)
    }

    pub(crate) fn cancelled() -> Self {
        Self::new(code::CANCELLED, "the request was cancelled")
    }

    pub(crate) fn with_hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// Returns the error with this hint, if there is one.
    pub(crate) fn with_hint_if(self, hint: Option<impl Into<String>>) -> Self {
        Self { hint: hint.map(Into::into).or(self.hint), ..self }
    }
}

impl From<Failure> for RpcError {
    fn from(failure: Failure) -> Self {
        let code = match failure.exit() {
            // Other params would change nothing.
            _ if matches!(failure.journal_error(), Some(JournalError::OtherWriter(_))) => code::FAULT,
            Exit::Usage | Exit::NotAccepted | Exit::Success => code::INVALID_PARAMS,
            Exit::Interrupted => return Self::cancelled(),
            Exit::Fault => code::FAULT,
        };
        let hints: Vec<&str> = failure.hints().collect();
        let hint = (!hints.is_empty()).then(|| hints.join("\n"));
        Self { code, message: failure.in_one_line(), hint }
    }
}

/// A result as JSON on one line, or why there is none.
pub(crate) type Answer = Result<String>;

/// Reads a message. `None`: it is a response, which was not requested, or a notification that says nothing.
///
/// # Errors
/// When it is not a request: the error, and its id, if it has one.
pub(crate) fn parse(message: &[u8]) -> Result<Option<Request>, (Id, RpcError)> {
    let unknown = |error| (Id::unknown(), error);
    let value: Value = serde_json::from_slice(message)
        .map_err(|error| unknown(RpcError::new(code::PARSE, format!("the message is not JSON: {error}"))))?;
    let invalid = |why: &str| RpcError::new(code::INVALID_REQUEST, why);
    let mut members = match value {
        Value::Object(members) => members,
        Value::Array(_) => {
            let error = invalid("batches are not supported").with_hint("send one object a line, without waiting");
            return Err(unknown(error));
        }
        _ => return Err(unknown(invalid("a request is an object"))),
    };
    // A response may have the id `null`, and gets no answer either.
    if !members.contains_key("method") && (members.contains_key("result") || members.contains_key("error")) {
        return Ok(None);
    }
    let id = match members.get("id") {
        None => None,
        Some(id) => Some(Id::read(id).ok_or_else(|| unknown(invalid("the id of a request is a string or a number")))?),
    };
    let failed = |error| (id.clone().unwrap_or_else(Id::unknown), error);
    if members.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Err(failed(invalid("a request has the member \"jsonrpc\": \"2.0\"")));
    }
    let method = match members.remove("method") {
        Some(Value::String(method)) => method,
        _ => return Err(failed(invalid("a request has a method, which is a string"))),
    };
    let params = match members.remove("params") {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(params)) => params,
        // A notification gets no answer, whatever its params are.
        Some(_) if id.is_none() => return Ok(None),
        Some(_) => return Err(failed(RpcError::params("params must be an object with names"))),
    };
    Ok(Some(Request { id, method, params }))
}

/// Returns the line that answers a request.
pub(crate) fn answer_line(id: &Id, answer: &Answer) -> String {
    let id = id.json();
    match answer {
        Ok(result) => format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{}}}\n", result.trim_end()),
        Err(RpcError { code, message, hint }) => {
            let mut data = value!({ "message": message });
            hint.iter().for_each(|hint| data["hint"] = value!(hint));
            let error = value!({ "code": code, "message": message, "data": data });
            format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{error}}}\n")
        }
    }
}

/// Returns the line of a notification.
pub(crate) fn notification_line(method: &str, params: &impl Serialize) -> String {
    format!("{{\"jsonrpc\":\"2.0\",\"method\":\"{method}\",\"params\":{}}}\n", json(params))
}

/// Returns a value as JSON on one line.
pub(crate) fn json(value: &impl Serialize) -> String {
    // Writing fails only for maps whose keys are not strings.
    let line = judge_report::json_line(value).unwrap_or_else(|_| "null".to_owned());
    line.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(message: &str) -> (String, i32) {
        let (id, error) = parse(message.as_bytes()).unwrap_err();
        (id.json().to_owned(), error.code)
    }

    #[test]
    fn what_is_no_request_is_refused_with_its_id() {
        for (message, id, code) in [
            ("", "null", code::PARSE),
            ("{\"jsonrpc\":\"2.0\"", "null", code::PARSE),
            ("\u{feff}{}", "null", code::PARSE),
            ("[]", "null", code::INVALID_REQUEST),
            ("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"status\"}]", "null", code::INVALID_REQUEST),
            ("3", "null", code::INVALID_REQUEST),
            ("{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"a\"}", "null", code::INVALID_REQUEST),
            ("{\"jsonrpc\":\"2.0\",\"id\":[1],\"method\":\"a\"}", "null", code::INVALID_REQUEST),
            ("{\"id\":1,\"method\":\"a\"}", "1", code::INVALID_REQUEST),
            ("{\"jsonrpc\":2.0,\"id\":1,\"method\":\"a\"}", "1", code::INVALID_REQUEST),
            ("{\"jsonrpc\":\"2.0\",\"id\":\"x\"}", "\"x\"", code::INVALID_REQUEST),
            ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":3}", "1", code::INVALID_REQUEST),
            ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"params\":[1]}", "1", code::INVALID_PARAMS),
        ] {
            assert_eq!(refusal(message), (id.to_owned(), code), "{message}");
        }
        let deep = "[".repeat(100_000);
        assert_eq!(refusal(&deep).1, code::PARSE);
    }

    #[test]
    fn a_journal_in_use_is_no_wrong_param() {
        let code = |error: JournalError| RpcError::from(Failure::from(error)).code;
        let writer = JournalError::OtherWriter(None);
        assert_eq!([code(writer), code(JournalError::NoRunYet)], [code::FAULT, code::INVALID_PARAMS]);
    }

    #[test]
    fn a_request_keeps_its_id_and_an_answer_is_one_line() {
        let request = parse(b"{\"jsonrpc\":\"2.0\",\"id\":12345678901234567890123,\"method\":\"a\"}").unwrap().unwrap();
        let id = request.id.unwrap();
        assert_eq!(
            answer_line(&id, &Ok("{}\n".to_owned())),
            "{\"jsonrpc\":\"2.0\",\"id\":12345678901234567890123,\"result\":{}}\n"
        );
        let error = RpcError::params("a\nb").with_hint("c");
        let line = answer_line(&id, &Err(error));
        assert_eq!(line.lines().count(), 1);
        let value: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(value["error"]["data"]["hint"], "c");
        for unanswered in [
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":3}",
            "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{}}",
            "{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"params\":[1]}",
        ] {
            assert!(parse(unanswered.as_bytes()).unwrap().is_none(), "{unanswered}");
        }
    }
}
