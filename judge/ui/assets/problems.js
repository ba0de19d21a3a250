// The problems of the catalogue, and the details of one.

import { command, get, path } from "./api.js";
import { AS_TYPED, address, counted, cut, digits, el, empty, table, terms, time } from "./dom.js";
import { freshReplay } from "./fresh.js";

/** The number of rows of newest results. */
const RESULTS = 15;

export async function problemsPage(place) {
  const { problems } = await get("problems");
  const row = (one) => [el("a", { href: address(`problems/${one.problem}`) }, one.problem), one.title, `${one.rule}, ${one.direction}`, time(one.limits.cpu_ms), one.listed, one.by_hand ? el("a", { href: address("play", { problem: one.problem }), "aria-label": `play ${one.problem}` }, "Play") : ""];
  place.append(el("h1", {}, "Problems"), table(["problem", "title", "scoring", "CPU limit", "cases", ""], ["", "words spare-3", "spare-2", "number spare-3", "number", ""], problems.map(row), "problems"));
}

export async function problemPage(place, [id]) {
  const [problem, { runs }] = await Promise.all([get(path("problems", id)), get("runs", { problem: id, limit: RESULTS })]);
  // The title is the heading. A site has no facts.
  const facts = terms(problem.facts.filter(({ name }) => name !== "title").map(({ name, text }) => [name, text]));
  const newest = await Promise.all(problem.solvers.map(({ solver }) => newestOf(id, solver)));
  const solver = ({ solver, summary }, at) => [el("code", {}, solver), summary, ...newest[at], command(`judge run -p ${id} -s ${solver}`)];
  const run = (row) => [el("a", { href: address(`runs/${row.run}`) }, String(row.run)), cut(row.solver, 22), row.done === row.planned ? digits(row.done) : `${row.done}/${row.planned}`, digits(row.failed), digits(row.total), row.detached ?? row.state];
  const results = runs.length === 0 ? empty("No run of it yet", "", command(`judge run -p ${id}`))
    : table(["run", "solver", "cases", "failed", "total", "state"], ["number", "name", "number spare-3", "number", "number", "spare-3"], runs.map(run), "newest results");
  place.append(
    el("h1", {}, problem.title), el("p", { class: "faint" }, id, problem.by_hand ? [" · ", el("a", { href: address("play", { problem: id }) }, "Play by hand")] : ""), openCase(id, problem.names),
    el("div", { class: "split even" }, facts.length ? el("section", {}, el("h2", {}, "What it is"), el("dl", { class: "facts card" }, facts)) : "", el("section", {}, el("h2", {}, "Newest results"), results)),
  );
  if (problem.fresh_replays) place.append(el("h2", {}, "Replay a fresh case"), freshReplay(problem));
  if (problem.solvers.length > 0) place.append(el("h2", {}, "Bundled solvers"), table(["solver", "what it does", "total", "of", "to run it"], ["", "words spare-3", "number", "wrap", "spare-2"], problem.solvers.map(solver), "bundled solvers"));
  if (problem.rules) place.append(el("h2", {}, "Rules"), rulesOf(problem));
}

/** Returns a form that opens a case in all runs. */
function openCase(id, names = []) {
  const input = el("input", { list: "its-cases", required: true, ...AS_TYPED, placeholder: "seed-1" });
  const list = el("datalist", { id: "its-cases" }, names.map((name) => el("option", { value: name })));
  const open = (event) => {
    event.preventDefault();
    location.hash = `#/${path("problems", id, "cases", input.value.trim())}`;
  };
  return el("form", { class: "tools", submit: open }, el("label", {}, "A case in all runs", input), list, el("button", {}, "Open"));
}

/** Returns the total of a bundled solver's newest complete run, with a link to the run. */
async function newestOf(problem, solver) {
  const { runs } = await get("runs", { problem, solver: solver.replace(/^bundled:/, ""), limit: RESULTS });
  const last = runs.find((row) => row.state === "complete");
  return last ? [digits(last.total), el("a", { href: address(`runs/${last.run}`) }, `run ${last.run}: ${counted(last.done, "case")}`)] : ["–", ""];
}

/** Returns the rules of a bundled game. Their HTML comes from the judge itself and has no scripts. */
function rulesOf({ rules, rules_html: html }) {
  if (!html) return el("pre", { class: "rules", tabindex: "0" }, rules);
  const parsed = new DOMParser().parseFromString(html, "text/html");
  return el("div", { class: "rules card" }, [...parsed.body.childNodes].map((node) => document.adoptNode(node)));
}
