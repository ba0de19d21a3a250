//! Any program as a checker: a regular expression finds the score that it prints. For example, AtCoder's `vis IN OUT`
//! prints `Score = N`, and a message before `Score = 0` if the answer breaks a rule.

use super::protocol::{CallOutput, Protocol, ProtocolError, is_metric, message, text};
use crate::{MatchPlace, Ruling, ScoreSearch, ScoreStream};
use checkers::Score;
use regex::bytes::{Captures, Regex};
use std::sync::LazyLock;

impl Protocol for ScoreSearch {
    fn ruling(&self, output: &CallOutput<'_>) -> Result<Ruling, ProtocolError> {
        let said = [output.stdout, output.stderr].map(without_colours);
        if let Some(why) = self.rejection(&said) {
            return Ok(Ruling::rejected(why));
        }
        if output.status.code().is_some_and(|code| self.reject_codes.contains(&code)) {
            let why = message(&[text(&said[1]), text(&said[0])].join("\n"));
            let why = if why.is_empty() { format!("the checker ended with {}", output.status) } else { why };
            return Ok(Ruling::rejected(why));
        }
        if output.status.code() != Some(0) {
            let expected = "0 gives a score; `reject-exit-codes` and `reject-regex` say what rejects";
            return Err(output.no_ruling(expected));
        }
        let mut found = self.streams(&said).iter().flat_map(|stream| self.score.captures_iter(stream));
        let found = match self.place {
            MatchPlace::First => found.next(),
            MatchPlace::Last => found.last(),
        };
        let no_score = |why: String| ProtocolError::no_score("what `score-regex` finds", why);
        let found = found.ok_or_else(|| {
            let printed = message(&[text(&said[0]), text(&said[1])].join("\n"));
            match &*printed {
                "" => no_score("it printed nothing".to_owned()),
                words => no_score(format!("nothing in what it printed: {words} (`reject-regex` says what rejects)")),
            }
        })?;
        let score = text(group_or_all(&found)).parse::<Score>().map_err(|error| no_score(error.to_string()))?;
        if score == Score::default() {
            let why = self.words_beside_scores(&said);
            if !why.is_empty() {
                return Ok(Ruling::rejected(why));
            }
        }
        Ok(Ruling::Accepted(score))
    }

    fn metrics_text(&self, output: &CallOutput<'_>) -> Vec<u8> {
        self.streams(&[output.stdout, output.stderr].map(without_colours)).join(&b'\n')
    }
}

impl ScoreSearch {
    /// Returns the streams that may have a score.
    fn streams<'a>(&self, said: &'a [Vec<u8>; 2]) -> &'a [Vec<u8>] {
        match self.stream {
            ScoreStream::Stdout => &said[..1],
            ScoreStream::Stderr => &said[1..],
            ScoreStream::Both => said,
        }
    }

    /// Returns the reason of a rejection, if the program printed one.
    fn rejection(&self, said: &[Vec<u8>; 2]) -> Option<String> {
        let pattern = self.reject.as_ref()?;
        said.iter().find_map(|stream| {
            let found = pattern.captures(stream)?;
            let line = line_of(stream, found.get(0)?.start());
            let words = [found.get(1).map(|group| group.as_bytes()), Some(line)].into_iter().flatten();
            let why = words.map(|words| message(&text(words))).find(|why| !why.is_empty());
            Some(why.unwrap_or_else(|| "wrong answer".to_owned()))
        })
    }

    /// Returns the lines without a score or a metric as one message.
    fn words_beside_scores(&self, said: &[Vec<u8>; 2]) -> String {
        let lines = said.iter().flat_map(|stream| stream.split(|byte| *byte == b'\n'));
        let lines = lines.filter(|line| !self.score.is_match(line)).map(text);
        let lines: Vec<String> = lines.filter(|line| !is_metric(line)).collect();
        message(&lines.join("\n"))
    }
}

fn group_or_all<'a>(found: &Captures<'a>) -> &'a [u8] {
    found.get(1).or_else(|| found.get(0)).map_or(&[], |group| group.as_bytes())
}

/// Returns the line that contains a position.
fn line_of(text: &[u8], place: usize) -> &[u8] {
    let start = text[..place].iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
    let length = text[start..].iter().position(|byte| *byte == b'\n').unwrap_or(text.len() - start);
    &text[start..start + length]
}

