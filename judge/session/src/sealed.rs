//! Sealed cases. Only the number of failures and the best total so far are shown, so nobody can fit a solver to these
//! cases by repeated queries. [`judge_statistics::climbs`] decides which total is shown.
//!
//! Their seeds and the published results are in a file that no solver can read: `.judge/sealed-ID.toml`, or the one
//! that the command line names.

use crate::edited::ProgramsAtStart;
use crate::{Failure, MatchResult, Result, load, recorder, restored_run};
use checkers::Score;
use judge_problem::scoring::ExactSum;
use judge_problem::{
    Aggregate, CaseList, CaseSpec, Catalogue, Direction, JobId, Percent, Plan, Problem, SealedChoice, Seeds, Verdict,
    as_text, quote, quote_path,
};
use judge_report::SealedReport;
use judge_run::command::{checker_identity, generator_identity};
use judge_run::matching::real;
use judge_run::program;
use judge_sandbox::Sandbox;
use judge_statistics::{climbs, sum_error};
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};
use rustix::fs::{FlockOperation, flock};
use rustix::rand::{GetRandomFlags, getrandom};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// Seeds are drawn below this bound, which a signed integer of any language holds.
const SEED_BITS: u32 = 62;

/// Only the owner reads and writes the file.
const PRIVATE: u32 = 0o600;

const HEADER: &str =
    "# Sealed cases: seeds that no solver may know, and what was told of them. Keep this file to yourself.\n";

/// The file of sealed cases.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Record {
    /// The seeds, as `--seeds` takes them.
    seeds: String,
    /// A random name of this set of cases, which shows nothing about the seeds. A baseline has it, too.
    #[serde(default)]
    id: String,
    /// The problem that totals are of.
    problem: Option<String>,
    /// Its checker, generator and scoring. Totals of others cannot be compared.
    terms: Option<String>,
    /// The limits of the solvers. Totals under others cannot be compared.
    limits: Option<String>,
    /// The number of queries for a total.
    #[serde(default)]
    queries: u32,
    /// The best total that was shown.
    #[serde(default, with = "as_text::optional")]
    best: Option<BigRational>,
    /// The reference score of each case, under a rule that compares solvers: the scores of the first solver without a
    /// failure.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    reference: Vec<String>,
    /// The score on fresh cases, which is shown once.
    #[serde(rename = "final")]
    last: Option<FinalScore>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FinalScore {
    solver: String,
    failures: usize,
    #[serde(default, with = "as_text::optional")]
    total: Option<BigRational>,
}

/// The sealed cases of a problem.
pub struct SealedCases<'a> {
    problem: &'a Problem,
    path: PathBuf,
    terms: String,
    seeds: Seeds,
    /// The random name of this set of cases.
    id: String,
    /// Whether these are the fresh cases of the final score.
    is_final: bool,
    /// The programs of the plan that is played.
    programs: Option<ProgramsAtStart>,
}

impl<'a> SealedCases<'a> {
    /// Opens the sealed cases of a problem: from the file, or from the one next to the journal. Draws them if there is
    /// no such file, unless a baseline needs its own.
    ///
    /// # Errors
    /// The problem has no generator, the file belongs to another problem or is not the baseline's, or the sandbox does
    /// not hide it from solvers.
    pub fn open(
        catalogue: &Catalogue,
        problem: &'a Problem,
        file: Option<&Path>,
        sandbox: &Sandbox,
        baseline: Option<&SealedBaseline>,
    ) -> Result<Self> {
        if problem.generator.is_none() {
            let error = format!("sealed cases are made from seeds, and the problem `{}` has no generator", problem.id);
            return Err(Failure::usage(error).with_hint("add `generator-command` to the problem"));
        }
        if !sandbox.tier().has_namespaces() {
            let error =
                format!("tier `{}` does not keep sealed cases from solvers: they run as the same user", sandbox.tier());
            return Err(Failure::usage(error).with_hint("`judge doctor` shows what a stronger tier needs"));
        }
        let path = match file {
            None => recorder::folder(catalogue).join(format!("sealed-{}.toml", problem.id)),
            Some(file) => real_path(file)?,
        };
        let terms = terms(problem);
        if baseline.is_some() && !path.exists() {
            return Err(other_cases(&path, "is missing"));
        }
        let (seeds, id) = (Seeds::from_iter([]), String::new());
        let mut sealed = Self { problem, path, terms, seeds, id, is_final: false, programs: None };
        let record = sealed.change(|_| Ok(()))?;
        if baseline.is_some_and(|baseline| baseline.sealed_cases != record.id) {
            return Err(other_cases(&sealed.path, "has other sealed cases"));
        }
        sealed.id = record.id;
        let seeds: Seeds = record.seeds.parse().map_err(|_| sealed.bad(WRONG_SEEDS.to_owned()))?;
        // A case that counts twice makes the standard error too small.
        sealed.seeds = seeds.without_repetitions().0;
        if sealed.seeds.iter().nth(1).is_none() {
            return Err(sealed.bad("it needs at least two seeds".to_owned()));
        }
        Ok(sealed)
    }

