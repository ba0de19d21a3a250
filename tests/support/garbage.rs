//! Solvers that print what is no answer. Examples are copied, and so are their faults.

use crate::support::{Folder, of_cases};

/// Scripts, each of which prints something else.
const GARBAGE: [(&str, &str); 7] = [
    ("nothing", ":"),
    ("empty-line", "echo"),
    ("nines", "head -c 900000 /dev/zero | tr '\\0' 9; echo"),
    ("no-end-of-line", "head -c 9000 /dev/zero | tr '\\0' 9"),
    ("no-text", "printf '\\377\\376\\n'"),
    ("other-digits", "printf '\\302\\262\\n'"),
    ("nulls", "printf '1\\0002\\n'"),
];

/// Asserts that each of them is a wrong answer for what these arguments run.
pub(crate) fn garbage_is_wrong(folder: &Folder, run: &[&str]) {
    let mut arguments = run.to_vec();
    for (name, body) in GARBAGE {
        folder.script(name, body);
    }
    let solvers = GARBAGE.map(|(name, _)| format!("./{name}"));
    solvers.iter().for_each(|solver| arguments.extend(["-s", solver]));
    let (_, report) = folder.json(&arguments);
    let verdicts = of_cases(&report, "verdict");
    assert!(!verdicts.is_empty() && verdicts.iter().all(|verdict| *verdict == "wrong-answer"), "{run:?}: {report:#}");
}