/// Returns a text without terminal colour sequences.
fn without_colours(bytes: &[u8]) -> Vec<u8> {
    static SEQUENCE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?s-u)\x1b\[[^@-~]*[@-~]?").expect("it is valid"));
    SEQUENCE.replace_all(bytes, &b""[..]).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;

    fn search() -> ScoreSearch {
        ScoreSearch {
            score: Regex::new(r"(?m)^Score = (\S+)$").unwrap(),
            place: MatchPlace::First,
            stream: ScoreStream::Both,
            reject: None,
            reject_codes: Vec::new(),
        }
    }

    fn said(search: &ScoreSearch, code: i32, stdout: &str, stderr: &str) -> Result<String, String> {
        let status = ExitStatus::from_raw(code << 8);
        let (stdout, stderr) = (stdout.as_bytes(), stderr.as_bytes());
        let ruling = search.ruling(&CallOutput { status, stdout, stderr, reports: &[] });
        ruling.map(|ruling| ruling.to_string()).map_err(|error| error.to_string())
    }

    #[test]
    fn the_score_is_what_the_expression_finds() {
        let first = search();
        let last = ScoreSearch { place: MatchPlace::Last, ..search() };
        let stderr = ScoreSearch { stream: ScoreStream::Stderr, ..search() };
        let stdout = ScoreSearch { stream: ScoreStream::Stdout, ..search() };
        let two = "Score = 5\nnoise\nScore = -2.50\n";
        assert_eq!(said(&first, 0, two, "").unwrap(), "accepted 5");
        assert_eq!(said(&last, 0, two, "").unwrap(), "accepted -2.5");
        assert_eq!(said(&first, 0, "", two).unwrap(), "accepted 5");
        assert_eq!(said(&stderr, 0, "Score = 1\n", two).unwrap(), "accepted 5");
        assert_eq!(said(&stdout, 0, "Score = 1\n", two).unwrap(), "accepted 1");
        assert_eq!(said(&first, 0, "\x1b[32mScore = 7\x1b[0m\n", "").unwrap(), "accepted 7");
        let whole = ScoreSearch { score: Regex::new(r"\d+").unwrap(), ..search() };
        assert_eq!(said(&whole, 0, "12 points", "").unwrap(), "accepted 12");
        assert!(said(&stdout, 0, "x", two).unwrap_err().contains("is not a score: nothing in what it printed: x;"));
        assert!(said(&first, 0, "Score = high\n", "").unwrap_err().contains("found `high`"));
    }

    #[test]
    fn a_message_and_no_points_reject() {
        let vis = search();
        assert_eq!(said(&vis, 0, "Score = 0\n", "").unwrap(), "accepted 0");
        assert_eq!(said(&vis, 0, "Score = 0\n", "Illegal output: N\n").unwrap(), "rejected answer: Illegal output: N");
        assert_eq!(
            said(&vis, 0, "(3, 4) is used twice\nScore = 0\n", "").unwrap(),
            "rejected answer: (3, 4) is used twice"
        );
        assert_eq!(said(&vis, 0, "note\nScore = 1\n", "").unwrap(), "accepted 1");
    }

    #[test]
    fn lines_and_exit_codes_reject_as_the_catalogue_says() {
        let lines = ScoreSearch { reject: Some(Regex::new("(?i)error").unwrap()), ..search() };
        assert_eq!(said(&lines, 1, "a\nan Error here\nb", "").unwrap(), "rejected answer: an Error here");
        let grouped = ScoreSearch { reject: Some(Regex::new("error: (.*)").unwrap()), ..search() };
        assert_eq!(said(&grouped, 0, "Score = 5\n", "error: too far\n").unwrap(), "rejected answer: too far");
        assert_eq!(said(&grouped, 0, "", "an error: \n").unwrap(), "rejected answer: an error:");
        let blank = ScoreSearch { reject: Some(Regex::new("\n\n").unwrap()), ..search() };
        assert_eq!(said(&blank, 0, "\n\n", "").unwrap(), "rejected answer: wrong answer");
        let codes = ScoreSearch { reject_codes: vec![1, 101], ..search() };
        assert_eq!(said(&codes, 101, "Score = 5\n", "bad move\n").unwrap(), "rejected answer: bad move; Score = 5");
        assert_eq!(said(&codes, 1, "", "").unwrap(), "rejected answer: the checker ended with exit status: 1");
        assert!(said(&codes, 2, "Score = 5\n", "oh").unwrap_err().starts_with("ended with exit status: 2"));
    }
}
