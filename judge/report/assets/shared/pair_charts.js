// Charts of two solvers on the same cases: their scores, the effects, and the mean effect as cases came in.

import { countedInRanges, figure, histogram, lines, scatter } from "./charts.js";
import { el } from "./dom.js";

/** Formats an effect of a measure: percent for shares and ratios, else unchanged. */
export function shownEffect(measure, effect) {
  if (measure === "ratio") return Math.expm1(effect) * 100;
  return measure === "total" || measure === "relative" ? effect * 100 : effect;
}

/** Returns the unit of the result of `shownEffect`, with a leading space. */
export function effectUnit(measure) {
  return ["ratio", "total", "relative"].includes(measure) ? "\u00a0%" : "";
}

export class PairCharts {
  /** `pairs` are `{ name, effect, a, b }`, with the scores of both solvers where available; `looks` are as in the API.
   * `note` is shown below the scores. The optional `chosen` is called with the case name of a clicked point. */
  constructor({ measure, first, second, pairs, looks, note = "", chosen }) {
    Object.assign(this, { measure, first, second, pairs, looks, note, chosen });
    this.cloud = figure("Scores of both");
    this.spread = figure("Effects of the cases");
    this.course = figure("Effect as cases came in, with the anytime-valid interval");
    this.box = el("div", { class: "charts" }, this.cloud.box, this.spread.box, this.course.box);
    document.addEventListener("redraw", () => this.box.isConnected && this.draw());
  }

  draw() {
    const { measure, first, second, pairs, looks, note, chosen } = this;
    const effect = (value) => shownEffect(measure, value);
    const unit = effectUnit(measure);
    const isKnown = (score) => score !== undefined && score !== null;
    const both = pairs.filter((pair) => isKnown(pair.a) && isKnown(pair.b));
    const group = { name: second, names: both.map((pair) => pair.name), x: both.map((pair) => pair.a), y: both.map((pair) => pair.b) };
    scatter(this.cloud, {
      groups: [group], x: `A: ${first}`, y: `B: ${second}`, diagonal: true, note, chosen: chosen && ((_, at) => chosen(group.names[at])),
    });
    histogram(this.spread, { ...countedInRanges([{ name: second, values: pairs.map((pair) => effect(pair.effect)) }]), x: `effect${unit && ` in${unit}`}${measure === "total" ? " of A's mean" : ""}` });
    const ends = (end) => looks.map((look) => (look.interval ? effect(look.interval[end]) : null));
    lines(this.course, { x: looks.map((look) => look.cases), xLabel: "cases", yLabel: `mean effect${unit && ` in${unit}`}`, zero: true, groups: [
      { name: "mean", of: second, y: looks.map((look) => effect(look.mean)) }, { name: "low", y: ends("low"), isBand: true }, { name: "high", y: ends("high"), isBand: true },
    ] });
  }
}
