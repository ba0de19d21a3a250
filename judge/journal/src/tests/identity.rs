//! After any sequence of edits, kills, continuations, shards and merges, no run has results of two identities, and no
//! finished result is overwritten.
//!
//! The model: the note of a result lists everything that the result depends on. The results of a run have one identity
//! if one world explains every note.

use super::*;
use judge_problem::{CaseName, CaseSpec, CommandTemplate, GeneratorChoice, Shard};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// All that results depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct World {
    /// The generator's command: 1 makes the same inputs as 0, 2 other inputs from seed 3 on, 3 other inputs for all
    /// seeds.
    generator: u8,
    /// Data that the generator reads, which no label shows.
    data: u8,
    file: u8,
    checker: u8,
    solver: u8,
    limit: u8,
    environment: u8,
    seeds: u8,
    /// The processor.
    machine: u8,
}

const FIRST: World =
    World { generator: 0, data: 0, file: 0, checker: 0, solver: 0, limit: 0, environment: 0, seeds: 4, machine: 0 };

impl World {
    fn edit(&mut self, field: usize, value: u8) {
        match field {
            0 => self.generator = value,
            1 => self.data = value % 2,
            2 => self.file = value % 2,
            3 => self.checker = value % 2,
            4 => self.solver = value % 2,
            5 => self.limit = value % 2,
            6 => self.environment = value % 2,
            7 => self.seeds = 4 + value % 2,
            _ => self.machine = value % 2,
        }
    }

    /// The input of a case.
    fn input(&self, case: &CaseSpec) -> String {
        match case.source {
            CaseSource::File(_) | CaseSource::Made(_) => format!("file {}", self.file),
            CaseSource::Seed(seed) => {
                let kind = match self.generator {
                    2 if seed >= 3 => 2,
                    3 => 3,
                    _ => 0,
                };
                format!("seed {seed} {kind} {}", self.data)
            }
        }
    }

    /// The note of a result, without the machine.
    fn result(&self, case: &CaseSpec) -> String {
        let Self { checker, solver, limit, environment, .. } = self;
        format!("{} | {checker} {solver} {limit} {environment}", self.input(case))
    }

    /// The same world as far as a run is concerned: on any machine.
    fn of_run(self) -> Self {
        Self { machine: 0, ..self }
    }
}

/// Every world that may explain the results of one run.
fn worlds() -> impl Iterator<Item = World> {
    let bits = 0..1_u32 << 6;
    (0..4).flat_map(move |generator| {
        bits.clone().map(move |bits| {
            let bit = |number: u32| (bits >> number & 1) as u8;
            World {
                generator,
                data: bit(0),
                file: bit(1),
                checker: bit(2),
                solver: bit(3),
                limit: bit(4),
                environment: bit(5),
                ..FIRST
            }
        })
    })
}

#[derive(Debug, Clone)]
enum Step {
    Edit {
        field: usize,
        value: u8,
    },
    /// Plays until this many cases were run, and is then killed. One of them may fail through the judge's fault.
    Play {
        journal: usize,
        most: usize,
        resume: bool,
        reuse: bool,
        fault: Option<usize>,
    },
    Merge {
        files: Vec<usize>,
    },
}

/// Mostly edits of inputs, and runs that are killed and continued, because only combinations find errors.
fn steps() -> impl Strategy<Value = Vec<Step>> {
    let field = prop_oneof![3 => 0..3_usize, 1 => 3..9_usize];
    let edit = (field, 0..4_u8).prop_map(|(field, value)| Step::Edit { field, value });
    let journal = prop_oneof![2 => Just(0_usize), 1 => 1..3_usize];
    let fault = prop::option::weighted(0.2, 0..6_usize);
    let play = (journal, 0..5_usize, prop::bool::weighted(0.8), prop::bool::weighted(0.3), fault)
        .prop_map(|(journal, most, resume, reuse, fault)| Step::Play { journal, most, resume, reuse, fault });
    let merge = prop::collection::vec(1..3_usize, 1..4).prop_map(|files| Step::Merge { files });
    prop::collection::vec(prop_oneof![3 => edit, 5 => play, 1 => merge], 1..32)
}

/// The journals: 0 of complete runs, 1 and 2 of the two shards; and the merged one.
struct Scene {
    bench: Bench,
    world: World,
    /// By journal: the world of its newest run.
    newest: BTreeMap<usize, World>,
    /// By journal, run and place: the note and the machine of each finished result.
    finished: BTreeMap<(usize, i64, i64), String>,
}

