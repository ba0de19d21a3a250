//! On any machine, the tier is named, a weaker tier than required is refused, and the cases are run.

use crate::delegation::Delegation;
use crate::support::of_cases;
use crate::support::require::{Need, skip};
use crate::support::stage::{PLAIN_USER, Stage, is_root, json, run};
use serde_json::Value;

/// Ways to start the judge, each with the strongest tier that it may find there.
fn places(delegation: Option<&Delegation>) -> Vec<(Vec<String>, &'static str)> {
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    if !is_root() {
        skip(Need::Root, "other users, and machines without control groups: only root can make them");
        return vec![(words(""), "delegated"), (words("no-namespaces"), "bare")];
    }
    let user = format!("user {PLAIN_USER}");
    let mut places = vec![
        (words(""), "root"),
        (words("no-control-groups"), "userns"),
        (words(&user), "userns"),
        (words(&format!("{user} no-namespaces")), "bare"),
        (words("no-control-groups few-capabilities no-namespaces"), "bare"),
        (words(&format!("no-control-groups {user} no-namespaces")), "bare"),
    ];
    if let Some(delegation) = delegation {
        let joins = delegation.folders().iter().map(|folder| format!("join {}", folder.display()));
        let joins = joins.collect::<Vec<_>>().join(" ");
        places.push((words(&format!("{joins} {user}")), "delegated"));
        places.push((words(&format!("{joins} {user} no-namespaces")), "bare"));
    }
    places
}

fn delegation() -> Option<Delegation> {
    if !is_root() {
        return None;
    }
    Delegation::to(PLAIN_USER, false).map_err(|why| skip(Need::Delegated, why)).ok()
}

const TIERS: [&str; 4] = ["root", "delegated", "userns", "bare"];

fn strength(tier: &str) -> usize {
    TIERS.iter().position(|name| *name == tier).unwrap_or_else(|| panic!("{tier} is no tier"))
}

fn launched(stage: &Stage, how: &[String], arguments: &[&str]) -> std::process::Command {
    stage.launched(&how.iter().map(|word| &**word).collect::<Vec<_>>(), arguments)
}

#[test]
fn a_tier_weaker_than_required_is_refused() {
    let Some(stage) = Stage::set() else { return };
    let delegation = delegation();
    let program = stage.text("solver");
    for (how, strongest) in places(delegation.as_ref()) {
        let report = json(launched(&stage, &how, &["exec", "--json", "-", "--", &program]));
        let tier = report["tier"].as_str().unwrap();
        assert!(strength(tier) >= strength(strongest), "{how:?}: {tier} cannot be, at most {strongest}");
        println!("{how:?}: {tier}");
        for required in TIERS {
            let said = run(launched(&stage, &how, &["exec", "--require-tier", required, "--", &program]));
            if strength(tier) <= strength(required) {
                assert_eq!(said.code, Some(0), "{how:?}: {}", said.stderr);
                assert!(said.stderr.contains(&format!("sandbox tier {tier}")), "{}", said.stderr);
            } else {
                assert_eq!((said.code, &*said.stdout), (Some(2), ""), "{how:?}: it ran all the same");
                let expected = format!("of tier `{tier}` here, and --require-tier wants `{required}` or stronger");
                assert!(said.stderr.contains(&expected), "{}", said.stderr);
                assert!(said.stderr.contains("`judge doctor` shows what is missing"), "{}", said.stderr);
            }
        }
    }
}

/// An ordinary user, and a container with neither control groups nor user namespaces, as root and as a user: no tier
/// was prepared.
#[test]
fn the_main_job_needs_no_set_up_anywhere() {
    let Some(stage) = Stage::set() else { return };
    let delegation = delegation();
    for (number, (how, _)) in places(delegation.as_ref()).into_iter().enumerate() {
        let folder = stage.path("work").join(number.to_string());
        std::fs::create_dir(&folder).unwrap();
        std::fs::set_permissions(&folder, std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
        let solver = "bundled:columns-quickstart";
        let arguments = ["run", "-p", "columns", "-s", solver, "--seeds", "1-6", "--json", "-"];
        let mut command = launched(&stage, &how, &arguments);
        let output = command.current_dir(&folder).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{how:?}: {said}");
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(of_cases(&report, "verdict"), ["accepted"; 6], "{how:?}: {report}");
        let gaps = report["gaps"].as_array().unwrap().len();
        let tier = report["tier"].as_str().unwrap();
        let line =
            format!("sandbox tier {tier}, with {gaps} gap{}: see `judge doctor`", if gaps == 1 { "" } else { "s" });
        assert_eq!(said.contains(&line), gaps > 0, "{how:?}: {said}");
        assert!(folder.join(".judge").is_dir(), "the run is in the journal");
    }
}

#[test]
fn doctor_tells_how_to_get_missing_tiers() {
    let Some(stage) = Stage::set() else { return };
    let delegation = delegation();
    for (how, _) in places(delegation.as_ref()) {
        let report = json(launched(&stage, &how, &["doctor", "--json", "-"]));
        let text = run(launched(&stage, &how, &["doctor"])).stdout;
        assert!(text.contains("every tier\n"), "{how:?}: no tier is without a gap: {text}");
        let all = |field: &str| report[field].as_array().unwrap().clone();
        let used = all("tiers").into_iter().find(|tier| tier["works"] == true).unwrap();
        assert_eq!(report["tier"], used["tier"], "{how:?}");
        assert!(text.contains(&format!("the judge uses the tier `{}` here", used["tier"].as_str().unwrap())), "{text}");
        for entry in all("tiers").iter().chain(&all("features")).filter(|entry| entry["works"] == false) {
            // Root does not use resources that are delegated to users.
            if entry["missing"].as_str().is_some_and(|why| why.contains("for ordinary users")) {
                continue;
            }
            let remedy = entry["remedy"].as_str().unwrap_or_else(|| panic!("{how:?}: no remedy for {entry}"));
            assert!(remedy.contains("sudo") || remedy.contains("docker") || remedy.contains("judge …"), "{remedy}");
            assert!(text.contains(remedy), "{how:?}: the text does not say {remedy}:\n{text}");
        }
        for word in ["cores", "SMT", "load", "swap"] {
            assert!(text.lines().any(|line| line.starts_with(word)), "{word}: {text}");
        }
        assert!(report["machine"]["default_jobs"].as_u64().unwrap() >= 1, "{report}");
    }
    if is_root() {
        let said = run(stage.launched(&["user", &PLAIN_USER.to_string()], &["doctor"]));
        assert!(said.stdout.contains("systemd-run --user --scope -p Delegate=yes judge …"), "{}", said.stdout);
    }
}
