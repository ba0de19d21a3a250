// The runs: those that go on, those that have ended, and the totals of each solver over time.

import { get } from "./api.js";
import { figure, lines } from "./charts.js";
import { address, choice, debounced, el, failure, shown, time, verdict } from "./dom.js";
import { tagList } from "./labels.js";
import { Started } from "./started.js";

const ROWS = 100;
/** The rows of which the totals are drawn. */
const DRAWN = 1000;

export async function runsPage(place, _, query) {
  const page = new Runs(place, query);
  await page.load();
  await page.started.load();
  return (name, data) => page.hear(name, data);
}

class Runs {
  constructor(place, query) {
    Object.assign(this, { rows: [], total: 0, ticked: new Map(), live: new Map(), news: [] });
    this.text = query.get("text") ?? "";
    this.tag = query.get("tag") ?? "";
    this.search = el("input", { type: "search", value: this.text, placeholder: "solver, problem, message, tag, note or number", input: debounced(() => this.searched()) });
    this.compare = el("a", { class: "button", "aria-disabled": "true", role: "link" }, "Compare the two ticked");
    this.started = new Started();
    this.running = el("section", { "aria-live": "polite" });
    this.list = el("tbody");
    this.count = el("p", { class: "faint", role: "status" });
    this.more = el("button", { type: "button", click: () => this.extend() }, "Show more");
    this.chart = figure("Totals over time", el("span"));
    const titles = ["", "run", "solver", "problem", "started", "cases", "failed", "total", "change", "state", "message"];
    const numbers = new Set(["run", "cases", "failed", "total", "change"]);
    const head = titles.map((title) => el("th", { scope: "col", class: numbers.has(title) ? "number" : "" }, title || el("span", { class: "faint" }, "✓")));
    place.append(
      el("h1", {}, "Runs"), this.started.box, this.running, this.chart.box,
      el("div", { class: "tools" }, el("label", { class: "wide" }, "Search", this.search), this.compare),
      this.tag ? el("p", {}, "Only runs with the tag ", el("span", { class: "tag" }, this.tag), " ", el("a", { href: address("") }, "Show all")) : "",
      el("div", { class: "scroll" }, el("table", {}, el("thead", {}, el("tr", {}, head)), this.list)), this.count, this.more,
    );
  }

  async load() {
    const { runs, total } = await this.ask({ limit: Math.min(1000, Math.max(ROWS, this.rows.length)) });
    Object.assign(this, { rows: runs, total });
    this.draw();
    await this.drawTotals();
  }

  ask(more) {
    return get("runs", { text: this.text, tag: this.tag, ...more });
  }

  async extend() {
    const { runs } = await this.ask({ offset: this.rows.length, limit: ROWS });
    this.rows.push(...runs);
    this.draw();
  }

  async searched() {
    this.text = this.search.value;
    history.replaceState(null, "", address("", { text: this.text, tag: this.tag }));
    this.rows = [];
    try {
      await this.load();
    } catch (error) {
      this.count.replaceChildren(failure(error));
    }
  }

  draw() {
    let before;
    this.list.replaceChildren(...this.rows.map((row) => {
      const drawn = this.row(row, row.run !== before);
      before = row.run;
      return drawn;
    }));
    const solvers = this.total === 1 ? "1 result of a solver" : `${this.total} results of solvers`;
    this.count.textContent = this.total === 0 ? (this.text || this.tag ? "no run matches" : "no runs yet: `judge run -p columns` makes one") : `${this.rows.length} of ${solvers}`;
    this.more.hidden = this.rows.length >= this.total;
    this.drawCompare();
  }

