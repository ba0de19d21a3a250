// The runs in progress, the finished runs, and the totals of each solver over the runs.

import { command, get } from "./api.js";
import { figure, legendOf, lines } from "./charts.js";
import { address, attempt, choice, counted, cut, debounced, digits, el, empty, moment, scroll, table, time, verdict } from "./dom.js";
import { tagList } from "./labels.js";
import { Started } from "./started.js";

const ROWS = 100;
/** The number of rows whose totals are drawn. */
const DRAWN = 1000;

/** The problem of the suggested first run. */
const EXAMPLE = "columns";

/** The columns: title, class. Columns with a rank are hidden in less space. */
const COLUMNS = [
  ["", ""], ["run", "number"], ["solver", "name"], ["problem", "spare-3"], ["started", "spare-2"], ["cases", "number spare-3"], ["failed", "number spare-3"], ["total", "number"],
  ["change", "number spare-3"], ["state", "spare-3"], ["message", "line spare-1"],
];

/** Returns a result as comparisons name it. */
const keyOf = ({ run, solver }) => `run:${run}/${solver}`;

export async function runsPage(place, _, at) {
  const page = new Runs(place, at);
  await page.load();
  await page.started.load();
  return (name, data) => page.hear(name, data);
}

class Runs {
  constructor(place, at) {
    Object.assign(this, { at, rows: [], total: 0, ticked: new Map(), live: new Map(), news: [], kind: at.get("chart") ?? undefined });
    this.text = at.get("text") ?? "";
    this.tag = at.get("tag") ?? "";
    this.search = el("input", { type: "search", value: this.text, placeholder: "solver, problem, message, tag, note or number", input: debounced(() => this.searched()) });
    this.compare = el("a", { class: "button", "aria-disabled": "true", role: "link" }, "Compare the ticked");
    this.started = new Started();
    this.running = el("section", { "aria-live": "polite" });
    this.list = el("tbody");
    this.count = el("p", { class: "faint", role: "status" });
    this.more = el("button", { click: () => this.extend() }, "Show more");
    this.chart = figure("Totals from run to run", el("span"));
    this.standings = el("div", { class: "card" });
    this.overview = el("div", { class: "split" }, this.chart.box, this.standings);
    this.all = el("input", { type: "checkbox", "aria-label": "compare all of these", title: "compare all of these", change: () => this.tickAll(this.all.checked) });
    const head = COLUMNS.map(([title, name]) => el(title ? "th" : "td", { scope: title ? "col" : null, class: name }, title || this.all));
    this.table = scroll("runs", el("table", {}, el("thead", {}, el("tr", {}, head)), this.list));
    this.none = el("div");
    this.tools = el("div", { class: "tools" }, el("label", { class: "wide" }, "Search", this.search), this.compare);
    place.append(
      el("h1", {}, "Runs"), this.started.box, this.running, this.overview, this.tools,
      this.tag ? el("p", {}, "Only runs with the tag ", el("span", { class: "tag" }, this.tag), " ", el("a", { href: address("") }, "Show all")) : "",
      this.table, this.none, this.count, this.more,
    );
    document.addEventListener("redraw", () => place.isConnected && this.again?.());
  }

  async load() {
    const known = Math.max(ROWS, this.rows.length, Number(this.at.get("rows") ?? 0));
    const { runs, total } = await this.ask({ limit: Math.min(1000, known) });
    Object.assign(this, { rows: runs, total });
    this.tickAsBefore();
    this.draw();
    await this.drawTotals();
  }

  ask(more) {
    return get("runs", { text: this.text, tag: this.tag, ...more });
  }

  async extend() {
    const { runs } = await this.ask({ offset: this.rows.length, limit: ROWS });
    this.rows.push(...runs);
    this.at.set({ rows: this.rows.length });
    this.draw();
  }

  async searched() {
    this.text = this.search.value;
    this.at.set({ text: this.text });
    this.rows = [];
    await attempt(this.count, () => this.load());
  }

  draw() {
    let before;
    this.list.replaceChildren(...this.rows.map((row) => {
      const drawn = this.row(row, row.run !== before);
      before = row.run;
      return drawn;
    }));
    this.count.textContent = this.total === 0 ? "" : `${this.rows.length} of ${counted(this.total, "result")}`;
    this.drawEmpty();
    this.more.hidden = this.rows.length >= this.total;
    this.drawCompare();
  }

