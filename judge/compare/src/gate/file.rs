//! The baseline file: small, sorted, one line for each case, suited to `git diff`.

use super::baseline::{Baseline, BaselineCase, CaseResult, Conditions, Sample};
use checkers::Score;
use judge_problem::scoring::{decimals_of_digits, display};
use judge_problem::{CaseSource, GeneratorCall, InvalidText, Percent, Time, Verdict, as_text, beginning, is_hidden};
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::collections::BTreeMap;
use std::fmt::{Display, Write as _};
use std::path::PathBuf;
use toml::{Spanned, Value};

/// Incremented when an older judge could misread a newer file. Version 1 had one run of each case.
const SCHEMA: u32 = 2;

/// The step for recorded shares of disturbed runs and of waiting time.
const SHARE_STEP: f64 = 0.1;

/// The number of decimals of a mean score, if it has six significant digits.
const MEAN_DECIMALS: u32 = 4;
/// The minimum number of significant digits of a mean score.
const MEAN_DIGITS: u32 = 6;
/// More runs of a case are a typing error. Sums of runs stay far below the largest number.
const MAX_RUNS: u32 = 1_000_000;
/// A smaller skewness counts as 0, because it comes from rounding errors.
const ROUNDING: f64 = 1e-9;
/// Scores with at most this many characters are written as numbers, longer ones in quotes.
const FLOAT_DIGITS: usize = 15;

const HEADER: &str = "# What a solver achieves, as `judge baseline` recorded it. `judge gate` holds a solver to it.\n";

/// The contents of a baseline file: a baseline, and the sources of its cases.
#[derive(Debug, Clone, PartialEq)]
pub struct BaselineFile {
    /// The solver as given: its path or command.
    pub solver: String,
    /// Its name. `None` if the file has none; then the name comes from the path.
    pub solver_name: Option<String>,
    /// The baseline.
    pub baseline: Baseline,
    /// The source of each case, by name. Files are relative to the folder of the baseline file.
    pub sources: BTreeMap<String, CaseSource>,
    /// The best known score of each case, including its own, by name. Empty under a rule without best scores.
    pub references: BTreeMap<String, Score>,
}

/// The maximum size of an error that shows its line.
const MAX_ERROR_BYTES: usize = 1000;

