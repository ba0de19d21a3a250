//! The machines that the cases of a run were run on.

use super::Outcome;
use judge_sandbox::Tier;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;
use std::path::PathBuf;

/// Where a run goes on without the judge that submitted it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClusterJob {
    /// What runs it: `slurm`.
    pub engine: String,
    /// Its id there.
    pub id: String,
    /// The folder of the run on the shared file system.
    pub folder: PathBuf,
}

/// The job of a run that has not ended and that no judge follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DetachedJob {
    /// What runs it: `slurm`.
    pub engine: String,
    /// Its id there.
    pub id: String,
    /// What becomes of it.
    pub state: JobState,
}

/// The state of a job on a cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobState {
    /// At least one of its tasks runs.
    Running,
    /// All its tasks wait.
    Pending,
    /// It has ended, and its results were not collected.
    Ended,
    /// The cluster does not say: its error.
    Unknown(String),
}

impl fmt::Display for DetachedJob {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let engine = if self.engine == "slurm" { "Slurm" } else { &self.engine };
        let does = match self.state {
            JobState::Running => "runs",
            JobState::Pending => "waits",
            JobState::Ended => "has ended",
            JobState::Unknown(_) => "may run",
        };
        write!(formatter, "{does} on {engine} (job {})", self.id)
    }
}

/// A machine that cases of a run were run on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Node {
    /// Its name in the cluster, or that of the machine of a shard.
    pub name: String,
    /// Its own name.
    pub host: String,
    /// The release of its kernel.
    pub kernel: String,
    /// Its processor.
    pub cpu_model: String,
    /// How strongly solvers were isolated on it.
    #[serde(with = "super::as_text")]
    pub tier: Tier,
    /// How many processes were ready to run on it, on average over the minute before the first case; `None` if it does not
    /// say.
    pub load: Option<f64>,
}

impl Node {
    /// Returns whether two of that name are the same machine. Its load changes.
    fn is(&self, other: &Self) -> bool {
        let Self { name: _, host, kernel, cpu_model, tier, load: _ } = self;
        (host, kernel, cpu_model, tier) == (&other.host, &other.kernel, &other.cpu_model, &other.tier)
    }
}

/// The machines that cases of a run were run on, each with another name; none if that was the machine of the judge.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NodeList {
    nodes: Vec<Node>,
}

impl NodeList {
    /// Adds a machine, unless it is there. Returns the name that it has here: its own, or `NAME-2` if another machine has
    /// that.
    pub fn add(&mut self, mut node: Node) -> String {
        let own = node.name.clone();
        for number in 2.. {
            match self.get(&node.name) {
                None => break,
                Some(known) if known.is(&node) => return node.name,
                Some(_) => node.name = format!("{own}-{number}"),
            }
        }
        self.nodes.push(node);
        self.nodes[self.nodes.len() - 1].name.clone()
    }

    /// Returns the machine of a name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Node> {
        self.nodes.iter().find(|node| node.name == name)
    }

    /// Returns the processor that an outcome was measured on; `None`: that of the judge's machine.
    #[must_use]
    pub fn processor(&self, outcome: &Outcome) -> Option<&str> {
        Some(&self.get(outcome.node.as_deref()?)?.cpu_model)
    }

    /// Returns the processors, each once.
    #[must_use]
    pub fn processors(&self) -> BTreeSet<&str> {
        self.nodes.iter().map(|node| &*node.cpu_model).collect()
    }

    /// Returns whether a processor is not that of the others. Times are comparable on equal processors only.
    #[must_use]
    pub fn differ(&self) -> bool {
        self.processors().len() > 1
    }

    /// Returns whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Returns the machines.
    pub fn iter(&self) -> impl Iterator<Item = &Node> {
        self.nodes.iter()
    }
}

impl FromIterator<Node> for NodeList {
    fn from_iter<T: IntoIterator<Item = Node>>(nodes: T) -> Self {
        let mut list = Self::default();
        nodes.into_iter().for_each(|node| drop(list.add(node)));
        list
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Verdict;

    #[test]
    fn machines_of_one_name_are_told_apart() {
        let node = |name: &str, cpu_model: &str, load| Node {
            name: name.to_owned(),
            host: name.to_owned(),
            kernel: "6.1".to_owned(),
            cpu_model: cpu_model.to_owned(),
            tier: Tier::Root,
            load,
        };
        let mut list = NodeList::default();
        let names = [
            list.add(node("n1", "Xeon", Some(1.0))),
            list.add(node("n1", "Xeon", Some(2.0))),
            list.add(node("n2", "Xeon", None)),
        ];
        assert_eq!(names, ["n1", "n1", "n2"]);
        assert!(!list.differ());
        assert_eq!([list.add(node("n1", "EPYC", None)), list.add(node("n1", "EPYC", None))], ["n1-2", "n1-2"]);
        assert!(list.differ());
        assert_eq!(list.iter().count(), 3);
        let outcome = |node: Option<&str>| Outcome {
            node: node.map(str::to_owned),
            ..Outcome::without_run(Verdict::Accepted, String::new())
        };
        let processors = [Some("n2"), Some("n1-2"), None].map(|node| list.processor(&outcome(node)).map(str::to_owned));
        assert_eq!(processors, [Some("Xeon".to_owned()), Some("EPYC".to_owned()), None]);
    }
}
