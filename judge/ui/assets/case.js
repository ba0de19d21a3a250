// One case in all runs: each solver's score over the runs, the best scores, the features and the input.

import { command, get, path, text } from "./api.js";
import { figure, lines } from "./charts.js";
import { address, attempt, bar, counted, cut, digits, el, empty, moment, table, tiles, time, verdict } from "./dom.js";
import { replayOf } from "./replays.js";
import { download } from "./save.js";

export async function casePage(place, [problem, name]) {
  const known = await get(path("problems", problem, "cases", name));
  const best = known.best === undefined ? undefined : known.results[known.best];
  place.append(el("h1", {}, name), el("dl", { class: "tiles" }, tiles(figuresOf(known, best))), tools(known, best));
  if (known.results.length === 0) {
    place.append(empty("No run has this case yet", "", command(`judge run -p ${problem} --seeds ${/^seed-(\d+)$/.exec(name)?.[1] ?? "SEED"}`)));
    return undefined;
  }
  const chart = figure("Scores from run to run");
  place.append(chart.box, el("h2", {}, "Results"), results(known));
  if (known.others > 0) place.append(el("p", { class: "faint" }, `${counted(known.others, "result")} of a case of this name with another input ${known.others === 1 ? "is" : "are"} not shown.`));
  const draw = () => drawScores(chart, known.results);
  draw();
  document.addEventListener("redraw", () => place.isConnected && draw());
  return undefined;
}

/** The key figures. */
function figuresOf({ results, features = {} }, best) {
  return [
    ["best score", best ? digits(best.score) : "–"], ["by", best ? el("a", { href: address(`runs/${best.run}`, { case: undefined }) }, cut(best.solver, 18), `, run ${best.run}`) : "–"],
    ["results", digits(results.length)], ...Object.entries(features).map(([name, value]) => [name, digits(value)]),
  ];
}

function tools({ problem, case: name, results, input, replays }, best) {
  const problems = el("div");
  const save = () => attempt(problems, async () => {
    download(`${name}.in`, await text(path("runs", results[0].run, "cases", name, "input")), "text/plain");
    problems.replaceChildren();
  });
  return el("div", { class: "tools" },
    best && replays && best.answer ? el("a", { class: "button main", href: replayOf(`run:${best.run}/${best.solver}`, name) }, "Replay of the best") : "",
    input ? el("button", { click: save }, "Download the input") : "",
    el("a", { class: "button", href: address(`problems/${problem}`) }, "The problem"), problems);
}

/** A line for each solver over the runs. */
function drawScores(chart, results) {
  const runs = [...new Set(results.map((one) => one.run))].sort((one, other) => one - other);
  const names = [...new Set(results.map((one) => one.solver))];
  const groups = names.map((name) => {
    const scores = new Map(results.filter((one) => one.solver === name && one.score !== undefined).map((one) => [one.run, Number(one.score)]));
    return { name, y: runs.map((run) => scores.get(run) ?? null) };
  });
  const chosen = (at) => { if (runs[at] !== undefined) location.hash = address(`runs/${runs[at]}`); };
  lines(chart, { x: runs, xLabel: "run", yLabel: "score", groups, hasPoints: true, isWhole: true, chosen });
}

function results({ case: name, results, replays }) {
  const row = (one) => [
    el("a", { href: address(`runs/${one.run}`, { case: name, entrant: one.solver }) }, String(one.run)), cut(one.solver),
    moment(one.started), verdict(one.code, one.verdict), digits(one.score), bar(one.relative),
    time(one.cpu_ms), one.message ?? "", replays && one.answer ? el("a", { href: replayOf(`run:${one.run}/${one.solver}`, name), "aria-label": `replay of run ${one.run}` }, "Replay") : "",
  ];
  const titles = ["run", "solver", "started", "verdict", "score", "of the best", "CPU", "message", ""];
  return table(titles, ["number", "name", "spare-2", "", "number", "spare-3", "number spare-3", "line spare-1", ""], results.map(row), "results");
}
