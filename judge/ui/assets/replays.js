// Two solvers on the same case, move by move and in step.

import { path } from "./api.js";
import { address, el } from "./dom.js";

/** Returns the address of the page that plays a solver's game: of `run:12`, or of `run:12/NAME`. */
export function replayOf(entrant, name) {
  const [run, solver] = entrant.replace(/^run:/, "").split(/\/(.*)/s);
  const query = solver ? `?${new URLSearchParams({ solver })}` : "";
  return `/${path("replay", run, name)}${query}`;
}

export async function replaysPage(place, _, query) {
  const name = query.get("case") ?? "";
  const entrants = [query.get("a") ?? "", query.get("b") ?? ""];
  const frame = (entrant) => el("iframe", { src: replayOf(entrant, name), title: `${entrant} on ${name}` });
  const frames = entrants.map(frame);
  const together = el("input", { type: "checkbox", checked: true });
  const part = (entrant, at) => el("section", {}, el("h2", {}, `${"AB"[at]}: `, el("a", { href: replayOf(entrant, name) }, entrant)), frames[at]);
  place.append(
    el("h1", {}, name), el("p", {}, el("a", { href: address("compare", { a: entrants[0], b: entrants[1] }) }, "All cases")),
    el("label", { class: "beside" }, together, "The other game follows, move by move"), el("div", { class: "pair" }, entrants.map(part)),
  );
  const follow = ({ origin, source, data }) => {
    if (!place.isConnected) {
      removeEventListener("message", follow);
      return;
    }
    const from = frames.findIndex((one) => one.contentWindow === source);
    if (from < 0 || origin !== location.origin || !together.checked) return;
    frames[1 - from].contentWindow.postMessage({ step: data.step }, location.origin);
  };
  addEventListener("message", follow);
}