impl Scene {
    fn new() -> Self {
        let scene = Self {
            bench: Bench::new(&["bot"], 1..=1),
            world: FIRST,
            newest: BTreeMap::new(),
            finished: BTreeMap::new(),
        };
        std::fs::write(scene.input_file(), "").unwrap();
        scene
    }

    fn input_file(&self) -> PathBuf {
        self.bench.folder.path().join("f.in")
    }

    fn folder(&self, journal: usize) -> PathBuf {
        self.bench.folder.path().join(journal.to_string())
    }

    fn file(&self, journal: usize) -> PathBuf {
        Journal::path_in(&self.folder(journal))
    }

    /// Updates the plan to the state of the world.
    fn show_world(&mut self) {
        let world = self.world;
        let file = CaseSpec::new(CaseName::from("f"), CaseSource::File(self.input_file()));
        std::fs::write(self.input_file(), world.input(&file)).unwrap();
        let plan = &mut self.bench.plan;
        plan.cases = (1..=u64::from(world.seeds)).map(CaseSpec::from_seed).chain([file]).collect();
        plan.limits.processes = 8 + u32::from(world.limit);
        plan.environment = vec![("A".to_owned(), world.environment.to_string())];
        // A setter's generator is checked by running it again. A built-in one is identified by its version.
        plan.problem.generator = Some(GeneratorChoice::Command(CommandTemplate {
            line: format!("generator-{} {{seed}}", world.generator),
            folder: "/".into(),
            trusted: false,
            ..CommandTemplate::default()
        }));
        self.bench.generator = format!("generator-{}", world.generator);
        self.bench.checker.version = world.checker.into();
        self.bench.hashes = vec![Digest::of(&[world.solver])];
        self.bench.surroundings.machine.cpu_model = format!("cpu {}", world.machine);
    }

    fn play(&mut self, journal: usize, most: usize, resume: bool, reuse: bool, fault: Option<usize>) {
        self.show_world();
        let (bench, world) = (&self.bench, self.world);
        let shard = (journal > 0).then(|| Shard::new(journal as u32, 2).unwrap());
        let (plan, part) = match shard {
            Some(shard) => {
                let (plan, places) = bench.plan.shard(shard);
                (plan, Part { cases: CasePlaces::At(places), ..Part::whole(&bench.plan) })
            }
            None => (bench.plan.clone(), Part::whole(&bench.plan)),
        };
        let hash = |case: &CaseSpec| Digest::of(world.input(case).as_bytes());
        let hashes = |cases: &[CaseSpec]| cases.iter().map(|case| Some(hash(case))).collect();
        let probe = Some(hash(&CaseSpec::from_seed(1)));
        let record = RunRecord { shard, played: plan.cases.len(), probe, ..bench.record() };
        let open = Journal::open(&self.folder(journal)).unwrap();
        let (mut recording, mut known) = if resume {
            match Recording::resume(open, &record, &hashes).unwrap() {
                Resumption::Found(recording, known) | Resumption::Elsewhere(recording, known) => (*recording, known),
                Resumption::Nothing(journal, _) => begin(journal, &record),
            }
        } else {
            begin(open, &record)
        };
        if reuse {
            recording.add_earlier(0, &mut known).unwrap();
        }
        recording.commit_start().unwrap();
        recording.part = part.clone();
        self.newest.insert(journal, world);
        let mut run = 0;
        for (case, spec) in plan.cases.iter().enumerate() {
            let job = JobId { case, solver: 0 };
            let place = part.place(job);
            if known.kept(place).is_none() && known.lookup(place, &hash(&spec)).is_none() {
                if run == most {
                    return;
                }
                run += 1;
            }
            recording.append(&[self.outcome(job, place, &spec, &known, fault == Some(run))]).unwrap();
        }
        close(recording, None, None);
    }

