//! What several subcommands share, from the catalogue to the reports. A subcommand imports from here, never from
//! another subcommand.
//!
//! ```text
//! load, jobs, limits, sandbox             the catalogue, files, slots and cores, what solvers may use, isolation
//! case_choice, case_filter                the cases of a command, and those of a recorded run
//! problem_facts                           a problem, in words
//! programs                                the programs of a problem, compiled
//! entrants, submissions, best_scores      who takes part, and what scores are relative to
//! recorder, session, match_runner         runs with their journal
//! command_line                            the command line, and what another command repeats of it
//! pairing, restored_run, score_run        runs of the past, and what a rule makes of outcomes
//! compared, effects                       outcomes of several solvers, and what they differ by
//! attached_run, detached                  runs that go on on a cluster without their judge
//! by_hand                                 what a person has played
//! baseline, history_by_feature, answer    parts of `gate`, `history` and `check`
//! saved_answers, stored_case              answers and conversations in files, and answers in the journal
//! feedback                                pages for the authors of solvers
//! outputs, run_outputs, provenance         where reports go, and when, how and where their results came about
//! new_folder                              a folder that is there complete, or not at all
//! damaged_journal                         what is left of a journal, and what to do with it
//! failure, first_time                     how errors are shown, and notes that are shown once per folder
//! ```

pub(crate) mod answer;
pub(crate) mod attached_run;
pub(crate) mod baseline;
pub(crate) mod best_scores;
pub(crate) mod build;
pub(crate) mod by_hand;
pub(crate) mod case_choice;
pub(crate) mod case_filter;
pub(crate) mod command_line;
pub(crate) mod compared;
pub(crate) mod damaged_journal;
pub(crate) mod detached;
pub(crate) mod drawing;
pub(crate) mod effects;
pub(crate) mod entrants;
pub(crate) mod failure;
pub(crate) mod feedback;
pub(crate) mod fifo;
mod first_time;
pub(crate) mod history_by_feature;
pub(crate) mod jobs;
pub(crate) mod limits;
pub(crate) mod load;
pub(crate) mod match_runner;
pub(crate) mod new_folder;
pub(crate) mod outputs;
pub(crate) mod pairing;
pub(crate) mod parent;
pub(crate) mod problem_facts;
pub(crate) mod programs;
pub(crate) mod provenance;
pub(crate) mod recorder;
pub(crate) mod restored_run;
pub(crate) mod run_outputs;
pub(crate) mod sandbox;
pub(crate) mod saved_answers;
pub(crate) mod score_run;
pub(crate) mod scored_match;
pub(crate) mod session;
pub(crate) mod sharding;
pub(crate) mod state;
pub(crate) mod stored_case;
pub(crate) mod submissions;
