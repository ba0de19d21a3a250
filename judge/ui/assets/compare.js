// A against B: two solvers of past runs, paired by case.

import { get, isStatic } from "./api.js";
import { AS_TYPED, address, attempt, choice, counted, cut, debounced, digits, el, grouped, shown, table, terms } from "./dom.js";
import { effectUnit, PairCharts, shownEffect } from "./pair_charts.js";

/** The rows of the worst losses and the best gains. */
const EXTREMES = 8;

export async function comparePage(place, _, at) {
  const page = new Comparison(place, at);
  await page.load();
}

class Comparison {
  constructor(place, at) {
    this.at = at;
    this.query = { a: at.get("a") ?? "", b: at.get("b") ?? "", filter: at.get("filter") ?? "", group_by: at.get("group_by") ?? "" };
    this.title = el("h1", {}, "A against B");
    this.input = el("input", { value: this.query.filter, ...AS_TYPED, placeholder: "N<10", input: debounced(() => this.change({ filter: this.input.value })) });
    this.group = el("label", { hidden: true }, "By feature");
    this.body = el("div");
    const turn = el("button", { click: () => this.change({ a: this.query.b, b: this.query.a }) }, "Swap A and B");
    this.grid = el("a", { class: "button" }, "Grid of the cases");
    place.append(this.title, el("div", { class: "tools" }, el("label", { class: "wide", hidden: isStatic }, "Condition", this.input), this.group, turn, this.grid), this.body);
  }

  change(more) {
    Object.assign(this.query, more);
    this.at.set(this.query);
    return this.load();
  }

  async load() {
    this.body.setAttribute("aria-busy", "true");
    this.grid.href = address("grid", { runs: [this.query.a, this.query.b].join("\n"), filter: this.query.filter });
    await attempt(this.body, async () => {
      const [data, head] = await Promise.all([get("compare", this.query), this.head ?? this.readHead()]);
      this.head = head;
      this.showFeatures();
      this.show(data);
    });
    this.body.removeAttribute("aria-busy");
  }

  readHead() {
    return get(`runs/${encodeURIComponent(this.query.a.slice(4).split("/")[0])}`);
  }

  showFeatures() {
    // A static site only has comparisons over all cases.
    this.group.hidden = isStatic || this.head.features.length === 0;
    if (this.group.childElementCount > 0) return;
    this.group.append(choice("feature", ["", ...this.head.features], this.query.group_by, (name) => this.change({ group_by: name })));
  }

  show(data) {
    const [comparison] = data.comparisons;
    const [first, second] = data.solvers;
    const unit = effectUnit(data.measure);
    const effect = (value) => shownEffect(data.measure, value);
    const text = (value) => signed(effect(value), unit);
    this.title.textContent = `${second.name} against ${first.name}`;
    const { effect: found, interval, failures } = comparison;
    const [time] = data.time_changes;
    const kinds = { student: "Student's interval", anytime: "anytime-valid interval", "anytime-exact": "exact anytime-valid interval" };
    const ratio = (value) => signed(shownEffect("ratio", value), effectUnit("ratio"));
    const p = (value) => (value < 0.0001 ? "p\u00a0<\u00a00.0001" : `p\u00a0=\u00a0${shown(value)}`);
    const facts = [
      ["effect", found ? `${text(found.mean)} (${data.measure})` : "–"],
      [kinds[comparison.interval_kind], interval ? `${text(interval.low)} to ${text(interval.high)}, at ${100 * (1 - data.alpha)} %` : "–"],
      ["cases", grouped(comparison.cases)],
      ["tests", found ? `signs ${p(found.sign_test_p)}, signed ranks ${p(found.wilcoxon_p)}` : "–"],
      ["CPU time", time ? `${ratio(time.mean)}, ${ratio(time.interval.low)} to ${ratio(time.interval.high)}` : "not compared"],
      ["failures", `only A ${failures.first_only}, only B ${failures.second_only}, both ${failures.both}`],
    ];
    const results = this.results(data, first.name, second.name);
    const charts = this.charts(data, comparison, results);
    const said = el("div", { class: "card" }, el("p", {}, comparison.fact ?? ""), el("p", {}, el("strong", {}, comparison.conclusion)),
      [comparison.scope, comparison.note].filter(Boolean).map((remark) => el("p", { class: "faint" }, remark)), data.warnings.map((warning) => el("p", { class: "warn" }, warning)),
      found ? outcomes(found) : "");
    const numbers = el("div", { class: "card" }, el("dl", { class: "facts" }, terms(facts)));
    this.body.replaceChildren(el("div", { class: "split" }, said, numbers), ...this.groups(comparison, text), charts.box, this.extremes(comparison, results, data, text));
    charts.draw();
  }