  /** Says what to do if there are no runs. */
  drawEmpty() {
    const isSearched = this.text !== "" || this.tag !== "";
    this.table.hidden = this.total === 0;
    this.tools.hidden = this.total === 0 && !isSearched;
    this.none.replaceChildren(this.total > 0 ? "" : isSearched ? empty("No run matches", "", "", el("p", {}, el("a", { href: address("") }, "Show all")))
      : empty("There are no runs yet", "A run plays solvers on the cases of a problem. It appears here as soon as it has started.", command(`judge run -p ${EXAMPLE}`)));
  }

  row(row, isFirst) {
    const now = this.live.get(row.run)?.solvers.find(({ solver }) => solver === row.solver);
    const [done, accepted] = now ? [now.done, now.accepted] : [row.done, row.accepted];
    const key = keyOf(row);
    const tick = el("input", {
      type: "checkbox", checked: this.ticked.has(key), "aria-label": `compare ${row.solver} of run ${row.run}`,
      change: (event) => this.tick(key, row.problem, event.target.checked),
    });
    const run = el("a", { href: address(`runs/${row.run}`) }, String(row.run));
    const isWorse = row.change !== undefined && (Number(row.change) < 0) !== (row.direction === "min" && ["sum", "mean"].includes(row.rule));
    const sign = Number(row.change) > 0 ? "+" : "";
    const change = el("span", { class: Number(row.change) === 0 || row.change === undefined ? "" : isWorse ? "bad" : "good" }, row.change === undefined ? "–" : digits(row.change, sign));
    const failed = el("span", { class: done > accepted ? "bad" : "" }, digits(done - accepted));
    const cells = [
      tick, run, [cut(row.solver), row.settings === undefined ? "" : ` (best of ${row.settings})`], el("a", { href: address(`problems/${row.problem}`) }, row.problem),
      moment(row.started),
      done === row.planned ? digits(done) : `${done}/${row.planned}`, failed, digits(row.total), change,
      this.live.get(row.run)?.state ?? row.detached ?? row.state, isFirst ? this.words(row) : row.message ?? "",
    ];
    return el("tr", { class: isFirst ? "first" : "" }, cells.map((content, column) => el("td", { class: COLUMNS[column][1] }, content)));
  }

  /** The user's tags and note of a run. */
  words({ message, tags, note }) {
    return [tagList(tags), message ?? "", note ? el("span", { class: "faint" }, ` ${note.split("\n")[0]}`) : ""];
  }

  setTick(key, problem, isTicked) {
    if (isTicked) this.ticked.set(key, problem);
    else this.ticked.delete(key);
  }

  tick(key, problem, isTicked) {
    this.setTick(key, problem, isTicked);
    this.rememberTicks();
    this.drawCompare();
  }

  /** Back restores the selected rows. */
  tickAsBefore() {
    const before = new Set((this.at.get("ticked") ?? "").split("\n"));
    for (const row of this.rows) if (before.has(keyOf(row))) this.ticked.set(keyOf(row), row.problem);
  }

  rememberTicks() {
    this.at.set({ ticked: [...this.ticked.keys()].sort().join("\n") });
  }

  tickAll(isTicked) {
    for (const row of this.rows) this.setTick(keyOf(row), row.problem, isTicked);
    this.rememberTicks();
    this.draw();
  }

  /** Two are compared in detail, more in a grid. */
  drawCompare() {
    const problems = new Set(this.ticked.values()), shown = this.rows.filter((row) => this.ticked.has(keyOf(row))).length;
    this.all.checked = shown > 0 && shown === this.rows.length;
    this.all.indeterminate = shown > 0 && shown < this.rows.length;
    const isReady = this.ticked.size >= 2 && problems.size === 1;
    this.compare.setAttribute("aria-disabled", String(!isReady));
    this.compare.classList.toggle("main", isReady);
    // The oldest comes first, so an improvement is above 0.
    const number = (key) => Number(key.slice(4).split("/")[0]);
    const keys = [...this.ticked.keys()].sort((one, other) => number(one) - number(other));
    if (!isReady) this.compare.removeAttribute("href");
    else this.compare.href = keys.length === 2 ? address("compare", { a: keys[0], b: keys[1] }) : address("grid", { runs: keys.join("\n") });
    const many = this.ticked.size > 2 ? ` ${this.ticked.size}` : this.ticked.size === 2 ? " two" : "";
    this.compare.textContent = problems.size > 1 ? "These are of different problems" : `Compare the${many} ticked`;
  }

