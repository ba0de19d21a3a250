//! The sources of noise in timings: the cores, their speed, the load, the swap.

use judge_problem::Bytes;
use judge_sandbox::Machine;

/// A machine with a higher share of its cores in use is busy.
const BUSY: f64 = 0.5;

/// A property of the machine that affects timings.
pub(super) struct Finding {
    pub(super) name: &'static str,
    pub(super) found: String,
    /// Why it makes timings noisy, and the fix; `None` if it does not.
    pub(super) noise: Option<String>,
}

/// Returns the properties that affect timings; those that cannot be read are absent.
pub(super) fn findings(machine: &Machine) -> Vec<Finding> {
    let cores = &machine.cores;
    let (all, physical, undisturbed) = (cores.numbers().len(), cores.physical().get(), cores.undisturbed().get());
    let finding = |name, found: String, noise: Option<String>| Finding { name, found, noise };
    let mut findings = vec![finding(
        "cores",
        physical.to_string(),
        (undisturbed < physical)
            .then(|| format!("the quota of a control group allows {undisturbed}; more --jobs are throttled")),
    )];
    let shared = all > physical;
    let threads = if shared { format!("on, {all} threads") } else { "off, or not used here".to_owned() };
    let apart = || format!("two programs on one core slow each other down; --jobs {undisturbed} is the default");
    findings.push(finding("SMT", threads, shared.then(apart)));
    if !machine.governors.is_empty() {
        let slow = machine.governors.iter().any(|governor| governor != "performance");
        let noise = slow
            .then(|| "the speed changes with the load; hint: sudo cpupower frequency-set -g performance".to_owned());
        findings.push(finding("governor", machine.governors.join(", "), noise));
    }
    if let Some(load) = machine.load {
        #[expect(clippy::cast_precision_loss, reason = "a machine has far fewer than 2^53 cores")]
        let busy = load > physical as f64 * BUSY;
        let noise = busy.then(|| "other programs are running; hint: end them, or use fewer --jobs".to_owned());
        findings.push(finding("load", format!("{load:.2}"), noise));
    }
    if let Some(swap) = machine.swap {
        let noise = "swapped-out memory is slow and uses no CPU time; hint: sudo swapoff -a";
        findings.push(finding("swap", Bytes(swap).to_string(), (swap > 0).then(|| noise.to_owned())));
    }
    findings
}
