// Creates elements without parsing markup. Everything from a solver is text, with hidden characters escaped.

/** Characters that could deceive a reader: control characters, changes of the writing direction, zero-width characters. */
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/** Returns a text with hidden characters escaped, as in reports. */
export function visible(text) {
  return String(text).replace(HIDDEN, (sign) => {
    if (sign === "\r") return "\\r";
    const code = sign.codePointAt(0).toString(16);
    return `\\u{${code}}`;
  });
}

/** The attributes of a field whose text is no prose. */
export const AS_TYPED = { spellcheck: "false", autocapitalize: "off" };

/** Returns an element. Attributes that are functions become listeners. Children are elements and texts. A button with a
 * listener does not send its form. */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  if (attributes.click && tag === "button") element.type = "button";
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, /^(aria-|title)/.test(name) ? visible(value) : value);
  }
  return filled(element, children);
}

/** Puts elements and texts into an element, and returns it. */
export function filled(element, children) {
  const nodes = children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);
  element.append(...nodes.map((child) => (child instanceof Node ? child : visible(child))));
  return element;
}

/** Returns a colour of the style, as it is now: light or dark. */
export function tint(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

/** Whether a JavaScript number has lost digits of an integer, or is too large for one. */
const isInexact = (value) => typeof value === "number" && !Number.isSafeInteger(value) && (Number.isInteger(value) || !Number.isFinite(value));
/** The digits of a number without zeros at its ends. */
const significant = (number) => String(number).replace(/e.*/i, "").replace(/[-.]/g, "").replace(/^0+|0+$/g, "");
/** Whether a number has lost digits. Shorter ones never do. */
const isRounded = (value, source) => typeof value === "number" && source?.length > 15 && significant(value) !== significant(source);
const exact = (_, value, context) => (isInexact(value) || isRounded(value, context?.source) ? context?.source ?? value : value);

/** Parses a document. Numbers too long for JavaScript stay texts, with all digits. */
export const parsed = (json) => JSON.parse(json, exact);

/** Returns a computed number, rounded for reading. Numbers that are too long for a script's are texts already. */
export function shown(number) {
  if (number === undefined || number === null) return "–";
  if (typeof number === "string" || Number.isInteger(number)) return String(number);
  return Math.abs(number) >= 1000 ? number.toFixed(1) : String(Number(number.toPrecision(4)));
}

/** Formats all digits of a number, in groups of three. The gaps are only visual, so a copy is exact. */
export function digits(number, sign = "") {
  const text = `${sign}${number ?? "–"}`;
  const [, head, whole, rest] = /^(\D*)(\d{4,})(.*)$/s.exec(text) ?? [];
  if (!whole) return text;
  const first = whole.length % 3 || 3;
  const groups = whole.slice(first).match(/\d{3}/g);
  return el("span", { class: "digits" }, head, whole.slice(0, first), groups.map((group) => el("span", {}, group)), rest);
}

/** Formats a number with narrow spaces between its groups, for plain text. */
export function grouped(number) {
  return shown(number).replace(/^(\D*)(\d{4,})/, (_, head, whole) => head + whole.replace(/\B(?=(\d{3})+$)/g, "\u202f"));
}

/** Formats a count with its noun: `1 case`, `2 cases`. */
export function counted(number, noun) {
  return `${grouped(number)} ${noun}${Number(number) === 1 ? "" : "s"}`;
}

/** Formats a duration. */
export function time(milliseconds) {
  if (milliseconds === undefined || milliseconds === null) return "–";
  if (milliseconds < 1000) return `${milliseconds.toFixed(milliseconds < 10 ? 1 : 0)} ms`;
  if (milliseconds < 90_000) return `${(milliseconds / 1000).toFixed(milliseconds % 1000 ? 2 : 0)} s`;
  const seconds = Math.round(milliseconds / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours > 0 ? `${hours} h ${minutes} min` : `${minutes} min ${seconds % 60} s`;
}

/** Returns a moment in the reader's own time, to the minute. */
export function moment(date) {
  return el("time", { datetime: date }, new Date(date).toLocaleString([], { dateStyle: "medium", timeStyle: "short" }));
}

/** Formats a size. */
export function size(bytes) {
  return bytes === undefined ? "–" : `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}

/** The shape and colour of each kind of verdict. */
const VERDICT_KINDS = { AC: "good", TLE: "limit", ILE: "limit", MLE: "limit", OLE: "limit", PLE: "limit", RE: "crash", CE: "start", CS: "start", JE: "fault", "–": "none" };

/** Returns a verdict's short code, with its name as the tooltip. */
export function verdict(code, name) {
  return el("span", { class: `code ${VERDICT_KINDS[code] ?? "bad"}`, title: name }, code);
}

/** Returns a name. The middle of a long one is cut, but copying and the tooltip give the whole name. */
export function cut(name, most = 28) {
  const text = visible(name).replace(/\s+/g, " ");
  if (text.length <= most) return el("bdi", {}, name);
  const end = Math.min(12, Math.floor(most / 2));
  return el("bdi", { class: "cut", tabindex: "0", "data-begin": text.slice(0, -end), "data-end": text.slice(-end) }, el("span", { class: "unseen" }, name));
}

/** Shows the full text in a tooltip on hover or focus. */
export function showTips() {
  const tip = el("div", { id: "tip", role: "tooltip", hidden: true });
  document.body.append(tip);
  const show = ({ target }) => {
    const of = target.closest?.(".cut, .line, .name");
    const isCut = of && (of.matches(".cut") || of.scrollWidth > of.clientWidth);
    tip.hidden = !isCut;
    if (!isCut) return;
    tip.textContent = of.textContent;
    const { left, top, bottom } = of.getBoundingClientRect();
    tip.style.left = `${Math.max(8, Math.min(left, innerWidth - tip.offsetWidth - 8))}px`;
    tip.style.top = bottom + tip.offsetHeight + 10 < innerHeight ? `${bottom + 6}px` : `${top - tip.offsetHeight - 6}px`;
  };
  for (const name of ["mouseover", "focusin"]) document.addEventListener(name, show);
  for (const name of ["scroll", "hashchange", "mouseleave", "focusout"]) addEventListener(name, () => { tip.hidden = true; }, true);
}

/** Returns a bar for a share between 0 and 1. */
export function bar(share) {
  const fill = el("span");
  fill.style.width = `${100 * (share ?? 0)}%`;
  const label = share === undefined || share === null ? "unknown" : `${(100 * share).toFixed(1)} %`;
  return el("div", { class: "bar", role: "img", "aria-label": label, title: label }, fill);
}

/** Returns a table from titles, a class for each column, and rows of cells. A wide one scrolls, also with the keyboard. */
export function table(titles, classes, rows, label = "table") {
  const head = titles.map((title, column) => el(title ? "th" : "td", { scope: title ? "col" : null, class: classes[column] }, title));
  const row = (cells) => el("tr", {}, cells.map((cell, column) => el("td", { class: classes[column] }, cell)));
  const drawn = rows.map(row);
  titles.forEach((_, column) => alignPoints(drawn.map(({ cells }) => cells[column])));
  return scroll(label, el("table", {}, el("thead", {}, el("tr", {}, head)), el("tbody", {}, drawn)));
}

/** Aligns the decimal points of the numbers of a column. */
function alignPoints(cells) {
  const numbers = cells.map((cell) => [cell, /^-?\d+(\.\d+)?$/.exec(cell.textContent)]).filter(([, found]) => found);
  const most = Math.max(0, ...numbers.map(([, [, decimals = ""]]) => decimals.length));
  for (const [cell, [, decimals = ""]] of numbers) if (decimals.length < most) cell.dataset.pad = `.${"0".repeat(most)}`.slice(decimals.length, most);
}

/** Returns a box that scrolls wide content. */
export function scroll(label, ...content) {
  return el("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": label }, content);
}

/** Returns the box that shows an error. */
export function failure(error) {
  const hints = (error.hints ?? []).map((hint) => `\nhint: ${hint}`).join("");
  return el("div", { class: "error", role: "alert" }, `${error.message}${hints}`);
}

/** Does something. If it fails, the place shows why. */
export async function attempt(place, action) {
  try {
    await action();
  } catch (error) {
    place.replaceChildren(failure(error));
  }
}

/** Returns the content of a list of facts, pairs of a name and a value. */
export function terms(facts) {
  return facts.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]);
}

/** Returns the content of a row of key figures, pairs of a name and a value. */
export function tiles(facts) {
  return facts.map((fact) => el("div", { class: "tile" }, terms([fact])));
}

/** Returns the placeholder for empty content: what is missing, what to do, and the command to type. */
export function empty(title, words, command, ...more) {
  return el("div", { class: "empty" }, el("strong", {}, title), words && el("p", {}, words), command && el("pre", {}, command), more);
}

/** Returns a debounced version of `what`. */
export function debounced(what, pause = 250) {
  let timer;
  return (...words) => {
    clearTimeout(timer);
    timer = setTimeout(() => what(...words), pause);
  };
}

/** Returns a select box for names. */
export function choice(label, names, chosen, changed) {
  const options = names.map((name) => el("option", { value: name, selected: name === chosen }, name === "" ? "–" : name));
  return el("select", { "aria-label": label, change: (event) => changed(event.target.value) }, options);
}

/** Returns the query of an address. Empty parts are left out. */
export function queryOf(query) {
  const given = Object.entries(query).filter(([, value]) => value !== "" && value !== undefined && value !== null && value !== false);
  const words = new URLSearchParams(given).toString();
  return words && `?${words}`;
}

/** Returns the link to an address of this page. */
export const address = (path, query = {}) => `#/${path}${queryOf(query)}`;
