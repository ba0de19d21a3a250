//! Messages, right and wrong.

use super::{Served, script_on};
use serde_json::{Value, json};

#[test]
fn malformed_messages_end_nothing() {
    let mut served = Served::start(&[]);
    for (line, code) in [
        ("{", -32700),
        ("\u{1}", -32700),
        ("[]", -32600),
        ("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"status\"}]", -32600),
        ("17", -32600),
        ("{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"status\"}", -32600),
        ("{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"status\"}", -32600),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"nonsense\"}", -32601),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"status\",\"params\":[]}", -32602),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"status\",\"params\":{\"a\":1}}", -32602),
    ] {
        served.send_line(line);
        let answer = served.answer();
        assert_eq!(answer["error"]["code"], code, "{line}: {answer}");
        assert_eq!(answer["error"]["message"], answer["error"]["data"]["message"]);
    }
    served.send_line("\n\r\n");
    served.send_line(&json!({"jsonrpc": "2.0", "method": "status"}).to_string());
    served.send_line(&"x".repeat((16 << 20) + 1));
    assert_eq!(served.answer()["error"]["code"], -32700);
    assert_eq!(served.result("status", &json!({}))["jobs"], 2);
    assert_eq!(served.end(), Some(0));
}

#[test]
fn wrong_params_are_named() {
    let mut served = Served::start(&[]);
    let script = json!({"source": "echo 1", "language": "shell"});
    for (params, part) in [
        (json!({"problem": "colums", "solver": script}), "did you mean `columns`?"),
        (json!({"problem": "columns"}), "missing field `solver`"),
        (json!({"problem": "columns", "solver": script, "seedz": "1"}), "did you mean `seeds`?"),
        (json!({"problem": "columns", "solver": script, "seeds": "9-1"}), "params.seeds"),
        (json!({"problem": "columns", "solver": script, "seeds": true}), "params.seeds"),
        (json!({"problem": "columns", "solver": script, "cases": ["nowhere/*.in"]}), "no file matches"),
        (json!({"problem": "columns", "solver": script, "cases": ["seed-1"], "seeds": "1"}), "cannot be used together"),
        (json!({"problem": "columns", "solver": script, "limits": {"cpu": "fast"}}), "params.limits.cpu"),
        (json!({"problem": "columns", "solver": script, "limits": {"time": "1s"}}), "known: cpu"),
        (json!({"problem": "columns", "solver": script, "tier": "unsafe"}), "unknown field `tier`"),
        (json!({"problem": "columns", "solver": script, "priority": 5000}), "params.priority"),
        (json!({"problem": "columns", "solver": script, "against": "nobody"}), "nobody"),
        (json!({"problem": "columns", "solver": {"source": "x", "language": "shel"}}), "did you mean `shell`?"),
        (json!({"problem": "columns", "solver": {"path": "nowhere.sh"}}), "there is no file nowhere.sh"),
        (json!({"problem": "columns", "solver": {"command": "no-such-program"}}), "no-such-program"),
        (json!({"problem": "columns", "solver": {"command": "sh 'a"}}), "quotes"),
        (json!({"problem": "columns", "solver": {}}), "expected one of"),
    ] {
        let error = served.call("evaluate", &params)["error"].take();
        assert_eq!(error["code"], -32602, "{params}: {error}");
        assert!(error.to_string().contains(part), "{params}: {error}");
    }
    let unmatched = json!({"problem": "columns", "solver": script, "cases": ["nowhere/*.in"]});
    let hint = served.call("evaluate", &unmatched)["error"]["data"]["hint"].take();
    assert!(hint.as_str().is_some_and(|hint| !hint.contains("--")), "{hint}");
    for (file, command) in [("none", "no-such-program 1"), ("bot.xyz", "./bot.xyz")] {
        served.folder.write("bot.xyz", "text");
        let solver = json!({"problem": "columns", "solver": {"command": command}, "seeds": "1"});
        let hint = served.call("evaluate", &solver)["error"]["data"]["hint"].take();
        assert!(hint.as_str().is_some_and(|hint| hint.contains('{') && !hint.contains("--")), "{file}: {hint}");
    }
    let missing = json!({"problem": "columns", "a": script, "b": {"path": "nowhere.sh"}, "seeds": "1"});
    let error = served.call("compare", &missing)["error"].take();
    assert_eq!(error["message"], "params.b.path: there is no file nowhere.sh");
    for (name, value) in [("alpha", json!(7)), ("min_effect", json!("much"))] {
        let compare = json!({"problem": "columns", "a": script, "b": script, "seeds": "1", name: value});
        let error = served.call("compare", &compare)["error"].take();
        let said = error["message"].as_str().unwrap();
        assert!(error["code"] == -32602 && said.starts_with(&format!("params.{name}: expected")), "{error}");
    }
}

#[test]
fn results_follow_their_schemas() {
    let mut served = Served::start(&[]);
    served.evaluate("echo 1", "1-3", &json!({}));
    let results = [
        ("serve-evaluate", served.evaluate("echo 5; echo oops >&2; exit 1", "1-3", &json!({"against": "best"}))),
        (
            "serve-evaluate",
            served.evaluate("read n; echo $n", "1-3", &json!({"against": "best", "limits": {"cpu": "1s"}})),
        ),
        ("serve-status", served.result("status", &json!({}))),
        ("ui-problems", served.result("problems", &json!({}))),
    ];
    let script = |text: &str| json!({"source": text, "language": "sh"});
    let params = json!({"problem": "columns", "a": script("echo 2"), "b": script("echo 3"), "seeds": "1-4"});
    let compared = served.result("compare", &params);
    assert_eq!(compared["solvers"].as_array().map(Vec::len), Some(2), "{compared}");
    for (name, result) in results.iter().chain([&("compare", compared)]) {
        let schema: Value = serde_json::from_str(&served.folder.judge(&["schema", name]).stdout).unwrap();
        let errors: Vec<String> =
            jsonschema::validator_for(&schema).unwrap().iter_errors(result).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{name}: {errors:?} in {result}");
    }
    let rules = served.result("rules", &json!({"problem": "columns"}));
    assert!(rules["rules"].as_str().unwrap().contains("check.sh"), "{rules}");
}

#[test]
fn answers_are_told_apart_by_their_ids() {
    let mut served = Served::start(&[]);
    let slow = served.send("evaluate", &script_on("sleep 0.4; echo 1", "1"));
    let fast = served.send("evaluate", &script_on("echo 2", "1"));
    let first = served.answer();
    assert_eq!((&first["id"], &first["result"]["total"]), (&json!(fast), &json!(2)));
    served.send_line(
        &json!({"jsonrpc": "2.0", "id": slow, "method": "evaluate", "params": script_on("echo 3", "1")}).to_string(),
    );
    let refused = served.answer();
    assert_eq!(refused["error"]["code"], -32600, "the id is in use: {refused}");
    let second = served.answer();
    assert_eq!((&second["id"], &second["result"]["total"]), (&json!(slow), &json!(1)));
}