    /// Replaces the cases by as many fresh ones, for the final score.
    ///
    /// # Errors
    /// The final score was shown already, or the rule compares solvers.
    pub fn for_the_final_score(mut self) -> Result<Self> {
        if self.compares_solvers() {
            let rule = &self.problem.scoring;
            let error =
                format!("--final has no total under the rule `{rule}`: no solver played the fresh cases before");
            return Err(Failure::usage(error).with_hint("judge compare plays two solvers on fresh seeds"));
        }
        if let Some(last) = self.change(|_| Ok(()))?.last {
            return Err(self.already_shown(&last));
        }
        let used = self.seeds.clone();
        let (count, mut fresh) = (used.iter().count(), BTreeSet::new());
        while fresh.len() < count {
            let seed = random_seed()?;
            if !used.contains(seed) {
                fresh.insert(seed);
            }
        }
        (self.seeds, self.is_final) = (fresh.into_iter().collect(), true);
        Ok(self)
    }

    /// Returns the error that the final score was shown already.
    fn already_shown(&self, FinalScore { solver, failures, total }: &FinalScore) -> Failure {
        let total = total.as_ref().map_or_else(|| "no total".to_owned(), judge_report::points_text);
        let error = format!("the final score was shown: {total} with {failures} failures, for `{solver}`");
        Failure::usage(error).with_hint(format!("new sealed cases: rm {}", quote_path(&self.path)))
    }

    /// Returns the cases.
    pub fn cases(&self) -> CaseList {
        self.seeds.iter().map(CaseSpec::from_seed).collect()
    }

    /// Counts a query before the plan is played, because an interrupted evaluation reveals information, too.
    ///
    /// # Errors
    /// The budget is spent, the limits have changed since earlier queries, or a solver of the plan could read the file.
    pub fn begin(&mut self, plan: &Plan) -> Result<()> {
        let programs = plan.solvers.iter().filter_map(|solver| solver.invocation.program().ok());
        let shown =
            programs.flat_map(|program| program.visible.iter().chain(&program.copied).chain(&program.runtime.visible));
        let is_shown = |path: &&PathBuf| self.path.starts_with(real(path)) && !program::is_in_journal(&self.path);
        if let Some(path) = shown.chain(plan.visible.iter().map(|visible| &visible.path)).find(is_shown) {
            let error = format!("solvers see {}, which has the sealed cases in it", path.display());
            return Err(Failure::usage(error).with_hint("keep them in another folder, or in the folder .judge"));
        }
        self.programs = Some(ProgramsAtStart::now(plan));
        let most = self.problem.sealed.unwrap_or_default().queries;
        let limits = plan.limits.to_string();
        self.change(|record| {
            let before = record.limits.get_or_insert_with(|| limits.clone());
            if *before != limits {
                let error = format!("totals under other limits cannot be compared: now {limits}, and before {before}");
                return Err(self.bad(error));
            }
            // The final score is of other cases, and is shown once, however many queries came before.
            if self.is_final {
                return Ok(());
            }
            if record.queries >= most {
                let error =
                    format!("the budget of {most} queries for the sealed cases of `{}` is spent", self.problem.id);
                // Rules that compare solvers have no final score. Under the other rules it is shown once.
                let (id, file) = (quote(&self.problem.id), quote_path(&self.path));
                let hint = match self.compares_solvers() || record.last.is_some() {
                    true => format!("new sealed cases: rm {file}"),
                    false => format!("once, the score on fresh cases: judge run -p {id} -s S --sealed {file} --final"),
                };
                return Err(Failure::usage(error).with_hint(hint));
            }
            record.queries += 1;
            Ok(())
        })?;
        Ok(())
    }

