//! `judge merge`: the journals of shards become one run.

use judge_cli::MergeArgs;
use judge_journal::{Difference, Gap, Journal, MergeError, Merged};
use judge_problem::{CaseList, CaseName, Catalogue, Exit, Labels, Note, Origin, RunState, Shard, counted, quote};
use judge_report::{MergeReport, MergedOrigin, MergedRun, MissingPart, RefusedFile};
use judge_run::matching::{matching, real};
use judge_session::{Failure, GlobalArgs, RestoredRun, Result, case_selection, command_line, load, outputs, recorder};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Files that SQLite and the judge put next to a journal.
const COMPANIONS: [&str; 4] = ["-journal", "-lock", "-wal", "-shm"];

/// The number of commands that are shown for missing parts.
const COMMANDS: usize = 10;

/// Merges journals into one run, and reports the missing parts.
pub(super) fn merge(global: GlobalArgs<'_>, args: &MergeArgs) -> Result<Exit> {
    let catalogue = load::catalogue(global)?;
    let files = files(&args.files, &recorder::path(&catalogue))?;
    outputs::probe("the JSON report", args.json.as_deref())?;
    let refuse = |error: MergeError| match load::write_json(args.json.as_deref(), &refused(&error)) {
        Ok(()) => error.into(),
        Err(failure) => failure,
    };
    // This comes before the journal is made, so a merge that fails leaves nothing behind.
    judge_journal::check(&files).map_err(refuse)?;
    let is_new = !recorder::path(&catalogue).exists();
    let mut journal = recorder::open(&catalogue)?;
    let merged = match judge_journal::merge(&mut journal, &files, catalogue.retention) {
        Ok(merged) => merged,
        Err(error) => {
            let path = journal.path().to_owned();
            // Another judge may have recorded a run in it meanwhile.
            let is_empty = matches!(journal.newest(), Ok(None));
            drop(journal);
            if is_new && is_empty {
                let _ = std::fs::remove_file(path);
            }
            return Err(refuse(error));
        }
    };
    if merged.is_whole() && (merged.added > 0 || !merged.has_totals) {
        sum_up(&mut journal, &catalogue, &merged)?;
    }
    let missing = missing_cases(&journal, &catalogue, &merged)?;
    let gaps = merged.gaps(missing.as_deref());
    let report = report_of(&merged, &gaps, missing, &files);
    outputs::publish_document(args.json.as_deref(), &report, |_| text(&merged, &gaps, &files))?;
    note_left_out(&merged);
    Ok(Exit::Success)
}

/// Says which tags and notes of the parts the merged run has no room for.
fn note_left_out(merged: &Merged) {
    let (tags, chars) = (Labels::MAX_TAGS, Note::MAX_CHARS);
    for (file, labels) in &merged.left_out {
        let names = labels.tags.iter().map(|tag| format!("the tag {tag}"));
        let what: Vec<String> = names.chain(labels.note.as_ref().map(|_| "the note".to_owned())).collect();
        let (run, file, what) = (merged.run, file.display(), what.join(", "));
        judge_report::note(&format!(
            "run {run} has room for {tags} tags and a note of {chars} characters; left out of {file}: {what}"
        ));
    }
}

/// Returns the cases without all results, from the recorded command; `None` if the catalogue here has other cases.
fn missing_cases(journal: &Journal, catalogue: &Catalogue, merged: &Merged) -> Result<Option<Vec<CaseName>>> {
    if merged.is_whole() {
        return Ok(Some(Vec::new()));
    }
    let Some(cases) = recorded_cases(catalogue, merged) else { return Ok(None) };
    let places = journal.missing_places(merged)?;
    Ok(Some(places.into_iter().map(|place| cases.at(place).name).collect()))
}

