// Chooses the page from the part of the address after `#`.

import { listen } from "./api.js";
import { Address } from "./address.js";
import { el, failure, showTips, visible } from "./dom.js";
import { casePage } from "./case.js";
import { comparePage } from "./compare.js";
import { gridPage } from "./grid.js";
import { playPage } from "./play.js";
import { problemPage, problemsPage } from "./problems.js";
import { replayPage, replaysPage } from "./replays.js";
import { runPage } from "./run.js";
import { runsPage } from "./runs.js";

const main = document.getElementById("main");
const link = document.getElementById("link");

/** The current page's event handler. */
let heard = () => {};
/** Stops the current page's other activities. */
let ended = () => {};
/** Incremented for each page. Responses for an older page are dropped. */
let shownPages = 0;

/** The pages, each with its address and the links to it. */
const PAGES = [
  [/^$/, runsPage, () => []],
  [/^runs\/([^/]+)$/, runPage, () => [["Runs", "#/"]]],
  [/^compare$/, comparePage, () => [["Runs", "#/"]]],
  [/^grid$/, gridPage, () => [["Runs", "#/"]]],
  [/^replays$/, replaysPage, () => [["Runs", "#/"]]],
  [/^replay$/, replayPage, () => [["Runs", "#/"]]],
  [/^play$/, playPage, () => []],
  [/^problems$/, problemsPage, () => []],
  [/^problems\/([^/]+)$/, problemPage, () => [["Problems", "#/problems"]]],
  [/^problems\/([^/]+)\/cases\/([^/]+)$/, casePage, ([id]) => [["Problems", "#/problems"], [id, `#/problems/${encodeURIComponent(id)}`]]],
];

/** Shows the breadcrumbs: the parent pages and this page's title. */
function name(place, above) {
  const title = place.querySelector("h1")?.textContent ?? "Not found";
  document.title = `${visible(title)} – judge`;
  place.querySelector(".trail")?.remove();
  if (above.length > 0) place.prepend(el("nav", { class: "trail", "aria-label": "Where this page is" }, above.map(([words, href]) => el("span", {}, el("a", { href }, words))), el("span", { "aria-current": "page" }, title)));
}

/** Returns a part of an address as text. A broken escape is itself. */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Fills the page element, and shows it once it has content. */
async function fill(place, [match, make, above], at) {
  const words = match.slice(1).map(decoded);
  const title = () => name(place, above(words));
  const observer = new MutationObserver(() => {
    const heading = place.querySelector("h1");
    if (!heading) return;
    place.querySelector(":scope > .skeleton")?.remove();
    if (heading.textContent !== place.dataset.title) title();
    place.dataset.title = heading.textContent;
  });
  observer.observe(place, { childList: true, subtree: true, characterData: true });
  return make(place, words, at);
}

async function show(keepsFocus) {
  const at = new Address();
  const found = PAGES.map(([pattern, make, above]) => [at.path.match(pattern), make, above]).find(([match]) => match);
  const page = ++shownPages;
  // A page may show what changes while it is made.
  const missed = [];
  heard = (...event) => missed.push(event);
  ended();
  ended = () => {};
  for (const part of document.querySelectorAll("header nav a")) {
    const begin = part.hash.slice(2);
    const isHere = begin ? at.path.startsWith(begin) : !/^(problems|play)/.test(at.path);
    if (isHere) part.setAttribute("aria-current", "page");
    else part.removeAttribute("aria-current");
  }
  const place = el("div", {}, el("div", { class: "skeleton", "aria-hidden": "true" }, el("span"), el("span"), el("span")));
  main.replaceChildren(place);
  if (!keepsFocus) main.focus({ preventScroll: true });
  try {
    if (!found) throw new Error("there is no such page");
    const hears = await fill(place, found, at);
    if (page !== shownPages) return;
    heard = hears ?? (() => {});
    missed.forEach((event) => heard(...event));
    at.restore();
    ended = at.follow();
  } catch (error) {
    if (page !== shownPages) return;
    heard = () => {};
    place.replaceChildren(el("h1", {}, "This page cannot be shown"), failure(error), el("p", {}, el("a", { href: "#/" }, "All runs")));
    name(place, []);
  }
}

document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
history.scrollRestoration = "manual";
addEventListener("hashchange", () => show(false));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => show(true));
// Paper is light, so redraw the charts before and after printing.
for (const [event, isPrinted] of [["beforeprint", true], ["afterprint", false]]) {
  addEventListener(event, () => {
    document.documentElement.classList.toggle("printed", isPrinted);
    document.dispatchEvent(new CustomEvent("redraw"));
  });
}
showTips();
listen(
  (name, data) => heard(name, data),
  (isThere, why) => {
    link.dataset.state = isThere ? "on" : "off";
    link.textContent = isThere ? "live" : "not connected";
    document.getElementById("lost")?.remove();
    if (why) main.before(el("div", { id: "lost", class: "notice", role: "alert" }, why));
  },
);
show(true);
