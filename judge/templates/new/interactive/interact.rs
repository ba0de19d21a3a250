//! Converses with a solver, and writes its score or its fault to the report. A fault has exit code 1.
use std::io::{BufRead, Write, stdin, stdout};

fn main() {
    let names: Vec<String> = std::env::args().skip(1).collect();
    let end = |text: String, code: i32| -> ! {
        std::fs::write(&names[1], text).expect("a report that can be written");
        std::process::exit(code)
    };
    let input = std::fs::read_to_string(&names[0]).expect("a file that can be read");
    let numbers: Vec<u32> = input.split_whitespace().map(|word| word.parse().expect("a number")).collect();
    let (n, secret) = (numbers[0], numbers[1]);

    // The solver may have ended. This is noticed when its next guess is read.
    let say = |text: &str| drop(writeln!(stdout(), "{text}").and_then(|()| stdout().flush()));
    say(&n.to_string());
    let mut lines = stdin().lock();
    for guesses in 1..100 {
        let mut line = Vec::new();
        let _ = lines.read_until(b'\n', &mut line);
        let Ok(guess) = String::from_utf8_lossy(&line).trim().parse::<u32>() else {
            end(format!("guess {guesses}: expected a whole number"), 1)
        };
        if !(1..=n).contains(&guess) {
            end(format!("guess {guesses}: expected a number from 1 to {n}, found {guess}"), 1);
        }
        match secret.cmp(&guess) {
            std::cmp::Ordering::Less => say("lower"),
            std::cmp::Ordering::Greater => say("higher"),
            std::cmp::Ordering::Equal => {
                say("found");
                end((100 - guesses).to_string(), 0)
            }
        }
    }
    end("more than 99 guesses".to_owned(), 1);
}