/// Returns a syntax error with its line, or with the number of a line that is too long.
fn shown(error: &toml::de::Error, text: &str) -> String {
    let whole = error.to_string();
    if whole.len() <= MAX_ERROR_BYTES {
        return whole;
    }
    let start = error.span().map_or(0, |span| span.start);
    let line = 1 + text.bytes().take(start).filter(|byte| *byte == b'\n').count();
    format!("line {line}: {}", beginning(error.message(), MAX_ERROR_BYTES / 4))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawRecord {
    schema: u32,
    problem: String,
    terms: String,
    checker: String,
    solver: String,
    solver_name: Option<String>,
    conditions: Option<RawConditions>,
    #[serde(default)]
    cases: BTreeMap<String, RawLine>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawConditions {
    processor: Option<String>,
    noisy: String,
    waited: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawLine {
    seed: Option<u64>,
    file: Option<PathBuf>,
    #[serde(default, with = "as_text::optional")]
    case: Option<GeneratorCall>,
    input: Option<String>,
    verdict: String,
    /// A number, or a text of digits if it needs more than 64 bits. All its digits count, so it is read from the file.
    score: Option<Spanned<IgnoredAny>>,
    /// The best known score.
    reference: Option<Spanned<IgnoredAny>>,
    /// The mean of a score that varied between runs. `spread` is its standard deviation.
    mean: Option<Spanned<IgnoredAny>>,
    spread: Option<Value>,
    /// The skewness, if there are at least three runs.
    #[serde(default)]
    skewness: f64,
    #[serde(default = "once")]
    runs: u32,
    tolerance: Option<String>,
    cpu: Option<String>,
    processor: Option<String>,
}

fn once() -> u32 {
    1
}

impl BaselineFile {
    /// Reads a baseline file.
    ///
    /// # Errors
    /// Returns what is wrong and where.
    pub fn parse(text: &str) -> Result<Self, InvalidText> {
        let raw: RawRecord = toml::from_str(text).map_err(|error| InvalidText(shown(&error, text)))?;
        if !(1..=SCHEMA).contains(&raw.schema) {
            let error = format!("unsupported schema version {} (newest supported: {SCHEMA})", raw.schema);
            return Err(InvalidText(error));
        }
        if raw.cases.is_empty() {
            return Err(InvalidText("it has no cases".to_owned()));
        }
        let (mut cases, mut sources, mut references) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        for (case, raw) in raw.cases {
            let (source, reference, entry) =
                line(raw, text).map_err(|what| InvalidText(format!("case `{case}`: {what}")))?;
            references.extend(reference.map(|reference| (case.clone(), reference)));
            sources.insert(case.clone(), source);
            cases.insert(case, entry);
        }
        let conditions = raw.conditions.map(conditions).transpose()?;
        let baseline = Baseline { problem: raw.problem, terms: raw.terms, checker: raw.checker, conditions, cases };
        Ok(Self { solver: raw.solver, solver_name: raw.solver_name, baseline, sources, references })
    }

    /// Returns the text of the file. Equal records give equal bytes.
    pub fn render(&self) -> String {
        let Baseline { problem, terms, checker, conditions, cases } = &self.baseline;
        let mut text = HEADER.to_owned();
        let keys = [("problem", problem), ("terms", terms), ("checker", checker), ("solver", &self.solver)];
        let _ = writeln!(text, "schema = {SCHEMA}");
        for (key, value) in keys.into_iter().chain(self.solver_name.as_ref().map(|name| ("solver-name", name))) {
            let _ = writeln!(text, "{key} = {}", quoted(value));
        }
        if let Some(conditions) = conditions {
            let _ = writeln!(text, "conditions = {{ {} }}", condition_fields(conditions).join(", "));
        }
        text.push_str("\n[cases]\n");
        for (case, entry) in cases {
            let reference = self.references.get(case).map(|reference| ("reference", digits(reference)));
            let fields: Vec<String> = fields(self.sources.get(case), entry)
                .into_iter()
                .chain(reference)
                .map(|(key, value)| format!("{key} = {value}"))
                .collect();
            let _ = writeln!(text, "{} = {{ {} }}", quoted(case), fields.join(", "));
        }
        text
    }
}

fn condition_fields(conditions: &Conditions) -> Vec<String> {
    let Conditions { processor, noisy, waited, .. } = conditions;
    // Rounded down, because smaller differences are chance and would appear in every diff.
    let share = |name: &str, share: f64| {
        let steps = (share / SHARE_STEP + 1e-9).floor();
        format!("{name} = \"{:.0}%\"", steps * SHARE_STEP * 100.0)
    };
    let processor = processor.iter().map(|processor| format!("processor = {}", quoted(processor)));
    processor.chain([share("noisy", *noisy), share("waited", *waited)]).collect()
}

fn conditions(RawConditions { processor, noisy, waited }: RawConditions) -> Result<Conditions, InvalidText> {
    let invalid = |what: String| InvalidText(format!("conditions: {what}"));
    let share = |text: String| {
        let share = text.parse::<Percent>().map_err(|error| invalid(error.to_string()))?.share();
        let is_share = share <= 1.0;
        is_share.then_some(share).ok_or_else(|| invalid(format!("`{text}` is more than 100%")))
    };
    Ok(Conditions { processor, runs: 0, noisy: share(noisy)?, waited: share(waited)? })
}

fn fields(source: Option<&CaseSource>, entry: &BaselineCase) -> Vec<(&'static str, String)> {
    let mut fields = Vec::new();
    match source {
        Some(CaseSource::Seed(seed)) => fields.push(("seed", seed.to_string())),
        Some(CaseSource::Made(call)) => fields.push(("case", quoted(&call.to_string()))),
        Some(CaseSource::File(path)) => fields.push(("file", quoted(&path.to_string_lossy()))),
        None => {}
    }
    fields.extend(entry.input.as_ref().map(|input| ("input", quoted(input))));
    match &entry.result {
        CaseResult::Accepted(sample) => {
            fields.push(("verdict", quoted(Verdict::Accepted.name())));
            fields.extend(score_fields(sample));
        }
        CaseResult::Failed(verdict) => fields.push(("verdict", quoted(verdict.name()))),
    }
    let tolerance = entry.tolerance.clone().map(|share| quoted(&Percent(share).to_string()));
    fields.extend(tolerance.map(|tolerance| ("tolerance", tolerance)));
    fields.extend(entry.cpu.map(|cpu| ("cpu", quoted(&Time(cpu).to_string()))));
    let processor = entry.processor.as_ref().filter(|_| entry.cpu.is_some());
    fields.extend(processor.map(|processor| ("processor", quoted(processor))));
    fields
}

fn score_fields(sample: &Sample) -> Vec<(&'static str, String)> {
    let mut fields = Vec::new();
    if let Some(score) = sample.constant() {
        fields.push(("score", digits(&score)));
    } else {
        let mean = display(sample.mean(), MEAN_DECIMALS.max(decimals_of_digits(sample.mean(), MEAN_DIGITS)));
        let mean = mean.trim_end_matches('0').trim_end_matches('.');
        fields.push(("mean", if mean.len() <= FLOAT_DIGITS { mean.to_owned() } else { quoted(mean) }));
        fields.push(("spread", shortened(sample.spread, 5)));
        fields.extend((sample.skewness().abs() > ROUNDING).then(|| ("skewness", shortened(sample.skewness(), 2))));
    }
    fields.extend((sample.runs > 1).then(|| ("runs", sample.runs.to_string())));
    fields
}

/// A score as a number of TOML, or as a text if it has too many digits.
fn digits(score: &Score) -> String {
    let digits = score.to_string();
    let is_small = digits.parse::<i64>().is_ok() || (score.decimals() > 0 && digits.len() <= FLOAT_DIGITS);
    if is_small { digits } else { quoted(&digits) }
}

/// A number with few decimals, because more would only make diffs longer.
fn shortened(number: f64, decimals: usize) -> String {
    Value::Float(format!("{number:.decimals$e}").parse().unwrap_or(number)).to_string()
}

/// A string of TOML in one line and in `"`, so that it can also be a key.
fn quoted(text: &str) -> String {
    let escaped = |c: char| match c {
        '"' | '\\' => format!("\\{c}"),
        c if is_hidden(c) => format!("\\U{:08x}", u32::from(c)),
        c => c.to_string(),
    };
    format!("\"{}\"", text.chars().map(escaped).collect::<String>())
}

/// Returns the error that a text is not a number of this kind.
fn no_number(expected: &str, found: impl Display) -> String {
    format!("`{found}` is not a {expected}")
}

/// Reads the line of a case: its source, the best known score, and its entry.
fn line(raw: RawLine, text: &str) -> Result<(CaseSource, Option<Score>, BaselineCase), String> {
    let written = |number: &Spanned<IgnoredAny>| text_of(number, text);
    let source = match (raw.seed, raw.file, raw.case) {
        (Some(seed), None, None) => CaseSource::Seed(seed),
        (None, Some(file), None) => CaseSource::File(file),
        (None, None, Some(call)) => CaseSource::Made(call),
        _ => return Err("it needs a seed or a file or a case, and only one of them".to_owned()),
    };
    let verdict = Verdict::from_name(&raw.verdict).ok_or_else(|| format!("unknown verdict `{}`", raw.verdict))?;
    let scores = (raw.score, raw.mean, raw.spread);
    let result = match (verdict, scores) {
        (Verdict::Accepted, (Some(score), None, None)) => {
            let mean = read_score(written(&score), "score")?.to_rational();
            CaseResult::Accepted(Sample::new(runs(raw.runs, 1)?, mean, 0.0))
        }
        (Verdict::Accepted, (None, Some(mean), Some(spread))) => {
            let (runs, mean) = (runs(raw.runs, 2)?, read_score(written(&mean), "mean score")?);
            let sample = Sample::new(runs, mean.to_rational(), deviation(&spread)?);
            if !raw.skewness.is_finite() {
                return Err(no_number("skewness", raw.skewness));
            }
            CaseResult::Accepted(sample.with_skewness(raw.skewness))
        }
        (Verdict::Accepted, _) => return Err("an accepted case needs a score, or a mean and a spread".to_owned()),
        (failed, (None, None, None)) => CaseResult::Failed(failed),
        _ => return Err("only an accepted case has a score".to_owned()),
    };
    let reference = raw.reference.as_ref().map(|number| read_score(written(number), "score")).transpose()?;
    let unit = |error: InvalidText| error.to_string();
    let tolerance = raw.tolerance.map(|text| text.parse::<Percent>()).transpose().map_err(unit)?;
    let cpu = raw.cpu.map(|text| text.parse::<Time>()).transpose().map_err(unit)?;
    let entry = BaselineCase {
        result,
        input: raw.input,
        cpu: cpu.map(|time| time.0),
        processor: raw.processor,
        tolerance: tolerance.map(|share| share.0),
    };
    Ok((source, reference, entry))
}

fn read_score(text: String, expected: &str) -> Result<Score, String> {
    text.parse().map_err(|_| no_number(expected, text))
}

/// Returns the digits of a number or of a text in quotes, as they stand in the file.
fn text_of(number: &Spanned<IgnoredAny>, file: &str) -> String {
    let written = file.get(number.span()).unwrap_or_default();
    match written.strip_prefix(['"', '\'']) {
        Some(quoted) => quoted.trim_end_matches(['"', '\'']).to_owned(),
        None => written.trim_start_matches('+').replace('_', ""),
    }
}

fn deviation(value: &Value) -> Result<f64, String> {
    let number = match value {
        Value::Integer(number) => *number as f64,
        Value::Float(number) => *number,
        _ => f64::NAN,
    };
    let is_deviation = number.is_finite() && number >= 0.0;
    is_deviation.then_some(number).ok_or_else(|| no_number("standard deviation", value))
}

fn runs(runs: u32, least: u32) -> Result<u32, String> {
    if runs < least {
        Err(format!("{runs} runs: at least {least} are needed"))
    } else if runs > MAX_RUNS {
        Err(format!("{runs} runs: at most {MAX_RUNS} can be recorded"))
    } else {
        Ok(runs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_rational::BigRational;
    use std::time::Duration;

    fn entry(result: CaseResult) -> BaselineCase {
        let input = Some("6437b3ac38".to_owned());
        BaselineCase { result, input, cpu: None, processor: None, tolerance: None }
    }

    fn cases() -> BTreeMap<String, BaselineCase> {
        let tolerance = "5%".parse::<Percent>().unwrap().0;
        let long: Score = "123456789012345678901234567890".parse().unwrap();
        let accepted = |score: Score| CaseResult::Accepted(score.into());
        let sample = |mean: &str, spread| Sample::new(5, mean.parse::<Score>().unwrap().to_rational(), spread);
        let noisy = |mean: &str, spread| CaseResult::Accepted(sample(mean, spread));
        let skewed = |mean: &str, spread, skewness| CaseResult::Accepted(sample(mean, spread).with_skewness(skewness));
        BTreeMap::from([
            ("seed-1".to_owned(), entry(accepted(141.into()))),
            ("seed-1-a".to_owned(), entry(accepted("-0.00025".parse().unwrap()))),
            ("seed-1-b".to_owned(), entry(accepted("12345678901234567890.125".parse().unwrap()))),
            ("seed-1-c".to_owned(), entry(noisy("0.0000123456", 0.000_001))),
            (
                "seed-2".to_owned(),
                BaselineCase {
                    cpu: Some(Duration::from_millis(12)),
                    processor: Some("EPYC \"9\"".to_owned()),
                    ..entry(accepted(long))
                },
            ),
            ("odd \"name\"".to_owned(), BaselineCase { tolerance: Some(tolerance), ..entry(accepted((-3).into())) }),
            ("seed-3".to_owned(), entry(CaseResult::Failed(Verdict::TimeLimit))),
            ("seed-4".to_owned(), entry(skewed("1012.4", 98.25, -1.5))),
            ("seed-5".to_owned(), entry(noisy("-123456789012345678901234567890.2", 1.5e27))),
            (
                "seed-6".to_owned(),
                entry(CaseResult::Accepted(Sample::new(2, BigRational::from_integer(7.into()), 0.0))),
            ),
        ])
    }

    fn record() -> BaselineFile {
        let cases = cases();
        let conditions =
            Some(Conditions { processor: Some("EPYC \"9\"".to_owned()), runs: 0, noisy: 0.3, waited: 0.1 });
        let baseline =
            Baseline { problem: "p".to_owned(), terms: "max".to_owned(), checker: "p 1".to_owned(), conditions, cases };
        let file = |path: &str| CaseSource::File(path.into());
        let sources = [
            CaseSource::Seed(1),
            CaseSource::Seed(11),
            CaseSource::Seed(12),
            CaseSource::Seed(13),
            CaseSource::Seed(2),
            file("data/odd.in"),
            CaseSource::Seed(u64::from(u32::MAX)),
            CaseSource::Seed(4),
            CaseSource::Seed(5),
            CaseSource::Seed(6),
        ];
        let names = [
            "seed-1",
            "seed-1-a",
            "seed-1-b",
            "seed-1-c",
            "seed-2",
            "odd \"name\"",
            "seed-3",
            "seed-4",
            "seed-5",
            "seed-6",
        ]
        .map(str::to_owned);
        let references = [("seed-1", "142"), ("seed-3", "0.5"), ("seed-4", "123456789012345678901234567890")];
        let references = references.map(|(case, score)| (case.to_owned(), score.parse().unwrap()));
        let sources = names.into_iter().zip(sources).collect();
        BaselineFile {
            solver: "./bot".to_owned(),
            solver_name: Some("bot".to_owned()),
            baseline,
            sources,
            references: references.into(),
        }
    }

    #[test]
    fn a_file_is_read_as_it_is_written() {
        let text = record().render();
        assert_eq!(BaselineFile::parse(&text).unwrap(), record());
        assert_eq!(BaselineFile::parse(&text).unwrap().render(), text);
        let cases: Vec<&str> = text.lines().skip_while(|line| *line != "[cases]").skip(1).collect();
        assert_eq!(cases.len(), 10);
        assert!(cases.is_sorted(), "{text}");
    }

    #[test]
    fn scores_keep_all_digits_in_every_spelling() {
        for score in
            ["10.00000000000000000001", "99999999999999999999", "\"10.00000000000000000001\"", "1_0", "+10", "1e1"]
        {
            let text = record().render().replacen("score = 141", &format!("score = {score}"), 1);
            let sample = BaselineFile::parse(&text).unwrap().baseline.cases["seed-1"].result.sample().cloned();
            let expected: Score = score.replace(['"', '_', '+'], "").parse().unwrap();
            assert_eq!(sample.and_then(|sample| sample.constant()), Some(expected), "{score}");
        }
    }

    #[test]
    fn a_file_of_version_1_has_one_run_of_each_case() {
        let text = record().render();
        let kept = text.lines().filter(|line| !line.contains("runs = ")).collect::<Vec<_>>().join("\n");
        let old = BaselineFile::parse(&kept.replacen("schema = 2", "schema = 1", 1)).unwrap();
        assert_eq!((old.baseline.runs(), old.baseline.is_noisy()), (Some((1, 1)), false));
        assert!(record().baseline.is_noisy());
        assert_eq!(record().baseline.runs(), Some((1, 5)));
    }

    #[test]
    fn names_with_every_quote_are_read_back() {
        let name = "c \"1'\\ \n";
        let mut odd = record();
        let (entry, source) = (odd.baseline.cases["seed-1"].clone(), odd.sources["seed-1"].clone());
        odd.baseline.cases.insert(name.to_owned(), entry);
        odd.sources.insert(name.to_owned(), source);
        odd.solver = "sh -c 'echo \"1\"'".to_owned();
        assert_eq!(BaselineFile::parse(&odd.render()).unwrap(), odd);
    }

    #[test]
    fn empty_and_overfull_files_are_refused() {
        let text = record().render();
        let (head, _) = text.split_once("[cases]\n").unwrap();
        assert!(BaselineFile::parse(head).unwrap_err().to_string().contains("no cases"));
        assert!(BaselineFile::parse(&format!("{head}[cases]\n")).is_err());
    }

    #[test]
    fn invalid_files_are_refused() {
        let text = record().render();
        for (from, to) in [
            ("schema = 2", "schema = 3"),
            ("schema = 2", "schema = 0"),
            ("mean = 1012.4", "mean = true"),
            ("mean = 1012.4", "score = 1012"),
            ("mean = 1012.4, ", ""),
            ("spread = 98.25", "spread = -1.0"),
            ("spread = 98.25", "spread = nan"),
            ("skewness = -1.5, runs = 5", "skewness = -1.5, runs = 1"),
            ("skewness = -1.5", "skewness = inf"),
            ("skewness = -1.5", "skewness = true"),
            ("score = 7, runs = 2", "score = 7, runs = 0"),
            ("score = 7, runs = 2", "score = 7, runs = 4294967295"),
            ("score = 141", "score = nan"),
            ("score = 141", "score = \"x\""),
            (", score = 141", ""),
            ("seed = 1,", ""),
            ("\"time-limit\"", "\"slow\""),
            ("reference = 142", "reference = true"),
            ("\"5%\"", "\"5\""),
            ("\"12ms\"", "\"12\""),
            ("solver = ", "solvers = "),
            ("noisy = \"30%\"", "noisy = \"101%\""),
            ("waited = \"10%\"", "waited = \"10\""),
        ] {
            assert!(text.contains(from), "{from}");
            assert!(BaselineFile::parse(&text.replacen(from, to, 1)).is_err(), "{from} -> {to}");
        }
    }
}
