//! The output of other programs: scores, answers that are compared, and results under each checker protocol.

use checkers::Score;
use judge_problem::verdict::{CallOutput, checker_protocol, compare_tokens};
use judge_problem::{
    CheckerProtocol, Kattis, MatchPlace, ProtocolName, Ruling, ScoreSearch, ScoreStream, Testlib, TokenRules,
};
use regex::bytes::Regex;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::sync::LazyLock;

/// The byte between the expected text and the one that is compared with it.
const BETWEEN: u8 = b'|';

/// A score is read back as it was written, a text is equal to itself as an answer, and every protocol gives some result
/// for any output.
///
/// # Panics
/// When one of these does not hold.
pub fn comparison(bytes: &[u8]) {
    let middle = bytes.iter().position(|byte| *byte == BETWEEN).unwrap_or(bytes.len());
    let (left, right) = (&bytes[..middle], bytes.get(middle + 1..).unwrap_or_default());
    if let Some(score) = std::str::from_utf8(left).ok().and_then(|text| text.parse::<Score>().ok()) {
        assert_eq!(score.to_string().parse(), Ok(score.clone()));
        assert_eq!(Score::from_rational(&score.to_rational()), Some(score));
    }
    let strict = TokenRules { case_sensitive: true, space_change_sensitive: true, ..TokenRules::default() };
    let tolerant = TokenRules { absolute: 0.5, relative: 1e-6, ..TokenRules::default() };
    for rules in [strict, tolerant, TokenRules::default()] {
        assert!(is_accepted(&compare_tokens(&rules, left, left)));
        let same = is_accepted(&compare_tokens(&strict, left, right));
        assert!(!same || is_accepted(&compare_tokens(&rules, left, right)), "{rules} is not stricter than all others");
    }
    every_protocol(left, right);
}

fn is_accepted(ruling: &Ruling) -> bool {
    matches!(ruling, Ruling::Accepted(_))
}

/// Every protocol; regular expressions take long to build.
static PROTOCOLS: LazyLock<Vec<CheckerProtocol>> = LazyLock::new(|| {
    let example = |name| match name {
        ProtocolName::Judge => CheckerProtocol::Judge,
        ProtocolName::Testlib => CheckerProtocol::Testlib(Testlib { xml: true }),
        ProtocolName::Kattis => CheckerProtocol::Kattis(Kattis { arguments: Vec::new(), passes: 2 }),
        ProtocolName::Regex => CheckerProtocol::Regex(ScoreSearch {
            score: Regex::new(r"(?m)^Score = (\S+)").expect("a regular expression"),
            place: MatchPlace::Last,
            stream: ScoreStream::Both,
            reject: Regex::new("error").ok(),
            reject_codes: vec![1],
        }),
    };
    ProtocolName::ALL.map(example).into()
});

fn every_protocol(stdout: &[u8], stderr: &[u8]) {
    let reports: Vec<Option<Vec<u8>>> =
        [stdout, stderr, stdout, stderr, stdout].iter().map(|bytes| Some(bytes.to_vec())).collect();
    for protocol in &*PROTOCOLS {
        for code in [0, 1, 3, 7, 42, 43] {
            let status = ExitStatus::from_raw(code << 8);
            let output = CallOutput { status, stdout, stderr, reports: &reports };
            let said = checker_protocol(protocol).ruling(&output);
            // A message is shown in tables and reports.
            assert!(said.map_or_else(|error| error.to_string(), |ruling| ruling.to_string()).len() < 200_000);
        }
    }
}
