// Two solvers on the same case, on one clock.

import { get, path } from "./api.js";
import { address, el } from "./dom.js";
import { Viewer } from "./viewer.js";

/** Returns the run and the solver of `run:12`, or of `run:12/NAME`. */
function partsOf(entrant) {
  const [run, solver] = entrant.replace(/^run:/, "").split(/\/(.*)/s);
  return { run, solver };
}

/** Returns the address of the page that plays a solver's game: of `run:12`, or of `run:12/NAME`. */
export function replayOf(entrant, name) {
  const { run, solver } = partsOf(entrant);
  const query = solver ? `?${new URLSearchParams({ solver })}` : "";
  return `/${path("replay", run, name)}${query}`;
}

/** The time after which the address leads to the tick that is shown, in milliseconds. */
const REMEMBERED = 300;

export async function replaysPage(place, _, query) {
  const [name, a, b] = ["case", "a", "b"].map((part) => query.get(part) ?? "");
  const entrants = [a, b], games = el("div");
  const link = (entrant, at) => [" ", el("a", { class: "button", href: replayOf(entrant, name) }, `${"AB"[at]} alone`)];
  document.querySelector("main").classList.add("wide");
  place.append(
    el("p", { class: "back" }, el("a", { href: address("compare", { a, b }) }, "All cases of A against B")),
    el("h1", {}, name), el("p", {}, entrants.map(link)), games,
  );
  const asked = ({ run, solver }) => get(path("runs", run, "cases", name, "replay"), { solver });
  let timer;
  const remember = (tick) => {
    clearTimeout(timer);
    timer = setTimeout(() => games.isConnected && history.replaceState(null, "", address("replays", { a, b, case: name, tick: tick || undefined })), REMEMBERED);
  };
  try {
    const films = await Promise.all(entrants.map(partsOf).map(asked));
    new Viewer(games, films, { shown: remember, tick: Number(query.get("tick") ?? 0) });
  } catch {
    // A program draws these answers, or there is one too few: what the server has stands beside each other.
    const frame = (entrant) => el("iframe", { src: replayOf(entrant, name), title: `${entrant} on ${name}` });
    games.replaceChildren(el("div", { class: "pair" }, entrants.map((entrant) => el("section", {}, el("h2", {}, entrant), frame(entrant)))));
  }
}
