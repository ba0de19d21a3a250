// Which page is shown: the part of the address after `#`.

import { listen } from "./api.js";
import { el, failure } from "./dom.js";
import { comparePage } from "./compare.js";
import { playPage } from "./play.js";
import { problemPage, problemsPage } from "./problems.js";
import { replaysPage } from "./replays.js";
import { runPage } from "./run.js";
import { runsPage } from "./runs.js";

const main = document.getElementById("main");
const link = document.getElementById("link");

/** What the page that is shown does with events. */
let heard = () => {};
/** Grows with each page: what an older one still gets is dropped. */
let shownPages = 0;

const PAGES = [
  [/^$/, runsPage],
  [/^runs\/([^/]+)$/, runPage],
  [/^compare$/, comparePage],
  [/^replays$/, replaysPage],
  [/^play$/, playPage],
  [/^problems$/, problemsPage],
  [/^problems\/([^/]+)$/, problemPage],
];

async function show(keepsFocus) {
  const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
  const found = PAGES.map(([pattern, page]) => [path.match(pattern), page]).find(([match]) => match);
  const page = ++shownPages;
  heard = () => {};
  for (const part of document.querySelectorAll("nav a")) {
    const begin = part.hash.slice(2);
    const isHere = begin ? path.startsWith(begin) : !/^(problems|play)/.test(path);
    if (isHere) part.setAttribute("aria-current", "page");
    else part.removeAttribute("aria-current");
  }
  const place = el("div");
  main.replaceChildren(place);
  if (!keepsFocus) main.focus({ preventScroll: true });
  if (!found) {
    place.append(failure(new Error("there is no such page")));
    return;
  }
  const [match, make] = found;
  try {
    const hears = await make(place, match.slice(1).map(decodeURIComponent), new URLSearchParams(query ?? ""));
    if (page === shownPages) heard = hears ?? (() => {});
  } catch (error) {
    place.replaceChildren(failure(error));
  }
}

document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
addEventListener("hashchange", () => show(false));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => show(true));
listen(
  (name, data) => heard(name, data),
  (isThere) => {
    link.textContent = isThere ? "live" : "not connected";
  },
);
show(true);
