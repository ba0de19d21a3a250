// Two solvers on the same case, with a common clock.

import { game, isStatic, path } from "./api.js";
import { address, debounced, el, queryOf } from "./dom.js";
import { Viewer } from "./viewer.js";

/** Returns the run and the solver of `run:12`, or of `run:12/NAME`. */
function partsOf(entrant) {
  const [run, solver] = entrant.replace(/^run:/, "").split(/\/(.*)/s);
  return { run, solver };
}

/** Returns the address of the page that plays a solver's game, for `run:12` or `run:12/NAME`. */
export function replayOf(entrant, name) {
  const { run, solver } = partsOf(entrant);
  if (isStatic) return address("replay", { run, case: name, solver });
  return `/${path("replay", run, name)}${queryOf({ solver })}`;
}

export async function replaysPage(place, _, at) {
  const [name, a, b] = ["case", "a", "b"].map((part) => at.get(part) ?? "");
  const entrants = [a, b], games = el("div");
  const link = (entrant, place) => [" ", el("a", { class: "button", href: replayOf(entrant, name) }, `${"AB"[place]} alone`)];
  place.append(
    el("div", { class: "title" }, el("h1", {}, `A against B on ${name}`), entrants.map(link), el("a", { class: "button", href: address("compare", { a, b }) }, "All cases")), games,
  );
  const remember = debounced((tick) => games.isConnected && at.set({ tick: tick || "" }));
  try {
    const loaded = await Promise.all(entrants.map(partsOf).map(({ run, solver }) => game(run, name, solver)));
    new Viewer(games, loaded, { shown: remember, tick: Number(at.get("tick") ?? 0) });
  } catch (error) {
    if (isStatic) throw error;
    // A program draws these answers, or one is missing: show the server's documents side by side.
    const frame = (entrant) => el("iframe", { src: replayOf(entrant, name), title: `${entrant} on ${name}` });
    games.replaceChildren(el("div", { class: "pair" }, entrants.map((entrant) => el("section", {}, el("h2", {}, entrant), frame(entrant)))));
  }
}

/** The page of one game in a static site. */
export async function replayPage(place, _, at) {
  const [run, name, solver] = ["run", "case", "solver"].map((part) => at.get(part) ?? "");
  const data = await game(run, name, solver);
  const viewer = el("div");
  place.append(el("h1", {}, data.title), el("p", { id: "facts" }, [data.case, data.player, data.result].filter(Boolean).join(" · ")),
    el("p", {}, el("a", { href: address(`runs/${run}`, { case: name, solver }) }, `Run ${run}`)), viewer);
  new Viewer(viewer, [data], { shown: debounced((tick) => viewer.isConnected && at.set({ tick: tick || "" })), tick: Number(at.get("tick") ?? 0) });
}
