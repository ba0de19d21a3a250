//! Sealed cases: the results that `evaluate` shows for them.

use super::Served;
use crate::support::require::{Need, skip};
use serde_json::{Value, json};
use std::time::Duration;

#[test]
fn sealed_evaluations_tell_failures_and_the_best_total() {
    let mut served = Served::start(&["--sealed", "sealed.toml"]);
    let tier = served.result("status", &json!({}))["tier"].clone();
    if tier == "bare" {
        return skip(Need::Userns, "sealed cases need a tier that hides files");
    }
    let solver = |script: &str| json!({"source": script, "language": "shell"});
    let ask = |script: &str| json!({"solver": solver(script)});
    assert_eq!(served.result("evaluate", &ask("echo 5")), json!({"failures": 0, "total": 500}));
    assert_eq!(served.result("evaluate", &ask("echo 4")), json!({"failures": 0, "total": 500}));
    assert_eq!(served.result("evaluate", &ask("exit 1")), json!({"failures": 100, "total": 500}));
    let schema = |name: &str| serde_json::from_str::<Value>(&served.folder.judge(&["schema", name]).stdout).unwrap();
    let score = jsonschema::validator_for(&schema("serve-sealed")).unwrap();
    assert!(score.is_valid(&json!({"failures": 0, "total": 500})) && !score.is_valid(&json!({"total": 500})));
    assert!(!schema("sealed")["description"].as_str().unwrap().contains("serve"));
    let open = served.evaluate("echo 7", "1-2", &json!({}));
    assert_eq!((&open["total"], open["cases"].as_array().unwrap().len()), (&json!(14), 2));
    for more in [json!({"against": "best"}), json!({"sealed": true, "seeds": "1"})] {
        let mut params = json!({"solver": solver("echo 5")});
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        assert_eq!(served.error_code("evaluate", &params), -32602, "{params}");
    }
    for solver in [
        json!({"path": "sealed.toml", "language": "python"}),
        json!({"command": "cat sealed.toml"}),
        json!({"path": "."}),
    ] {
        let params = json!({"problem": "columns", "solver": solver, "seeds": "1"});
        assert_eq!(served.error_code("evaluate", &params), -32602, "{params}");
    }
    let cases = json!({"problem": "columns", "solver": solver("cat >&2; exit 1"), "cases": ["./sealed.toml"]});
    assert_eq!(served.error_code("evaluate", &cases), -32602, "the sealed file is no case");
    let mut plain = Served::start(&[]);
    assert_eq!(plain.error_code("evaluate", &json!({"solver": solver("echo 5"), "sealed": true})), -32602);
}

#[test]
fn progress_reveals_no_time_of_a_sealed_case() {
    let mut served = Served::start(&["--sealed", "sealed.toml"]);
    if served.result("status", &json!({}))["tier"] == "bare" {
        return skip(Need::Userns, "sealed cases need a tier that hides files");
    }
    served.folder.write("sealed.toml", "seeds = \"1-3\"\n");
    let id = served.send("evaluate", &json!({"solver": {"command": "sleep 0.2"}}));
    let first = served.message().unwrap();
    assert_eq!(first["id"], id, "the answer comes without progress: {first}");
}

#[test]
fn an_edited_checker_leaves_no_sealed_total() {
    let mut served = Served::start(&["--sealed", "sealed.toml"]);
    if served.result("status", &json!({}))["tier"] == "bare" {
        return skip(Need::Userns, "sealed cases need a tier that hides files");
    }
    served.folder.write("sealed.toml", "seeds = \"1-4\"\n");
    let file = |served: &Served| std::fs::read_to_string(served.folder.path().join("sealed.toml")).unwrap();
    served.send("evaluate", &json!({"solver": {"source": "sleep 0.2; echo 1", "language": "shell"}}));
    while !file(&served).contains("queries = 1") {
        std::thread::sleep(Duration::from_millis(5));
    }
    served.folder.write("check.sh", "echo 9\n");
    assert_eq!(served.answer()["error"]["code"], -32602);
    assert!(!file(&served).contains("best"));
}

#[test]
fn a_refused_query_leaves_the_file_alone() {
    use std::os::unix::fs::MetadataExt;
    let mut served = Served::start(&["--sealed", "sealed.toml"]);
    if served.result("status", &json!({}))["tier"] == "bare" {
        return skip(Need::Userns, "sealed cases need a tier that hides files");
    }
    let file = |served: &Served| served.folder.path().join("sealed.toml").metadata().unwrap().ino();
    let ask = |solver: serde_json::Value| json!({ "solver": solver });
    served.result("evaluate", &ask(json!({"command": "echo 1"})));
    let before = file(&served);
    assert_eq!(served.error_code("evaluate", &ask(json!({"path": "missing"}))), -32602);
    assert_eq!(file(&served), before);
    served.result("evaluate", &ask(json!({"command": "echo 0"})));
    assert_ne!(file(&served), before);
}
