// A run: its leaderboard, charts and cases.

import { get, path } from "./api.js";
import { Cases } from "./cases.js";
import { CaseCharts, FIRST_AXES } from "./case_charts.js";
import { legendOf } from "./charts.js";
import { address, bar, counted, cut, digits, el, table, terms, tiles, time } from "./dom.js";
import { Labels } from "./labels.js";
import { drawActions } from "./started.js";

export async function runPage(place, [id], at) {
  const head = await get(path("runs", id));
  const page = new Run(place, head, at);
  await page.start();
  return (name, data) => page.hear(name, data);
}

class Run {
  constructor(place, head, at) {
    Object.assign(this, { head, at });
    this.state = el("p", { class: "faint", role: "status" });
    this.labels = new Labels(head);
    this.actions = el("div", { class: "tools" });
    this.tiles = el("dl", { class: "tiles" });
    this.board = el("div");
    this.cases = new Cases(head, at, (holds) => this.drawCharts(holds));
    this.charts = this.caseCharts();
    const { machine, limits, checker } = head;
    const facts = [
      ["command", el("code", {}, head.command)], ["started", new Date(head.date).toLocaleString()], ["took", time(head.elapsed_ms)],
      ["checker", [checker.name, checker.version].filter((part) => part !== undefined).join(", version ")],
      ["limits", `CPU ${time(limits.cpu_ms)}, wall ${time(limits.wall_ms)}, memory ${Math.round(limits.memory_bytes / 2 ** 20)} MiB`],
      ["machine", `${machine.host}, ${machine.cpu}, Linux ${machine.kernel}`], ["sandbox", head.tier], ["jobs", String(head.jobs)],
    ];
    const entrants = head.solvers.map(({ name }) => `run:${head.run}/${name}`);
    place.append(
      el("div", { class: "title" }, el("h1", {}, `Run ${head.run}: `, el("a", { href: address(`problems/${head.problem}`) }, head.problem)), this.labels.box),
      head.message ? el("p", {}, head.message) : "", this.state, this.actions, this.tiles, this.board,
      el("div", { class: "tools" }, entrants.length === 2 ? el("a", { class: "button", href: address("compare", { a: entrants[0], b: entrants[1] }) }, "Compare both") : "",
        entrants.length > 1 ? el("a", { class: "button", href: address("grid", { runs: entrants.join("\n") }) }, "Grid of the cases") : ""),
      el("details", {}, el("summary", {}, "Command, limits and machine"), el("dl", { class: "facts card" }, terms(facts))),
      el("h2", {}, "Cases"), this.cases.tools, this.cases.wrong, this.charts.box, this.cases.box,
    );
    this.drawHead();
  }

  caseCharts() {
    const { head, at } = this;
    const names = head.fields.filter((field) => !["case", "solver", "verdict"].includes(field));
    const ask = (what, query) => get(path("runs", head.run, what), { ...query, filter: this.cases.filter });
    const first = { ...FIRST_AXES, by: head.features[0] ?? "" };
    const given = Object.keys(first).filter((axis) => at.has(axis)).map((axis) => [axis, at.get(axis)]);
    return new CaseCharts({
      fields: [...names, "case", ...head.features], features: head.features, hasFormulas: true, chosen: (name, solver) => this.cases.open(name, solver),
      source: { points: (x, y) => ask("points", { x, y }), counts: (x) => ask("counts", { x }), boxes: (y, by) => ask("boxes", { y, by }) },
      brushed: (ranges) => this.cases.brush(ranges), axes: Object.fromEntries(given),
      changed: (axes) => at.set(Object.fromEntries(Object.entries(axes).map(([axis, formula]) => [axis, formula === first[axis] ? "" : formula]))),
    });
  }

  async start() {
    await this.drawCharts(await this.cases.load());
    const row = Number(this.at.get("row") ?? 0);
    if (row) this.cases.rows.goTo(row);
  }

  /** Draws the charts of the shown cases. An invalid condition has no charts. */
  drawCharts(holds) {
    this.charts.box.hidden = !holds;
    return holds && this.charts.draw();
  }

  drawHead() {
    const { head } = this;
    // After an error, the next event draws them.
    drawActions(this.actions, head).catch(() => {});
    const { rule, direction } = head.scoring;
    this.state.replaceChildren(`${head.detached ?? head.state}, ${head.done} of ${counted(head.planned, "case")}, scored by ${rule}, ${direction === "min" ? "less" : "more"} is better${head.rescored ? "; the scoring has changed since: the list of runs has the totals of that time" : ""}`);
    const order = [...head.solvers.keys()].sort((left, right) => head.solvers[left].rank - head.solvers[right].rank);
    this.drawTiles(head.solvers[order[0]], rule);
    const row = (solver) => {
      const one = head.solvers[solver];
      const share = head.relative[solver];
      const failures = one.failures === 0 ? "0" : el("button", { "aria-label": `${one.failures} failures of ${one.name}: show them`, click: () => this.cases.showFailures(one.name) }, String(one.failures));
      return [String(one.rank), legendOf(one.name), digits(one.total), digits(one.mean), failures, el("div", {}, bar(share)), share === null ? "–" : `${(100 * share).toFixed(1)} %`,
        digits(one.bests), digits(one.wins), digits(one.losses), time(one.mean_cpu_ms)];
    };
    const titles = ["rank", "solver", rule, "mean", "failed", "share of the best", "%", "best", "wins", "losses", "mean CPU"];
    const classes = ["number", "name", "number", "number spare-3", "number", "spare-3", "number", "number spare-2", "number spare-2", "number spare-2", "number spare-3"];
    this.board.replaceChildren(table(titles, classes, order.map(row), "leaderboard"));
  }

  /** The key figures. */
  drawTiles(best, rule) {
    const { head } = this;
    const failures = head.solvers.reduce((sum, one) => sum + one.failures, 0);
    const figures = [
      [`best ${rule}`, best ? digits(best.total) : "–"], ["by", best ? cut(best.name, 18) : "–"], ["cases", digits(head.done)],
      ["not accepted", el("span", { class: failures > 0 ? "bad" : "good" }, digits(failures))], ["took", time(head.elapsed_ms)],
    ];
    this.tiles.replaceChildren(...tiles(figures));
  }

  /** Updates the numbers and rows while the run is in progress, and the tags and note always. */
  async hear(name, data) {
    const { run, state } = this.head;
    if (name === "progress" && (data.run !== run || (data.finished.length === 0 && data.state === state))) return;
    // Events that arrive during the request are handled after it.
    this.isBehind = true;
    if (this.isReading) return;
    this.isReading = true;
    while (this.isBehind) {
      this.isBehind = false;
      // After an error, the next event retries.
      await this.read().catch(() => {});
    }
    this.isReading = false;
  }

  async read() {
    const now = await get(path("runs", this.head.run));
    this.labels.follow(now);
    if (now.state === this.head.state && now.detached === this.head.detached && now.done === this.head.done) return;
    Object.assign(this.head, { detached: undefined }, now);
    this.drawHead();
    const holds = await this.cases.load(true);
    if (holds && now.state !== "running") await this.charts.draw();
  }
}