/// Returns the cases of the command that was recorded. No program is run for them.
fn recorded_cases(catalogue: &Catalogue, merged: &Merged) -> Option<CaseList> {
    let args = command_line::recorded_run(&merged.origins.first()?.command)?;
    let problem = catalogue.find(&merged.problem).ok().filter(|_| args.cases.condition.is_none())?;
    let cases = case_selection::choose(problem, &args.cases, None, args.repeat).ok()?.cases;
    (cases.len() == merged.planned).then_some(cases)
}

fn refused(error: &MergeError) -> MergeReport {
    let refused = |file: &Path, reason: String| RefusedFile { file: file.display().to_string(), reason };
    let files = match error {
        MergeError::Unusable(files) => files.iter().map(|file| refused(&file.path, file.to_string())).collect(),
        MergeError::Different(groups) => {
            let of_group = |group: &Difference| {
                let reason = format!("it does not belong with {}: {}", group.most.display(), group.what);
                group.files.iter().map(|file| refused(file, reason.clone())).collect::<Vec<_>>()
            };
            groups.iter().flat_map(of_group).collect()
        }
        MergeError::Target(_) => Vec::new(),
    };
    MergeReport { refused: files, ..MergeReport::default() }
}

fn report_of(merged: &Merged, gaps: &[Gap], missing: Option<Vec<CaseName>>, files: &[PathBuf]) -> MergeReport {
    let shown = |shard: Option<Shard>| shard.map(|shard| shard.to_string());
    let origin = |origin: &Origin| MergedOrigin {
        shard: shown(origin.shard),
        file: origin.file.display().to_string(),
        state: origin.state.name(),
        date: origin.started.clone(),
        results: origin.results,
        planned: origin.played * merged.solvers,
        machine: origin.machine.clone(),
        tier: origin.tier.name(),
    };
    let state = |gap: &Gap| match gap {
        Gap::Missing(_) => None,
        Gap::Unfinished(origin) => Some(origin.state.name()),
    };
    let part =
        |gap: &Gap| MissingPart { shard: shown(gap.shard()), state: state(gap), command: command(gap, merged, files) };
    MergeReport {
        run: Some(MergedRun {
            number: merged.run.0,
            problem: merged.problem.clone(),
            complete: merged.is_whole(),
            cases: merged.planned,
            solvers: merged.solvers,
            results: merged.results,
            added: merged.added,
        }),
        origins: merged.origins.iter().map(origin).collect(),
        missing: gaps.iter().map(part).collect(),
        missing_cases: missing.map(|cases| cases.iter().map(ToString::to_string).collect()),
        refused: Vec::new(),
    }
}

/// Returns the named journals, each once, without the target journal.
fn files(patterns: &[String], into: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for pattern in patterns {
        if !pattern.contains(['*', '?', '[']) {
            found.push(PathBuf::from(pattern));
            continue;
        }
        let matches = matching(Path::new(""), pattern)?;
        if matches.is_empty() {
            return Err(Failure::usage(format!("no file matches `{pattern}`")));
        }
        found.extend(matches);
    }
    let all: BTreeSet<PathBuf> = found.iter().map(|path| real(path)).collect();
    let into = real(into);
    let is_companion = |path: &Path| {
        let text = path.to_string_lossy();
        COMPANIONS.iter().any(|ending| text.strip_suffix(ending).is_some_and(|base| all.contains(Path::new(base))))
    };
    let mut seen = BTreeSet::new();
    found.retain(|path| {
        let real = real(path);
        real != into && !is_companion(&real) && seen.insert(real)
    });
    if found.is_empty() {
        return Err(Failure::usage(format!("{} is the journal that is merged into", into.display()))
            .with_hint("name the journals of the shards, or another one with --into"));
    }
    Ok(found)
}

/// Stores the totals of a complete run, by the rule of the catalogue. If the catalogue lacks the problem, there are
/// none.
fn sum_up(journal: &mut Journal, catalogue: &Catalogue, merged: &Merged) -> Result<()> {
    if catalogue.find(&merged.problem).is_err() {
        let what = format!("the catalogue has no problem `{}`, so that the run has no total", merged.problem);
        let hint = "`judge history show` and `judge rescore` need its catalogue: --problems FILE";
        judge_report::note_lines(&format!("{what}\nhint: {hint}"));
        return Ok(());
    }
    let stored = journal.stored_run(merged.run)?;
    let restored = RestoredRun::of(&stored, catalogue)?;
    let Ok(scored) = restored.score(None) else { return Ok(()) };
    Ok(journal.set_totals(merged.run, &restored.plan, &scored)?)
}