    /// The outcome of a job: the earlier one, if it is known.
    fn outcome(&self, job: JobId, place: JobId, case: &CaseSpec, known: &Known, fault: bool) -> FinishedJob {
        let input = Digest::of(self.world.input(case).as_bytes());
        let kept = known.kept(place);
        let (stored, hash) = match &kept {
            Some((kept, hash)) => (Some(kept.clone()), *hash),
            None => (known.lookup(place, &input), input),
        };
        assert_eq!(hash, input, "what is kept is on today's input");
        let outcome = match &stored {
            Some(stored) => {
                assert_eq!(
                    stored.outcome.note,
                    self.world.result(case),
                    "what is taken is what would come of it today"
                );
                stored.outcome.clone()
            }
            None if fault => Outcome::without_run(Verdict::JudgeError, "fault".to_owned()),
            None => Outcome {
                score: Some(Score::from(1)),
                wall: Some(Duration::from_micros(self.world.machine.into())),
                ..Outcome::without_run(Verdict::Accepted, self.world.result(case))
            },
        };
        let stored = stored.map(|known| known.stored);
        FinishedJob {
            job,
            outcome,
            features: None,
            evidence: Box::new(Evidence { input: Some(input), answer: None, stored, ..Evidence::default() }),
        }
    }

    /// Merges, and checks that the result matches the worlds of the files.
    fn merge(&self, files: &[usize]) {
        let there: BTreeSet<usize> = files.iter().copied().filter(|file| self.newest.contains_key(file)).collect();
        if there.is_empty() {
            return;
        }
        let paths: Vec<PathBuf> = there.iter().map(|file| self.file(*file)).collect();
        let worlds: BTreeSet<String> = there.iter().map(|file| format!("{:?}", self.newest[file].of_run())).collect();
        let mut into = Journal::open(&self.folder(9)).unwrap();
        match merge(&mut into, &paths, Retention::All) {
            Ok(_) => assert_eq!(worlds.len(), 1, "a mixture was merged"),
            Err(MergeError::Different(differences)) => {
                assert!(worlds.len() > 1, "what belongs together was refused: {differences:?}");
            }
            Err(error) => panic!("{error}"),
        }
    }

    /// Checks every journal, and records which results are finished now.
    fn check(&mut self) {
        for journal in [0, 1, 2, 9] {
            let Some(open) = Journal::open_to_read(&self.folder(journal)).unwrap() else { continue };
            let sql = "SELECT entrant.run, result.place, verdict, note, wall_us, game_case.name, seed, file FROM result
                 JOIN entrant ON entrant.id = entrant JOIN game_case ON game_case.id = game_case";
            let mut statement = open.connection.prepare(sql).unwrap();
            let mut rows = statement.query([]).unwrap();
            let mut runs: BTreeMap<i64, Vec<(CaseSpec, String)>> = BTreeMap::new();
            while let Some(row) = rows.next().unwrap() {
                let text = |column| row.get::<_, Option<String>>(column).unwrap().unwrap_or_default();
                if text(2) == "judge-error" {
                    continue;
                }
                let source = match text(6).parse() {
                    Ok(seed) => CaseSource::Seed(seed),
                    Err(_) => CaseSource::File(text(7).into()),
                };
                let (run, place) = (row.get(0).unwrap(), row.get(1).unwrap());
                let wall: i64 = row.get(4).unwrap();
                let shown = format!("{} {wall}", text(3));
                let before = self.finished.entry((journal, run, place)).or_insert_with(|| shown.clone());
                // Both shards have played these cases: a merge takes the results of the first.
                assert!(*before == shown || journal == 9, "{before} was overwritten by {shown}");
                runs.entry(run).or_default().push((CaseSpec::new(CaseName::from(&*text(5)), source), text(3)));
            }
            for (run, results) in runs {
                let explains = |world: &World| results.iter().all(|(case, note)| world.result(case) == *note);
                assert!(worlds().any(|world| explains(&world)), "journal {journal}, run {run}: {results:?}");
            }
        }
    }
}

fn begin(journal: Journal, record: &RunRecord<'_>) -> (Recording, Known) {
    (Recording::begin(journal, record).unwrap(), Known::of(record.plan))
}

proptest! {
    #![proptest_config(percent_of_cases(10))]
    #[test]
    fn no_run_holds_results_of_two_identities(steps in steps()) {
        let mut scene = Scene::new();
        for step in steps {
            match step {
                Step::Edit { field, value } => scene.world.edit(field, value),
                Step::Play { journal, most, resume, reuse, fault } => scene.play(journal, most, resume, reuse, fault),
                Step::Merge { files } => scene.merge(&files),
            }
            scene.check();
        }
    }
}
