//! `judge mcp`: the same for agents.

use super::{Served, place};
use crate::support::framework;
use crate::support::require::Need;
use serde_json::{Value, json};

fn start() -> Served {
    Served::start_as(place(), &["mcp", "--jobs", "1"])
}

fn tool(served: &mut Served, name: &str, arguments: &Value) -> (bool, String) {
    let result = served.result("tools/call", &json!({"name": name, "arguments": arguments}));
    (result["isError"].as_bool().unwrap(), result["content"][0]["text"].as_str().unwrap().to_owned())
}

#[test]
fn a_client_falls_back_to_initialize() {
    let mut served = start();
    assert_eq!(served.error_code("server/discover", &json!({})), -32601);
    let begun = served.result("initialize", &json!({"protocolVersion": "2025-06-18", "capabilities": {}}));
    assert_eq!((&begun["protocolVersion"], &begun["serverInfo"]["name"]), (&json!("2025-06-18"), &json!("judge")));
    served.send_line(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string());
    let tools = served.result("tools/list", &json!({}));
    let names: Vec<_> = tools["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["list_problems", "evaluate", "compare", "check", "history"]);
    for (tool, parameter) in [(1, "cases"), (1, "limits"), (2, "cases"), (2, "limits")] {
        assert!(tools["tools"][tool]["inputSchema"]["properties"][parameter].is_object(), "{}", names[tool]);
    }
    let resources = served.result("resources/list", &json!({}));
    for resource in resources["resources"].as_array().unwrap() {
        let read = served.result("resources/read", &json!({"uri": resource["uri"]}));
        assert!(!read["contents"][0]["text"].as_str().unwrap().is_empty(), "{resource}");
    }
    assert_eq!(served.error_code("resources/read", &json!({"uri": "file:///etc/passwd"})), -32602);
    assert_eq!(served.error_code("tools/call", &json!({"name": "shell", "arguments": {}})), -32602);
    assert_eq!(served.end(), Some(0));
}

#[test]
fn a_bad_program_is_an_error_of_the_tool() {
    let mut served = start();
    let evaluate = |served: &mut Served, source: &str| {
        tool(served, "evaluate", &json!({"source": source, "language": "shell", "seeds": "1-2"}))
    };
    let (is_error, text) = evaluate(&mut served, "read n; echo $n");
    assert!(!is_error && text.starts_with("accepted") && text.contains("candidate: "), "{text}");
    let (is_error, text) = evaluate(&mut served, "echo broken >&2; exit 3");
    assert!(is_error && text.contains("exit code 3") && text.contains("broken"), "{text}");
    let (is_error, text) = tool(&mut served, "evaluate", &json!({"source": "x", "language": "shell", "seeds": "x"}));
    assert!(is_error && text.contains("params.seeds"), "{text}");
    assert_eq!(tool(&mut served, "check", &json!({"seed": 1, "answer": "5\n"})), (false, "accepted 5".to_owned()));
    let (is_error, text) = tool(&mut served, "list_problems", &json!({}));
    assert!(!is_error && text.contains("\"columns\""), "{text}");
    let (is_error, text) = tool(&mut served, "list_problems", &json!({"x": 1}));
    assert!(is_error && text.contains("it takes no params"), "{text}");
    let sealed = json!({"source": "echo 1", "language": "shell", "sealed": true});
    let (is_error, text) = tool(&mut served, "evaluate", &sealed);
    assert!(is_error && text.contains("there are no sealed cases"), "{text}");
    let two = json!({"path": "bot", "solver": {"path": "other"}});
    let (is_error, text) = tool(&mut served, "evaluate", &two);
    assert!(is_error && text.contains("params.path: `solver` has a `path`, too"), "{text}");
    let (_, text) = tool(&mut served, "history", &json!({}));
    assert!(text.contains("no runs"), "{text}");
}

#[test]
fn history_refuses_unknown_problems_and_missing_runs() {
    let mut served = start();
    let (is_error, text) = tool(&mut served, "history", &json!({"problem": "colums"}));
    assert!(is_error && text.contains("did you mean `columns`"), "{text}");
    let (is_error, text) = tool(&mut served, "history", &json!({"run": 1}));
    assert!(is_error && text.contains("no run"), "{text}");
}

#[test]
fn files_outside_the_folder_are_not_read() {
    let mut served = start();
    served.folder.write("bot/main.sh", "echo 2\n");
    served.folder.write("bot.sh", "echo 1\n");
    let link = |to: &str, name: &str| std::os::unix::fs::symlink(to, served.folder.path().join(name)).unwrap();
    link("/etc/hostname", "out.sh");
    link("bot.sh", "in.sh");
    link("/etc", "bot/etc");
    for (path, is_allowed) in [
        ("bot.sh", true),
        ("in.sh", true),
        ("out.sh", false),
        ("/etc/hostname", false),
        ("../../etc/hostname", false),
        ("bot", false),
    ] {
        let (is_error, text) = tool(&mut served, "evaluate", &json!({"path": path, "language": "shell", "seeds": "1"}));
        assert_eq!(!is_error, is_allowed, "{path}: {text}");
        assert!(is_allowed || text.contains("is not read for agents"), "{path}: {text}");
    }
    for arguments in [json!({"command": "cat /etc/hostname"}), json!({"path": "bot.sh", "cases": ["/etc/host*"]})] {
        assert!(tool(&mut served, "evaluate", &arguments).0, "{arguments}");
    }
    // No message names what is there.
    for pattern in ["/etc/host*", "/etc/no-such-file*", "../*", "bot/etc/host*"] {
        let outside = json!({"path": "bot.sh", "language": "shell", "cases": [pattern]});
        let (is_error, text) = tool(&mut served, "evaluate", &outside);
        assert!(is_error && text.contains(&format!("{pattern} is outside")), "{text}");
    }
    for (solver, part) in [
        (json!({"path": "bot.sh", "language": "shell"}), ""),
        (json!({"path": "out.sh"}), "is not read for agents"),
        (json!({"command": "sh bot.sh"}), "commands are not run"),
        (json!("bot.sh"), "expected an object"),
        (json!({}), "expected one of `source` and `path`"),
    ] {
        let (is_error, text) = tool(&mut served, "evaluate", &json!({"solver": solver, "seeds": "1"}));
        assert!(is_error != part.is_empty() && text.contains(part), "{solver}: {text}");
    }
    // Names that begin like seeds are files like others.
    std::os::unix::fs::symlink("/etc/hostname", served.folder.path().join("seed-x.in")).unwrap();
    let outside = json!({"path": "bot.sh", "language": "shell", "cases": ["seed-x.in"]});
    let (is_error, text) = tool(&mut served, "evaluate", &outside);
    assert!(is_error && text.contains("is not read for agents"), "{text}");
    served.folder.write(".judge/sealed-columns.toml", "seeds = \"1\"\n");
    let hidden = json!({"path": "bot.sh", "language": "shell", "cases": [".judge/sealed-columns.toml"]});
    let (is_error, text) = tool(&mut served, "evaluate", &hidden);
    assert!(is_error && text.contains("no program sees"), "{text}");
    assert!(tool(&mut served, "check", &json!({"input": ".judge/sealed-columns.toml", "answer": "1"})).0);
    let both = json!({"a": {"path": "bot.sh"}, "b": {"path": "out.sh"}, "seeds": "1"});
    assert!(tool(&mut served, "compare", &both).0);
    // The fields of a solver in their order, without names: a command is the third.
    let listed = json!({"a": [null, null, "ls", null], "b": {"path": "bot.sh"}, "seeds": "1"});
    assert!(tool(&mut served, "compare", &listed).0);
    assert!(tool(&mut served, "check", &json!({"input": "/etc/hostname", "answer": "1"})).0);
}

#[test]
fn a_python_client_gets_what_the_schemas_say() {
    let Some(python) = framework("mcp", "python", Need::Mcp) else { return };
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/judging/serve/agent.py");
    let folder = place();
    let mut client = std::process::Command::new(python);
    client.args([script, env!("CARGO_BIN_EXE_judge")]).current_dir(folder.path()).env("HOME", folder.path());
    let output = client.output().unwrap();
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(output.status.success() && said.contains("agent: well done"), "{said}");
}