  /** The totals of one problem, rule and number of cases. Others have a different scale. */
  async drawTotals() {
    const { runs } = await this.ask({ limit: DRAWN });
    const known = runs.filter((row) => row.total !== undefined);
    const kind = (row) => `${row.problem}, ${row.rule}, ${counted(row.planned, "case")}`;
    const kinds = [...new Set(known.map(kind))];
    // Choose the kind with the most runs.
    const size = (name) => known.filter((row) => kind(row) === name).length;
    if (!kinds.includes(this.kind)) [this.kind] = [...kinds].sort((one, other) => size(other) - size(one));
    this.overview.hidden = known.length === 0;
    if (known.length === 0) return;
    const pick = choice("runs", kinds, this.kind, (name) => {
      this.kind = name;
      this.at.set({ chart: name });
      this.drawTotals();
    });
    this.chart.box.querySelector("figcaption > :is(span, select)").replaceWith(pick);
    const drawn = known.filter((row) => kind(row) === this.kind).reverse();
    const numbers = [...new Set(drawn.map((row) => row.run))];
    const groups = [...new Set(drawn.map((row) => row.solver))].map((name) => {
      const totals = new Map(drawn.filter((row) => row.solver === name).map((row) => [row.run, Number(row.total)]));
      return { name, y: numbers.map((run) => totals.get(run) ?? null) };
    });
    this.again = () => lines(this.chart, {
      x: numbers, xLabel: "run", yLabel: drawn[0].rule, groups, hasPoints: true, isWhole: true,
      chosen: (place) => { if (numbers[place] !== undefined) location.hash = address(`runs/${numbers[place]}`); },
    });
    this.again();
    this.drawStandings(drawn);
  }

  /** The newest and the best total of each solver. */
  drawStandings(drawn) {
    const isLess = drawn[0].direction === "min" && ["sum", "mean"].includes(drawn[0].rule);
    const names = [...new Set(drawn.map((row) => row.solver))];
    const better = (one, other) => ((Number(one.total) < Number(other.total)) === isLess ? one : other);
    const rows = names.map((name) => {
      const own = drawn.filter((row) => row.solver === name);
      return { name, newest: own.at(-1), best: own.reduce((best, row) => better(best, row)) };
    });
    rows.sort((one, other) => (better(one.best, other.best) === one.best ? -1 : 1));
    const row = ({ name, newest, best }) => [el("span", {}, legendOf(name).firstChild, cut(name, 20)), digits(newest.total), el("a", { href: address(`runs/${best.run}`), title: `run ${best.run}` }, digits(best.total))];
    const content = table(["solver", "newest", "best"], ["name", "number", "number"], rows.slice(0, 9).map(row), "standings");
    content.classList.remove("scroll");
    this.standings.replaceChildren(el("h2", {}, "Standings"), content, rows.length > 9 ? el("p", { class: "faint" }, `and ${rows.length - 9} more`) : "");
  }

  hear(name, data) {
    if (name === "runs") {
      this.live.clear();
      this.load().catch(() => {});
    } else {
      this.live.set(data.run, data);
      if (data.state !== "running") this.live.delete(data.run);
      this.news.unshift(...data.finished.map((one) => ({ ...one, run: data.run })).reverse());
      this.news.length = Math.min(this.news.length, 12);
      this.drawLive();
      if (this.rows.some((row) => row.run === data.run)) this.draw();
      else this.load().catch(() => {});
    }
    if (this.live.size === 0) this.drawLive();
  }

  drawLive() {
    const run = (live) => {
      const done = live.solvers.reduce((sum, solver) => sum + solver.done, 0);
      const all = live.planned * live.solvers.length;
      const left = live.remaining_ms === undefined ? "" : `, about ${time(live.remaining_ms)} left`;
      const news = this.news.filter((one) => one.run === live.run);
      const item = (one) => el("li", {}, verdict(one.code), ` ${one.case} ${live.solvers.length > 1 ? one.solver : ""} `, digits(one.score));
      return el("div", { class: "detail", "data-run": live.run }, el("h3", {}, el("a", { href: address(`runs/${live.run}`) }, `Run ${live.run}`), " is running"),
        el("p", {}, el("progress", { value: done, max: all, "aria-label": `run ${live.run}` }), ` ${done} of ${all}${left}`),
        el("ul", { class: "news" }, news.map(item)));
    };
    this.running.replaceChildren(...[...this.live.values()].map(run));
  }
}
