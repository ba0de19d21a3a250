//! `judge site`: the journal's pages as a folder for any web host.

use judge_cli::{SiteArgs, SitePart};
use judge_journal::{HistoryFilter, JournalError};
use judge_problem::{Catalogue, Exit, counted};
use judge_report::{badge_svg, history_svg};
use judge_run::matching::real;
use judge_run::runner::Signals;
use judge_session::{Failure, GlobalArgs, Result, load, outputs, recorder};
use judge_ui::{SiteOptions, SiteParts};
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A file of every site, which identifies a folder as a site.
const MARKER: &str = "data/index.js";

/// Writes the site, the badge and the history.
pub(super) fn site(global: GlobalArgs<'_>, args: &SiteArgs) -> Result<Exit> {
    let catalogue = load::catalogue(global)?;
    // A link to a folder stays, and the folder that it leads to is replaced.
    let folder = args.folder.as_ref().map(|folder| real(folder));
    if let Some(folder) = &folder {
        check_folder(folder)?;
    }
    let pictures = [("the badge", &args.badge), ("the history", &args.history)];
    pictures.iter().try_for_each(|(what, path)| load::probe(what, path.as_deref()))?;
    outputs::refuse_two_in_one(pictures.into_iter().filter_map(|(what, path)| Some((what, path.as_deref()?))))?;
    if let Some(folder) = folder {
        write_site(catalogue.clone(), args, &folder)?;
    }
    // After the folder was replaced: they may be in it.
    if args.badge.is_some() || args.history.is_some() {
        write_pictures(&catalogue, args)?;
    }
    Ok(Exit::Success)
}

/// Writes the pages, and notes what they contain.
fn write_site(catalogue: Catalogue, args: &SiteArgs, folder: &Path) -> Result<()> {
    let has = |part| args.include.contains(&part) || args.include.contains(&SitePart::All);
    let parts =
        SiteParts { commands: has(SitePart::Commands), machine: has(SitePart::Machine), stderr: has(SitePart::Stderr) };
    let site = judge_ui::site(catalogue, SiteOptions { runs: &args.runs, parts, games: args.games })?;
    write_folder(folder, &site.files)?;
    let bytes: usize = site.files.iter().map(|(_, file)| file.len()).sum();
    let (shown, left_out) = site.games;
    let (runs, games) = (counted(site.runs, "run"), counted(shown, "game"));
    judge_report::note(&format!("{}: {runs}, {games}, {} kB", folder.display(), bytes.div_ceil(1000)));
    if site.left_out > 0 {
        let runs = counted(site.left_out, "run");
        judge_report::note(&format!("{runs} left out: the catalogue no longer has the problem"));
    }
    if left_out > 0 {
        judge_report::note(&format!(
            "{} left out, the best of each case last; --games {}MB takes more",
            counted(left_out, "game"),
            4 * args.games.0.div_ceil(1_000_000)
        ));
    }
    Ok(())
}

fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none())
}

/// Fails if the folder exists and is neither empty nor a site.
fn check_folder(folder: &Path) -> Result<()> {
    let unreadable = |error: io::Error| load::unwritable("the site", folder, &error);
    let here = std::env::current_dir().and_then(|here| here.canonicalize());
    if here.is_ok_and(|here| folder.canonicalize().is_ok_and(|real| here.starts_with(real))) {
        let error = format!("{} is the folder that you are in, and a site replaces its folder", folder.display());
        return Err(Failure::usage(error).with_hint("judge site public"));
    }
    match fs::read_dir(folder) {
        Ok(_) if is_empty(folder) || folder.join(MARKER).is_file() => Ok(()),
        Ok(_) => Err(Failure::usage(format!("{} is neither empty nor a site of `judge site`", folder.display()))
            .with_hint("name another folder: the files in this one would be lost")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => beside(folder).map(drop).map_err(unreadable),
        Err(error) => Err(unreadable(error)),
    }
}

/// Makes a temporary folder next to a folder.
fn beside(folder: &Path) -> io::Result<TempDir> {
    let whole = std::path::absolute(folder)?;
    tempfile::Builder::new().prefix(".judge-").tempdir_in(whole.parent().unwrap_or(Path::new("/")))
}

/// Writes a complete folder, and replaces the old one by it. Signals are caught from now on.
fn write_folder(folder: &Path, files: &[(String, Vec<u8>)]) -> Result<()> {
    // A signal would leave the temporary folder, and the old site in it.
    let _caught = Signals::install().map_err(Failure::fault)?;
    let written = || -> io::Result<()> {
        let made = beside(folder)?;
        let site: PathBuf = made.path().join("site");
        fs::create_dir_all(site.join("data"))?;
        for (name, bytes) in files {
            fs::write(site.join(name), bytes)?;
        }
        fs::set_permissions(&site, fs::Permissions::from_mode(0o755))?;
        let old = made.path().join("old");
        match fs::rename(folder, &old) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        fs::rename(&site, folder).inspect_err(|_| {
            let _ = fs::rename(&old, folder);
        })
    };
    written().map_err(|error| load::unwritable("the site", folder, &error))
}

/// Writes the badge and the history of the problem of the newest of the runs.
fn write_pictures(catalogue: &Catalogue, args: &SiteArgs) -> Result<()> {
    let journal = recorder::open_to_read(catalogue)?;
    let chosen = args.runs.iter().map(|run| journal.choose(*run)).collect::<Result<Vec<_>, _>>()?;
    let mut rows = journal.history(&HistoryFilter::default())?;
    rows.retain(|row| chosen.is_empty() || chosen.contains(&row.run));
    if let Some(missing) = chosen.iter().find(|run| !rows.iter().any(|row| row.run == **run)) {
        return Err(JournalError::NoRun(*missing).into());
    }
    let Some(problem) = rows.first().map(|row| row.problem.clone()) else {
        return Err(Failure::usage("the journal has no run to show").with_hint("`judge run -p ID` records one"));
    };
    rows.retain(|row| row.problem == problem);
    if let Some(path) = &args.badge {
        load::write("the badge", path, badge_svg(&rows).as_bytes())?;
    }
    if let Some(path) = &args.history {
        load::write("the history", path, history_svg(&rows).as_bytes())?;
    }
    Ok(())
}