fn text(merged: &Merged, gaps: &[Gap], files: &[PathBuf]) -> String {
    let Merged { run, planned, solvers, results, added, origins, .. } = merged;
    let shards: BTreeSet<_> = origins.iter().filter_map(|origin| origin.shard).collect();
    let counts: BTreeSet<_> = shards.iter().map(|shard| shard.count()).collect();
    let parts = match counts.first() {
        Some(count) if counts.len() == 1 => format!("{} of {}", shards.len(), counted(*count as usize, "shard")),
        _ => counted(origins.len(), "run"),
    };
    let whole = if merged.is_whole() { ", complete" } else { "" };
    let all = counted(planned * solvers, if *solvers == 1 { "case" } else { "result" });
    let are = if *added == 1 { "is" } else { "are" };
    let mut lines = vec![format!("run {run}: {results} of {all}, {parts}{whole}; {added} {are} new")];
    lines.extend(machines(origins));
    lines.extend(gaps.iter().take(COMMANDS).map(|gap| gap_text(gap, merged, files)));
    if gaps.len() > COMMANDS {
        let rest: Vec<String> =
            gaps[COMMANDS..].iter().filter_map(Gap::shard).map(|shard| shard.number().to_string()).collect();
        lines.push(format!("and {} more: the shards {}", gaps.len() - COMMANDS, rest.join(", ")));
    }
    lines.join("\n")
}

fn machines(origins: &[Origin]) -> Option<String> {
    let models: BTreeSet<_> = origins.iter().map(|origin| &*origin.machine.cpu_model).collect();
    let tiers: BTreeSet<_> = origins.iter().map(|origin| origin.tier).collect();
    let models = (models.len() > 1).then(|| format!("{} processor models", models.len()));
    let tiers = (tiers.len() > 1).then(|| format!("{} tiers of the sandbox", tiers.len()));
    let differ: Vec<String> = models.into_iter().chain(tiers).collect();
    (!differ.is_empty()).then(|| format!("it was played on {}: `judge history show` has them", differ.join(" and ")))
}

/// Returns the command that runs the missing part; `None` while it is running.
fn command(gap: &Gap, merged: &Merged, files: &[PathBuf]) -> Option<String> {
    match gap {
        Gap::Missing(shard) => {
            let folder = files[0].parent().unwrap_or(Path::new(""));
            let file = folder.join(format!("shard-{}-of-{}.db", shard.number(), shard.count()));
            Some(command_line::of_shard(&merged.origins[0].command, Some(*shard), &file))
        }
        Gap::Unfinished(origin) if origin.state == RunState::Running => None,
        Gap::Unfinished(origin) => {
            let command = command_line::of_shard(&origin.command, origin.shard, &origin.file);
            Some(command_line::recorded_with_flag(&command, "--resume"))
        }
    }
}

/// Describes the missing part, with the command that runs it.
fn gap_text(gap: &Gap, merged: &Merged, files: &[PathBuf]) -> String {
    let command = command(gap, merged, files);
    match gap {
        Gap::Missing(shard) => format!("shard {shard} is missing: {}", command.unwrap_or_default()),
        Gap::Unfinished(origin) => {
            let name = origin.shard.map_or_else(|| "a run".to_owned(), |shard| format!("shard {shard}"));
            let (done, all) = (origin.results, origin.played * merged.solvers);
            let state = format!("{name} has {done} of {all}, and is {}", origin.state);
            let file = || format!("{state} in {}", quote(&origin.file.to_string_lossy()));
            command.map_or_else(file, |command| format!("{state}: {command}"))
        }
    }
}