    /// Returns the part of a result that may be shown, for a plan of one solver that was played to its end.
    ///
    /// # Errors
    /// A program was edited meanwhile, the file cannot be changed, or another process has shown the final score.
    pub fn report(&self, played: &MatchResult, floor: Option<(&SealedBaseline, &Percent)>) -> Result<SealedReport> {
        if let Some(programs) = &self.programs {
            programs.refuse_edited("evaluation", "evaluate it again: only the query was counted")?;
        }
        let outcomes = || played.outcomes.of_solver(0).flatten();
        let failures = outcomes().filter(|outcome| outcome.verdict != Verdict::Accepted).count();
        let faults = outcomes().filter(|outcome| outcome.verdict == Verdict::JudgeError).count();
        let (mut holds, mut own) = (None, None);
        let record = self.change(|record| {
            let points = if faults == 0 { self.points(record, played)? } else { None };
            let total = points.as_ref().map(|points| self.total(points));
            own.clone_from(&total);
            holds = floor.map(|(baseline, max_drop)| {
                total.as_ref().is_some_and(|total| self.reaches(total, &baseline.sealed_total, max_drop))
            });
            if self.is_final {
                // Another process may have shown it meanwhile.
                if let Some(last) = &record.last {
                    return Err(self.already_shown(last));
                }
                let solver = played.plan.solvers[0].spec.name.clone();
                // A fault of the judge uses nothing up.
                record.last = (faults == 0).then_some(FinalScore { solver, failures, total });
                return Ok(());
            }
            if let (Some(points), Some(total)) = (points, total)
                && self.climbs(record.best.as_ref(), &total, &points)
            {
                record.best = Some(total);
            }
            Ok(())
        })?;
        let none = Percent(BigRational::zero());
        let is_best = own.as_ref().zip(record.best.as_ref()).is_some_and(|(own, best)| self.reaches(own, best, &none));
        let total = if self.is_final { own } else { record.best };
        let queries_left = self.problem.sealed.unwrap_or_default().queries.saturating_sub(record.queries);
        let (problem, cases) = (self.problem.id.clone(), self.seeds.iter().count());
        let (id, is_final) = (self.id.clone(), self.is_final);
        Ok(SealedReport { problem, id, cases, failures, faults, total, is_best, is_final, holds, queries_left })
    }

    /// Returns whether the points of a solver depend on another one's.
    fn compares_solvers(&self) -> bool {
        let rule = &self.problem.scoring;
        rule.has_reference() || rule.ranks_solvers()
    }

    /// Returns the number that the rule ranks by.
    fn total(&self, points: &[BigRational]) -> BigRational {
        let sum = points.iter().cloned().collect::<ExactSum>().value();
        match self.problem.scoring.aggregate() {
            Aggregate::Total => sum,
            Aggregate::Mean => sum / BigRational::from_integer(points.len().max(1).into()),
        }
    }

    /// Returns whether a total is so much better than the best one that it is shown.
    fn climbs(&self, best: Option<&BigRational>, total: &BigRational, points: &[BigRational]) -> bool {
        let unit = unit(points.iter().chain([total]).chain(best));
        // A number that is large if the total is good.
        let good = |value: &BigRational| {
            let value = (value / &unit).to_f64().unwrap_or_default();
            if self.direction() == Direction::Max { value } else { -value }
        };
        let Some(error) = sum_error(&points.iter().map(good).collect::<Vec<_>>()) else { return false };
        let error = match self.problem.scoring.aggregate() {
            Aggregate::Total => error,
            Aggregate::Mean => error / points.len() as f64,
        };
        climbs(best.map(good), good(total), error)
    }