  /** The results of both by case. */
  results(data, first, second) {
    const of = (entry, name) => entry.results.find((result) => result.solver === name);
    return new Map(data.cases.map((entry) => [entry.case, [of(entry, first), of(entry, second)]]));
  }

  charts(data, comparison, results) {
    const [first, second] = data.solvers;
    const number = (result) => (result?.score === undefined ? undefined : Number(result.score));
    const pairs = comparison.effects.map(({ case: name, effect }) => {
      const [a, b] = results.get(name).map(number);
      return { name, effect, a, b };
    });
    const chosen = (name) => {
      location.hash = this.link(second, name);
    };
    return new PairCharts({ measure: data.measure, first: first.name, second: second.name, pairs, looks: data.looks, chosen });
  }

  groups(comparison, text) {
    if (!comparison.groups) return [];
    const range = ({ low, high }) => (shown(low) === shown(high) ? shown(low) : `${shown(low)} to ${shown(high)}`);
    const row = (group) => [range(group), digits(group.cases), group.mean === undefined ? "–" : text(group.mean),
      group.interval ? `${text(group.interval.low)} to ${text(group.interval.high)}` : "–"];
    return [el("h2", {}, `By ${this.query.group_by}`), table([this.query.group_by, "cases", "effect", "interval"], ["", "number", "number", "number wrap"], comparison.groups.map(row), "groups")];
  }

  link(solver, name) {
    const [, own] = solver.run ? this.query.b.split(/\/(.*)/s) : [];
    return address(`runs/${solver.run}`, { case: name, solver: own });
  }

  extremes(comparison, results, data, text) {
    const hasMoves = this.head.replays;
    const isTotal = data.measure === "total", hasCommands = comparison.effects.some(({ reproduce }) => reproduce);
    const sorted = [...comparison.effects].sort((left, right) => left.effect - right.effect);
    const losses = sorted.filter((pair) => pair.effect < 0).slice(0, EXTREMES);
    const gains = sorted.filter((pair) => pair.effect > 0).slice(-EXTREMES).reverse();
    const result = (one) => (one === undefined ? "–" : one.score === undefined ? one.verdict : digits(one.score));
    const row = (pair) => {
      const [first, second] = results.get(pair.case);
      const own = pair.own_change === undefined ? "–" : text(pair.own_change);
      const effects = isTotal ? [own, text(pair.of_total)] : [text(pair.effect)];
      const { a, b } = this.query;
      const replays = el("a", { href: address("replays", { a, b, case: pair.case }), "aria-label": `replays of ${pair.case}` }, "Replays");
      return [el("a", { href: this.link(data.solvers[1], pair.case) }, pair.case), result(first), result(second), ...effects, ...(hasMoves ? [replays] : []), ...(hasCommands ? [el("code", {}, cut(pair.reproduce, 44))] : [])];
    };
    const effects = isTotal ? ["own change", "of the total"] : ["effect"];
    const titles = ["case", "A", "B", ...effects, ...(hasMoves ? ["side by side"] : []), ...(hasCommands ? ["runs B again"] : [])];
    const kinds = ["", "number", "number", ...effects.map((_, at) => (at === 0 && isTotal ? "number spare-3" : "number")), ...(hasMoves ? [""] : []), "name spare-2"];
    const part = (title, pairs) => [el("h2", {}, title), pairs.length === 0 ? el("p", { class: "faint" }, "none")
      : table(titles, kinds, pairs.map(row), title)];
    return el("div", {}, part("Worst losses of B", losses), part("Best gains of B", gains));
  }
}

/** Returns a difference with its sign. Percents have two decimals, unless they are small. */
function signed(value, unit) {
  return `${value > 0 ? "+" : ""}${grouped(unit && Math.abs(value) >= 0.1 ? value.toFixed(2) : value)}${unit}`;
}

/** Returns a bar of the cases where B is better, equal and worse, and their numbers. */
function outcomes({ wins, ties, losses }) {
  const all = wins + ties + losses || 1;
  const part = (count, ink) => {
    const span = el("span");
    Object.assign(span.style, { width: `${(100 * count) / all}%`, background: `var(--${ink})` });
    return span;
  };
  return [el("div", { class: "outcomes", "aria-hidden": "true" }, part(wins, "good"), part(ties, "edge"), part(losses, "bad")),
    el("p", { class: "faint" }, `B is better on ${counted(wins, "case")}, equal on ${ties}, worse on ${losses}`)];
}
