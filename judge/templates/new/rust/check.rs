//! Prints the score of an answer, or why it is wrong (with exit code 1).
use std::collections::HashSet;
use std::process::exit;

fn reject(why: &str) -> ! {
    println!("{why}");
    exit(1)
}

fn main() {
    let mut files = std::env::args_os().skip(1).map(|name| std::fs::read(name).expect("a file that can be read"));
    let (input, output) = (files.next().expect("the input"), files.next().expect("the answer"));
    let input = String::from_utf8(input).expect("an input is text");
    let numbers: Vec<u64> = input.split_whitespace().map(|word| word.parse().expect("a number")).collect();
    let (n, capacity, items) = (numbers[0], numbers[1], &numbers[2..]);

    let words = String::from_utf8_lossy(&output).into_owned();
    let answer: Option<Vec<u64>> = words.split_whitespace().map(|word| word.parse().ok()).collect();
    let Some(answer) = answer else { reject("expected whole numbers from 0") };
    let Some((&count, chosen)) = answer.split_first() else { reject("the answer is empty") };
    if chosen.len() as u64 != count {
        reject(&format!("expected {count} items, found {}", chosen.len()));
    }
    let different: HashSet<&u64> = chosen.iter().collect();
    if different.len() != chosen.len() || !chosen.iter().all(|item| (1..=n).contains(item)) {
        reject(&format!("expected different items from 1 to {n}"));
    }
    let sum = |place: u64| -> u64 { chosen.iter().map(|item| items[(2 * (item - 1) + place) as usize]).sum() };
    if sum(0) > capacity {
        reject(&format!("the items weigh {}, more than {capacity}", sum(0)));
    }
    println!("{}", sum(1));
}
