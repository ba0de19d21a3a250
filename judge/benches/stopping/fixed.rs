//! Claims from a fixed number of cases: how often they are false, and how often a difference is found.

use crate::fixed_populations::{COUNTS, Named, Rates, chosen_on, found, rates, unseen};
use judge_statistics::Random;

pub(crate) fn fixed_tables(runs: usize) {
    println!(
        "\nFalse claims from a fixed number of cases, {runs} runs, the likelier side (Student's interval alone):\n"
    );
    println!("| effects | rarest event | {} |", counts());
    println!("|---|---:|{}", "---:|".repeat(COUNTS.len()));
    null_rows("", &chosen_on(), runs);
    null_rows("unseen: ", &unseen(), runs);
    println!("\n\"better\" where it is, {runs} runs (Student's interval alone):\n");
    println!("| effects | {} |", counts());
    println!("|---|{}", "---:|".repeat(COUNTS.len()));
    for (seed, (name, draw)) in found().into_iter().enumerate() {
        let mut random = Random::new(400 + seed as u64);
        let cell = |&cases: &usize| {
            let Rates { better, student_better, .. } = rates(cases, runs, &mut random, draw);
            format!("{better:.1} % ({student_better:.1})")
        };
        println!("| {name} | {} |", COUNTS.iter().map(cell).collect::<Vec<_>>().join(" | "));
    }
}

fn counts() -> String {
    COUNTS.map(|cases| format!("n = {cases}")).join(" | ")
}

/// Events with an expected count of at least three are marked.
fn null_rows(group: &str, populations: &[Named], runs: usize) {
    for (seed, (name, rarest, population)) in populations.iter().enumerate() {
        let mut random = Random::new(300 + seed as u64);
        let cell = |&cases: &usize| {
            let found = rates(cases, runs, &mut random, |random| population.draw(random));
            let share = found.better.max(found.worse);
            let mark = if rarest.is_none_or(|rarest| cases as f64 * rarest >= 3.0) { "**" } else { "" };
            format!("{mark}{share:.1} %{mark} ({:.1})", found.student_better.max(found.student_worse))
        };
        let cells = COUNTS.iter().map(cell).collect::<Vec<_>>().join(" | ");
        let rarest = rarest.map_or_else(|| "–".to_owned(), |rarest| format!("{:.0} %", 100.0 * rarest));
        println!("| {group}{name} | {rarest} | {cells} |");
    }
}