    /// Returns whether more or fewer points are better.
    fn direction(&self) -> Direction {
        if self.problem.scoring.counts_raw_scores() { self.problem.direction } else { Direction::Max }
    }

    /// Returns whether a total is worse than a baseline's by at most this share.
    fn reaches(&self, total: &BigRational, baseline: &BigRational, max_drop: &Percent) -> bool {
        let drop = baseline.abs() * &max_drop.0;
        match self.direction() {
            Direction::Max => *total >= baseline - drop,
            Direction::Min => *total <= baseline + drop,
        }
    }

    /// Returns the points of each case by its weight. `None` if the solver has no total. Rules that compare solvers compare
    /// with the first solver without a failure, and a better score counts for more than the scale.
    fn points(&self, record: &mut Record, played: &MatchResult) -> Result<Option<Vec<BigRational>>> {
        if !self.compares_solvers() {
            let scored = restored_run::score(&played.plan, &played.outcomes, &[], None)?;
            let weights: Vec<BigRational> = scored.board.weights.iter().collect();
            let share = match self.problem.scoring.aggregate() {
                Aggregate::Total => BigRational::one(),
                Aggregate::Mean => weight_of_a_case(&weights),
            };
            let points = scored.board.standings[0].points.iter().zip(weights);
            let weighed = points.map(|(points, weight)| match weight.is_zero() {
                true => Some(weight),
                false => Some(points? * weight * &share),
            });
            return Ok(weighed.collect());
        }
        let count = played.plan.cases.len();
        let score = |case| played.outcomes.get(JobId { case, solver: 0 }).and_then(|outcome| outcome.score);
        let scores: Vec<Option<Score>> = (0..count).map(score).collect();
        if record.reference.is_empty() {
            let all: Option<Vec<String>> = scores.iter().map(|score| Some(score.as_ref()?.to_string())).collect();
            record.reference = all.unwrap_or_default();
        }
        let scale = BigRational::from_integer(self.problem.scoring.scale().cloned().unwrap_or_else(One::one));
        let reference: Vec<Score> = record.reference.iter().filter_map(|text| text.parse().ok()).collect();
        if reference.len() != count {
            return Ok(None);
        }
        let points = |(score, reference): (&Option<Score>, &Score)| match score {
            Some(score) => share(self.problem.direction, score, reference) * &scale,
            None => BigRational::zero(),
        };
        Ok(Some(scores.iter().zip(&reference).map(points).collect()))
    }

    /// Changes the file under a lock, and returns its new content. It is written only if the content changes.
    fn change(&self, change: impl FnOnce(&mut Record) -> Result<()>) -> Result<Record> {
        let unwritable = |error: io::Error| load::unwritable(WHAT, &self.path, &error);
        let folder = self.path.parent().unwrap_or(Path::new("/"));
        if program::is_in_journal(&self.path) {
            load::make_folder(folder)?;
        }
        let lock = File::open(folder).map_err(unwritable)?;
        flock(&lock, FlockOperation::LockExclusive).map_err(|error| unwritable(error.into()))?;
        let before = match load::open(&self.path).and_then(io::read_to_string) {
            Ok(text) => Some(text),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(self.bad(error.to_string())),
        };
        let mut record = self.record(before.as_deref())?;
        change(&mut record)?;
        let text = format!("{HEADER}{}", toml::to_string(&record).map_err(Failure::fault)?);
        if before.as_ref() == Some(&text) {
            return Ok(record);
        }
        let mut file = load::beside(&self.path, PRIVATE).map_err(unwritable)?;
        io::Write::write_all(&mut file, text.as_bytes()).map_err(unwritable)?;
        file.as_file().sync_all().map_err(unwritable)?;
        file.persist(&self.path).map_err(|error| unwritable(error.error))?;
        Ok(record)
    }

