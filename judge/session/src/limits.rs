//! What solvers may use: the problem's limits, and those of the command line.

use judge_cli::LimitArgs;
use judge_problem::Limits;

/// Returns the problem's limits, each replaced by the given one if there is one.
pub fn limits(own: &Limits, given: &LimitArgs) -> Limits {
    let cpu = given.cpu.unwrap_or(own.cpu);
    let own_wall = if given.cpu.is_some() { Limits::default_wall(cpu) } else { own.wall };
    Limits {
        cpu,
        wall: given.wall.unwrap_or(own_wall),
        memory: given.memory.unwrap_or(own.memory),
        output: given.output_limit.unwrap_or(own.output),
        processes: given.processes.map_or(own.processes, std::num::NonZeroU32::get),
    }
}
