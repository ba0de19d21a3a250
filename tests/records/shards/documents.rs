//! The files of docs/ci that play a run in shards work: their commands are run with the variables of their engines.

use crate::support::documents::{commands, document, python_has, repository, run, sample, text};
use crate::support::Folder;
use crate::support::require::{Need, skip};
use std::process::Command;

const CASES: &str = "run 1: 20 of 20 cases, ";

/// A folder with the problem, a solver, and the judge as `bin/judge`.
fn with_bot() -> Folder {
    let folder = sample();
    folder.write("bot.py", "print(int(input()) * 37 % 101)\n");
    folder
}

/// Runs a command, which must succeed, and returns its output.
fn shell(folder: &Folder, command: &str, variables: &[(&str, &str)]) -> String {
    let output = run(folder, "sh", &["-e", "-c", command], variables);
    assert!(output.status.success(), "{command}: {}{}", text(&output.stdout), text(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Plays every task of a file with these variables, and merges their recorded results.
fn play_and_merge(name: &str, tasks: &[Vec<(&str, String)>], merges: &[&str]) {
    if !python_has("sys", Need::Python) {
        return;
    }
    let (folder, file) = (with_bot(), document(&format!("ci/{name}")));
    let [play] = commands(&file, "judge run")[..] else { panic!("{name}: one run is expected") };
    for task in tasks {
        let variables: Vec<(&str, &str)> = task.iter().map(|(name, value)| (*name, &**value)).collect();
        shell(&folder, play, &[&variables[..], &[("SOLVER", "python3 bot.py")]].concat());
    }
    let merged = shell(&folder, merges[0], &[]);
    assert!(merged.starts_with(&format!("{CASES}{0} of {0} shards, complete", tasks.len())), "{name}: {merged}");
    for more in &merges[1..] {
        shell(&folder, more, &[]);
        assert!(std::fs::read_to_string(folder.path().join("run.json")).unwrap().contains("\"seed-20\""), "{name}");
    }
}

#[test]
fn the_matrix_of_github_actions() {
    let file = document("ci/shards-github-actions.yml");
    let line = file.lines().find_map(|line| line.trim().strip_prefix("shard: [")).unwrap();
    let shards: Vec<&str> = line.trim_end_matches(']').split(", ").collect();
    let task =
        |(index, shard): (usize, &&str)| vec![("SHARD", (*shard).to_owned()), ("JOURNAL", format!("shard-{index}.db"))];
    let tasks: Vec<_> = shards.iter().enumerate().map(task).collect();
    let merges = [commands(&file, "judge merge"), commands(&file, "judge history")].concat();
    play_and_merge("shards-github-actions.yml", &tasks, &merges);
}

#[test]
fn the_parallel_jobs_of_gitlab() {
    let file = document("ci/shards-gitlab-ci.yml");
    let count: usize = file.lines().find_map(|line| line.trim().strip_prefix("parallel: ")).unwrap().parse().unwrap();
    let task = |index: usize| vec![("CI_NODE_INDEX", index.to_string()), ("CI_NODE_TOTAL", count.to_string())];
    let merges = [commands(&file, "judge merge"), commands(&file, "judge history")].concat();
    play_and_merge("shards-gitlab-ci.yml", &(1..=count).map(task).collect::<Vec<_>>(), &merges);
}

#[test]
fn the_indexed_job_of_kubernetes() {
    let file = document("ci/shards-kubernetes.yml");
    let count: usize =
        file.lines().find_map(|line| line.trim().strip_prefix("completions: ")).unwrap().parse().unwrap();
    let tasks: Vec<_> = (0..count).map(|index| vec![("JOB_COMPLETION_INDEX", index.to_string())]).collect();
    play_and_merge("shards-kubernetes.yml", &tasks, &["judge merge 'shard-*.db'"]);
}

#[test]
fn the_array_of_slurm() {
    let file = document("ci/shards-slurm.sh");
    let ids = file.lines().find_map(|line| line.strip_prefix("#SBATCH --array=")).unwrap();
    let (first, last) = ids.split_once('-').unwrap();
    let task = |id: usize| {
        vec![
            ("SLURM_ARRAY_TASK_ID", id.to_string()),
            ("SLURM_ARRAY_TASK_MIN", first.to_owned()),
            ("SLURM_ARRAY_TASK_MAX", last.to_owned()),
            ("SLURM_ARRAY_TASK_STEP", "1".to_owned()),
            ("SLURM_ARRAY_TASK_COUNT", last.to_owned()),
            ("SLURM_CPUS_ON_NODE", "2".to_owned()),
        ]
    };
    let tasks: Vec<_> = (first.parse().unwrap()..=last.parse().unwrap()).map(task).collect();
    play_and_merge("shards-slurm.sh", &tasks, &["judge merge 'shard-*.db'"]);
}

#[test]
fn gnu_parallel_plays_the_shards_and_merges_them() {
    if !python_has("sys", Need::Python) {
        return;
    }
    let help = Command::new("parallel").arg("--version").output();
    if !help.is_ok_and(|output| text(&output.stdout).starts_with("GNU parallel")) {
        return skip(Need::Parallel, "no GNU parallel");
    }
    let folder = with_bot();
    let script = repository().join("docs/ci/shards-parallel.sh").display().to_string();
    let play = format!("{script} -p columns -s 'python3 bot.py' --message 'a and b'");
    let said = shell(&folder, &play, &[("SHARDS", "3"), ("PARALLEL_HOME", ".parallel")]);
    assert!(said.contains(&format!("{CASES}3 of 3 shards, complete")), "{said}");
    let shown = shell(&folder, "judge history show last", &[]);
    assert!(shown.contains("a and b"), "{shown}");
}