    /// Reads the text of the file, or draws the seeds of a new one.
    fn record(&self, text: Option<&str>) -> Result<Record> {
        let own = |named: &Option<String>, own: &str| named.as_deref().is_none_or(|named| named == own);
        let mut record: Record = match text {
            Some(text) => toml::from_str(text).map_err(|error| self.bad(without_content(text, &error)))?,
            None => {
                let SealedChoice { count, .. } = self.problem.sealed.unwrap_or_default();
                let seeds = (0..count).map(|_| random_seed()).collect::<Result<Seeds>>()?.to_string();
                Record { seeds, ..Record::default() }
            }
        };
        if record.id.is_empty() {
            record.id = format!("{:016x}", random_seed()?);
        }
        if !own(&record.problem, &self.problem.id) {
            return Err(self.bad(format!("they are of the problem `{}`", record.problem.unwrap_or_default())));
        }
        if !own(&record.terms, &self.terms) {
            let error = "the checker, the generator or the scoring has changed, and totals of both cannot be compared";
            return Err(self.bad(error.to_owned()));
        }
        record.problem.get_or_insert_with(|| self.problem.id.clone());
        record.terms.get_or_insert_with(|| self.terms.clone());
        Ok(record)
    }

    fn bad(&self, why: String) -> Failure {
        let error = format!("{} has no sealed cases of `{}`: {why}", self.path.display(), self.problem.id);
        // The user may have named a file with other content.
        let hint = if program::is_in_journal(&self.path) {
            format!("a missing file is drawn again: rm {}", quote_path(&self.path))
        } else {
            "--sealed FILE names another file, and makes it if it is missing".to_owned()
        };
        Failure::usage(error).with_hint(hint)
    }
}

/// The content of a sealed baseline of `judge baseline --sealed`: a total, and no data of any case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SealedBaseline {
    /// The problem's id.
    pub problem: String,
    /// The solver as given; empty for the problem's own.
    pub solver: String,
    /// The name of the set of sealed cases that the total is of.
    pub sealed_cases: String,
    /// The best total when it was recorded.
    #[serde(with = "as_text")]
    pub sealed_total: BigRational,
}

impl SealedBaseline {
    /// Reads a baseline file. `None` if its cases are not sealed.
    ///
    /// # Errors
    /// It has a sealed total, but is otherwise invalid.
    pub fn parse(file: &Path, text: &str) -> Result<Option<Self>> {
        match toml::from_str(text) {
            Ok(record) => Ok(Some(record)),
            Err(error) if text.lines().any(|line| line.starts_with("sealed-total")) => {
                Err(Failure::usage(format!("{} is not a baseline: {error}", file.display()))
                    .with_hint("judge baseline --sealed writes one"))
            }
            Err(_) => Ok(None),
        }
    }

    /// Returns the text of the file.
    ///
    /// # Errors
    /// It cannot be written as TOML.
    pub fn render(&self) -> Result<String> {
        let text = toml::to_string(self).map_err(Failure::fault)?;
        Ok(format!("# The total that `judge gate` holds a solver to, on sealed cases.\n{text}"))
    }
}

/// Why the seeds of a file cannot be read. The seeds themselves are in no message.
const WRONG_SEEDS: &str = "seeds: expected seeds such as \"3,17,90-120\"";

/// Returns the place of an error in the file, and what is wrong. Its lines have seeds, which no message shows.
fn without_content(text: &str, error: &toml::de::Error) -> String {
    let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    // A message with a digit may show a seed.
    let what = Some(error.message()).filter(|what| !what.contains(|c: char| c.is_ascii_digit()));
    let what = what.unwrap_or("it is not as expected");
    format!("line {line}: {what}; a file needs one line, such as seeds = \"3,17,90-120\"")
}

/// The file's name in messages.
const WHAT: &str = "the sealed cases";

/// Returns the path of a file of sealed cases without links and `..`, which would hide in which folder it is.
///
/// # Errors
/// Its folder does not exist.
pub fn real_path(file: &Path) -> Result<PathBuf> {
    let unwritable = |error: io::Error| load::unwritable(WHAT, file, &error);
    let path = std::path::absolute(file).map_err(unwritable)?;
    if let Ok(real) = path.canonicalize() {
        return Ok(real);
    }
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return Ok(path) };
    if program::is_in_journal(folder) {
        load::make_folder(folder)?;
    }
    Ok(folder.canonicalize().map_err(unwritable)?.join(name))
}

