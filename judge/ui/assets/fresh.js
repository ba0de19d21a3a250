// Runs a solver on a fresh case of a problem, and shows its game.

import { get, post } from "./api.js";
import { AS_TYPED, address, attempt, el, failure } from "./dom.js";
import { replayOf } from "./replays.js";

/** The interval for polling whether the run has ended. */
const PAUSE = 200;

/** Returns a form that runs a solver on a seed and then shows the game. */
export function freshReplay(problem) {
  const [best] = problem.solvers;
  const seed = el("input", { name: "seed", type: "text", inputmode: "numeric", pattern: "[0-9]+", required: true, value: "1" });
  const names = el("datalist", { id: "bundled" }, problem.solvers.map((one) => el("option", { value: one.solver })));
  const solver = el("input", { name: "solver", list: "bundled", required: true, ...AS_TYPED, value: best?.solver ?? "" });
  const button = el("button", {}, "Run and replay");
  const told = el("div", { role: "status" });
  const submit = async (event) => {
    event.preventDefault();
    button.disabled = true;
    told.replaceChildren("running …");
    await attempt(told, async () => {
      const { started } = await post("started", { problem: problem.problem, solvers: [solver.value], seeds: seed.value, message: "a replay" });
      await show(started[0].number, `seed-${BigInt(seed.value)}`, told);
    });
    button.disabled = false;
  };
  const label = (title, input) => el("label", {}, title, input);
  return el("form", { class: "tools", submit }, label("Seed", seed), label("Solver", solver), names, button, told);
}

/** Waits for a run to end and opens its game. Without a game, opens the run or shows its output. */
async function show(number, name, told) {
  for (;;) {
    const one = (await get("started")).started.find((run) => run.number === number);
    if (!told.isConnected) return;
    if (one && !one.running) {
      if (one.exit_code === 0) location.href = replayOf(`run:${one.run}`, name);
      else if (one.run) location.hash = address(`runs/${one.run}`, { case: name });
      else told.replaceChildren(failure(new Error(one.output)));
      return;
    }
    await new Promise((done) => setTimeout(done, PAUSE));
  }
}