  row(row, isFirst) {
    const now = this.live.get(row.run)?.solvers.find(({ solver }) => solver === row.solver);
    const [done, accepted] = now ? [now.done, now.accepted] : [row.done, row.accepted];
    const key = `run:${row.run}/${row.solver}`;
    const tick = el("input", {
      type: "checkbox", checked: this.ticked.has(key), "aria-label": `compare ${row.solver} of run ${row.run}`,
      change: (event) => this.tick(key, row.problem, event.target.checked),
    });
    const run = el("a", { href: address(`runs/${row.run}`) }, String(row.run));
    const isWorse = row.change !== undefined && (Number(row.change) < 0) !== (row.direction === "min" && ["sum", "mean"].includes(row.rule));
    const sign = Number(row.change) > 0 ? "+" : "";
    const change = el("span", { class: Number(row.change) === 0 || row.change === undefined ? "" : isWorse ? "bad" : "good" }, row.change === undefined ? "–" : `${sign}${shown(row.change)}`);
    const failed = el("span", { class: done > accepted ? "bad" : "" }, String(done - accepted));
    const cells = [
      [tick], [run, "number"], [row.settings === undefined ? row.solver : `${row.solver} (best of ${row.settings})`], [el("a", { href: address(`problems/${row.problem}`) }, row.problem)],
      [el("time", { datetime: row.started }, new Date(row.started).toLocaleString())],
      [done === row.planned ? String(done) : `${done}/${row.planned}`, "number"], [failed, "number"], [shown(row.total), "number"], [change, "number"],
      [this.live.get(row.run)?.state ?? row.detached ?? row.state], [isFirst ? this.words(row) : row.message ?? "", "words"],
    ];
    return el("tr", { class: isFirst ? "first" : "" }, cells.map(([content, name = ""]) => el("td", { class: name }, content)));
  }

  /** What the user says of a run. */
  words({ message, tags, note }) {
    return [message ?? "", el("div", {}, tagList(tags)), note ? el("div", { class: "faint" }, note.split("\n")[0]) : ""];
  }

  tick(key, problem, isTicked) {
    if (isTicked) this.ticked.set(key, problem);
    else this.ticked.delete(key);
    this.drawCompare();
  }

  drawCompare() {
    const [first, second] = [...this.ticked.keys()];
    const [left, right] = [...this.ticked.values()];
    const isReady = this.ticked.size === 2 && left === right;
    this.compare.setAttribute("aria-disabled", String(!isReady));
    // The older of the two comes first: a change for the better is above 0.
    const number = (key) => Number(key.slice(4).split("/")[0]);
    if (isReady) {
      const [a, b] = number(first) <= number(second) ? [first, second] : [second, first];
      this.compare.href = address("compare", { a, b });
    } else this.compare.removeAttribute("href");
    this.compare.textContent = this.ticked.size === 2 && !isReady ? "Those two are of different problems" : "Compare the two ticked";
  }

  /** The totals of one problem, rule and number of cases: others have another scale. */
  async drawTotals() {
    const { runs } = await this.ask({ limit: DRAWN });
    const known = runs.filter((row) => row.total !== undefined);
    const kind = (row) => `${row.problem}, ${row.rule}, ${row.planned} cases`;
    const kinds = [...new Set(known.map(kind))];
    if (!kinds.includes(this.kind)) [this.kind] = kinds;
    this.chart.box.hidden = known.length === 0;
    if (known.length === 0) return;
    const pick = choice("runs", kinds, this.kind, (name) => {
      this.kind = name;
      this.drawTotals();
    });
    this.chart.box.querySelector("figcaption").replaceChildren(this.chart.title, pick);
    const drawn = known.filter((row) => kind(row) === this.kind).reverse();
    const at = (row) => Date.parse(row.started) / 1000;
    const times = [...new Set(drawn.map(at))];
    const groups = [...new Set(drawn.map((row) => row.solver))].map((name) => {
      const totals = new Map(drawn.filter((row) => row.solver === name).map((row) => [at(row), Number(row.total)]));
      return { name, y: times.map((time) => totals.get(time) ?? null) };
    });
    lines(this.chart, { x: times, xLabel: "started", yLabel: drawn[0].rule, isTime: true, groups });
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
      const item = (one) => el("li", {}, verdict(one.code), ` ${one.case} ${live.solvers.length > 1 ? one.solver : ""} ${shown(one.score)}`);
      return el("div", { class: "detail", "data-run": live.run }, el("h3", {}, el("a", { href: address(`runs/${live.run}`) }, `Run ${live.run}`), " is running"),
        el("p", {}, el("progress", { value: done, max: all, "aria-label": `run ${live.run}` }), ` ${done} of ${all}${left}`),
        el("ul", { class: "news" }, news.map(item)));
    };
    this.running.replaceChildren(...[...this.live.values()].map(run));
  }
}
