// A run: its leaderboard, charts of its cases, and the cases themselves.

import { get, path } from "./api.js";
import { Cases } from "./cases.js";
import { CaseCharts } from "./case_charts.js";
import { address, bar, el, shown, table, time } from "./dom.js";
import { Labels } from "./labels.js";
import { drawActions } from "./started.js";

export async function runPage(place, [id], query) {
  const head = await get(path("runs", id));
  const page = new Run(place, head, query);
  await page.start();
  return (name, data) => page.hear(name, data);
}

class Run {
  constructor(place, head, query) {
    this.head = head;
    this.state = el("p", { role: "status" });
    this.labels = new Labels(head);
    this.actions = el("div", { class: "tools" });
    this.board = el("div");
    this.cases = new Cases(head, query, () => this.charts.draw());
    const names = head.fields.filter((field) => !["case", "solver", "verdict"].includes(field));
    this.charts = new CaseCharts({
      fields: [...names, "case", ...head.features], chosen: (name, solver) => this.cases.open(name, solver),
      points: (x, y) => get(path("runs", head.run, "points"), { x, y, filter: this.cases.filter }),
    });
    const fact = ([name, text]) => [el("dt", {}, name), el("dd", {}, text)];
    const { machine, limits, checker } = head;
    const facts = [
      ["command", head.command], ["started", new Date(head.date).toLocaleString()], ["took", time(head.elapsed_ms)],
      ["checker", [checker.name, checker.version].filter((part) => part !== undefined).join(", version ")],
      ["limits", `CPU ${time(limits.cpu_ms)}, wall ${time(limits.wall_ms)}, memory ${Math.round(limits.memory_bytes / 2 ** 20)} MiB`],
      ["machine", `${machine.host}, ${machine.cpu}, Linux ${machine.kernel}`], ["sandbox", head.tier], ["jobs", String(head.jobs)],
    ];
    place.append(
      el("h1", {}, `Run ${head.run}: `, el("a", { href: address(`problems/${head.problem}`) }, head.problem)),
      head.message ? el("p", {}, head.message) : "", this.labels.box, this.state, this.actions, this.board,
      el("details", {}, el("summary", {}, "Command, limits and machine"), el("dl", { class: "facts" }, facts.flatMap(fact))),
      el("h2", {}, "Cases"), this.cases.tools, this.charts.box, this.cases.box,
    );
    this.drawHead();
  }

  async start() {
    await this.cases.load();
    await this.charts.draw();
  }

  drawHead() {
    const { head } = this;
    // After an error, the next event draws them.
    drawActions(this.actions, head).catch(() => {});
    const { rule, direction } = head.scoring;
    this.state.replaceChildren(`${head.detached ?? head.state}, ${head.done} of ${head.planned} cases, scored by ${rule}, ${direction === "min" ? "less" : "more"} is better`);
    const order = [...head.solvers.keys()].sort((left, right) => head.solvers[left].rank - head.solvers[right].rank);
    const row = (solver) => {
      const one = head.solvers[solver];
      const share = head.relative[solver];
      const failures = el("button", { type: "button", disabled: one.failures === 0, click: () => this.cases.showFailures(one.name) }, String(one.failures));
      return [String(one.rank), one.name, shown(one.total), shown(one.mean), failures, String(one.bests), String(one.wins), String(one.losses), time(one.mean_cpu_ms),
        el("div", {}, bar(share)), share === null ? "–" : `${(100 * share).toFixed(1)} %`];
    };
    const titles = ["rank", "solver", rule, "mean", "failed", "best", "wins", "losses", "mean CPU", "share of the best", ""];
    const classes = ["number", "", "number", "number", "number", "number", "number", "number", "number", "", "number"];
    this.board.replaceChildren(table(titles, classes, order.map(row)));
  }

  /** While the run goes on, its numbers and its rows follow; its tags and its note always do. */
  async hear(name, data) {
    const { run, state } = this.head;
    if (name === "progress" && (data.run !== run || (data.finished.length === 0 && data.state === state))) return;
    // What happens while the run is read is read after it.
    this.isBehind = true;
    if (this.isReading) return;
    this.isReading = true;
    while (this.isBehind) {
      this.isBehind = false;
      // After an error, the next event tries again.
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
    await this.cases.load(true);
    if (now.state !== "running") await this.charts.draw();
  }
}
