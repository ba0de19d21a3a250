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

pub mod answers;
pub mod best_scores;
pub mod by_hand;
pub mod case_selection;
pub mod command_line;
pub mod comparison;
pub mod detached;
pub mod entrants;
pub mod failure;
pub mod load;
pub mod match_runner;
pub mod outputs;
pub mod pairing;
pub mod problem_facts;
pub mod programs;
pub mod recorder;
pub mod restored_run;
pub mod running;
pub mod sandbox;