/// Returns the properties that scores and totals depend on, except the solver and its limits, as one line.
fn terms(problem: &Problem) -> String {
    let parameters =
        problem.generator_parameters.iter().map(|parameter| format!(" {}={}", parameter.name, parameter.domain));
    let scale = problem.scoring.scale().map(|scale| format!(" of {scale}"));
    let failure = problem.failure.as_ref().map(|score| format!(", failure {score}"));
    format!(
        "checker {}; generator {}{}; {} {}{}{}",
        checker_identity(&problem.checker),
        generator_identity(problem),
        parameters.collect::<String>(),
        problem.direction.name(),
        problem.scoring,
        scale.unwrap_or_default(),
        failure.unwrap_or_default(),
    )
}

/// Returns the error that a file does not have the cases of a baseline.
fn other_cases(path: &Path, why: &str) -> Failure {
    Failure::usage(format!("the baseline is of sealed cases in another file: {} {why}", path.display())).with_hint(
        "--sealed names a copy of the file that `judge baseline --sealed` used; or record the baseline again",
    )
}

/// Returns the number of cases divided by their weight. A mean divides by the number of cases afterwards.
fn weight_of_a_case(weights: &[BigRational]) -> BigRational {
    let all = weights.iter().cloned().collect::<ExactSum>().value();
    if all.is_zero() { all } else { BigRational::from_integer(weights.len().into()) / all }
}

/// Returns the share of a reference that a score reaches: above 1 if it is better, 0 if their signs differ.
fn share(direction: Direction, score: &Score, reference: &Score) -> BigRational {
    let (score, reference) = (score.to_rational(), reference.to_rational());
    if score == reference {
        return BigRational::one();
    }
    if !(&score * &reference).is_positive() {
        return BigRational::zero();
    }
    // The larger number is better, or the one that is closer to 0.
    let grows = score.is_positive() == (direction == Direction::Max);
    if grows { score / reference } else { reference / score }
}

/// Numbers up to this one have squares that are no overflow.
const MAX_PLAIN: f64 = 1e150;

/// Returns the unit in which numbers become floating point: 1, or the largest number if it is too large for that.
fn unit<'a>(numbers: impl Iterator<Item = &'a BigRational>) -> BigRational {
    let largest = numbers.map(Signed::abs).max();
    let is_plain = |number: &BigRational| number.to_f64().is_some_and(|number| number <= MAX_PLAIN);
    largest.filter(|number| !is_plain(number)).unwrap_or_else(One::one)
}

/// Returns a seed that cannot be guessed.
fn random_seed() -> Result<u64> {
    let mut bytes = [0; 8];
    getrandom(&mut bytes, GetRandomFlags::empty()).map_err(|error| Failure::fault(io::Error::from(error)))?;
    Ok(u64::from_ne_bytes(bytes) >> (u64::BITS - SEED_BITS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_may_be_more_than_its_reference() {
        let share = |direction, score: i64, reference: i64| {
            share(direction, &Score::from(score), &Score::from(reference)).to_f64().unwrap()
        };
        assert_eq!((share(Direction::Max, 150, 100), share(Direction::Min, 50, 100)), (1.5, 2.0));
        assert_eq!((share(Direction::Max, -50, -100), share(Direction::Min, -100, -50)), (2.0, 2.0));
        assert_eq!(
            (share(Direction::Max, 0, 100), share(Direction::Min, 0, 0), share(Direction::Max, -1, 1)),
            (0.0, 1.0, 0.0)
        );
    }

    #[test]
    fn seeds_are_drawn_and_differ() {
        let seeds: Vec<u64> = (0..10).map(|_| random_seed().unwrap()).collect();
        assert!(seeds.iter().all(|seed| *seed < 1 << SEED_BITS) && seeds.windows(2).any(|pair| pair[0] != pair[1]));
    }

    #[test]
    fn an_error_of_the_file_shows_no_seed() {
        for text in ["seeds = [31337]\n", "# own\nseeds = 31337-17\n", "seeds = \"31337,17\" x\n", "31337\n"] {
            let error = toml::from_str::<Record>(text).unwrap_err();
            let said = without_content(text, &error);
            assert!(said.starts_with("line ") && !said.contains("31337"), "{said}");
        }
    }
}
