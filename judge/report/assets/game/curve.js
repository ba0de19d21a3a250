// The score of a game over time, and its highlights.

import { el, grouped, tint } from "./dom.js";

/** The maximum number of marked highlights of each kind. */
const MOST_MARKS = 30;
/** The shape of each kind. */
export const MARK_SHAPES = { "combo": "▲", "magic": "★", "large gain": "●", "rejected": "✕" };
/** Marks closer together than this, in pixels, are not both drawn. */
const MARK_ROOM = 13;

/** Returns the highlights of a kind to mark: those with the largest gains, evenly sampled among equal gains. */
function largest(all, gain) {
  if (all.length <= MOST_MARKS) return all;
  const least = [...all].sort((one, other) => gain(other) - gain(one)).map(gain)[MOST_MARKS];
  const above = all.filter((at) => gain(at) > least), equal = all.filter((at) => gain(at) === least);
  const share = (MOST_MARKS - above.length) / equal.length;
  return [...above, ...equal.filter((_, place) => Math.floor(place * share) > Math.floor((place - 1) * share))];
}

/** Returns the highlighted frames in order: `{ at, kind }`. */
export function standingOut(frames, captions, isRejected) {
  const gain = (at) => Number(frames[at].g ?? 0);
  const kinds = { "combo": [], "magic": [], "large gain": [] };
  /** The gain of each move, by its first frame; 0 if one of its frames is already marked. */
  const ofMoves = new Map();
  let start = 0, isMarked = false;
  for (let at = 0; at < frames.length; at++) {
    if (frames[at].s !== undefined) [start, isMarked] = [at, false];
    if (gain(at) <= 0) continue;
    const caption = captions[frames[at].t];
    const isCombo = Number(/combo (\d+)/.exec(caption)?.[1] ?? 0) > 1, isMagic = /magic/.test(caption);
    if (isCombo || isMagic) kinds[isCombo ? "combo" : "magic"].push(at);
    isMarked ||= isCombo || isMagic;
    ofMoves.set(start, isMarked ? 0 : (ofMoves.get(start) ?? 0) + gain(at));
  }
  const ofMove = (at) => ofMoves.get(at);
  const gains = [...ofMoves.keys()].filter((at) => ofMove(at) > 0);
  const most = gains.reduce((most, at) => Math.max(most, ofMove(at)), 0);
  // If all gains are equal, none is a highlight.
  kinds["large gain"] = gains.every((at) => ofMove(at) === most) ? [] : gains.filter((at) => ofMove(at) >= most / 2);
  const marks = Object.entries(kinds).flatMap(([kind, all]) =>
    largest(all, kind === "large gain" ? ofMove : gain).map((at) => ({ at, kind })));
  if (isRejected) marks.push({ at: frames.length - 1, kind: "rejected" });
  return marks.sort((one, other) => one.at - other.at);
}

/** Returns the legend of the marks. */
export function legendOf(marks) {
  return [...new Set(marks.map(({ kind }) => `${MARK_SHAPES[kind]} ${kind}`))].join("  ");
}

/** The scores of one game, or of two, by the ticks of their clock; and, of two, by how much the first leads. */
export class Curve {
  /** `chosen` is called with the tick that is clicked. */
  constructor(place, chosen) {
    Object.assign(this, { place, chosen, now: 0, charts: [] });
    new ResizeObserver(() => this.charts.forEach((chart) => chart.setSize({ width: this.width(), height: chart.height }))).observe(place);
  }

  /** Draws `{ color, totals, marks }` of each game. A total is missing while its frame is. */
  draw(curves) {
    this.curves = curves;
    const longest = Math.max(...curves.map(({ totals }) => String(Math.round(totals.reduce((most, total) => Math.max(most, Math.abs(total ?? 0)), 0))).length));
    this.side = 30 + 9 * Math.min(12, longest);
    const data = [this.scores(), curves.length === 2 && this.leads()].filter(Boolean), ticks = data[0][0].map((_, tick) => tick);
    if (this.charts.length === 0) this.charts = this.build(data.map((lists) => [ticks, ...lists]));
    else this.charts.forEach((chart, at) => chart.setData([ticks, ...data[at]]));
  }

  width() {
    return Math.max(200, this.place.clientWidth);
  }

  axis(more) {
    const line = { stroke: () => tint("line"), width: 1 };
    return { stroke: () => tint("faint"), grid: line, ticks: line, font: "12px system-ui", labelFont: "12px system-ui", labelSize: 18, values: (_, ticks) => ticks.map(grouped), ...more };
  }

  chart(label, height, series, data, decorate) {
    const place = el("div");
    this.place.append(place);
    return new uPlot({
      width: this.width(), height, padding: [18, 12, 0, 0], legend: { show: false }, scales: { x: { time: false } },
      cursor: { drag: { x: false, y: false }, points: { show: false }, y: false },
      axes: [this.axis({ size: 26 }), this.axis({ size: () => this.side, label })], series: [{}, ...series],
      hooks: { draw: [decorate], ready: [(chart) => chart.over.addEventListener("click", () => this.chosen(chart.cursor.idx))] },
    }, data, place);
  }

  /** Returns the scores. One that is beyond a script's numbers has no place on the curve. */
  scores() {
    return this.curves.map(({ totals }) => totals.map((total) => (Number.isFinite(total) ? total : null)));
  }

  /** Returns by how much the first game leads, and by how much the second. */
  leads() {
    const [first, second] = this.curves;
    const leads = first.totals.map((total, tick) => total - second.totals[tick]).map((lead) => (Number.isFinite(lead) ? lead : null));
    return [leads.map((lead) => lead && Math.max(0, lead)), leads.map((lead) => lead && Math.min(0, lead))];
  }

  /** Returns the chart of the scores. For two games, also a chart of their difference, as an area in the colour of the leading game. */
  build([scores, leads]) {
    const stroke = (color) => ({ stroke: () => tint(color), points: { show: false } });
    const line = ({ color }) => ({ ...stroke(color), width: 2.5 });
    const area = ({ color }) => ({ ...stroke(color), fill: () => `color-mix(in srgb, ${tint(color)} 45%, transparent)`, width: 1, fillTo: 0 });
    const charts = [this.chart("points", leads ? 220 : 180, this.curves.map(line), scores, (chart) => this.decorate(chart))];
    if (leads) charts.push(this.chart("lead", 120, this.curves.map(area), leads, (chart) => this.drawNow(chart)));
    return charts;
  }

  drawNow(chart) {
    const { ctx } = chart, x = chart.valToPos(this.now, "x", true);
    ctx.save();
    ctx.strokeStyle = tint("faint");
    ctx.lineWidth = devicePixelRatio;
    ctx.strokeRect(x, chart.bbox.top, 0, chart.bbox.height);
    ctx.restore();
    return x;
  }

  decorate(chart) {
    const { ctx } = chart, ratio = devicePixelRatio;
    const x = this.drawNow(chart);
    ctx.save();
    ctx.font = `${14 * ratio}px system-ui, sans-serif`;
    ctx.textAlign = "center";
    ctx.lineWidth = 3 * ratio;
    for (const { color, totals, marks } of this.curves) {
      ctx.strokeStyle = tint("paper");
      ctx.fillStyle = tint(color);
      let last = -Infinity;
      for (const { at, kind } of marks) {
        const left = chart.valToPos(at, "x", true);
        if (left - last < MARK_ROOM * ratio) continue;
        last = left;
        const top = Math.max(chart.bbox.top + 4 * ratio, chart.valToPos(totals[at], "y", true) - 6 * ratio);
        ctx.strokeText(MARK_SHAPES[kind], left, top);
        ctx.fillText(MARK_SHAPES[kind], left, top);
      }
      ctx.beginPath();
      ctx.arc(x, chart.valToPos(totals[this.now], "y", true), 5 * ratio, 0, 2 * Math.PI);
      ctx.stroke();
      ctx.fill();
    }
    ctx.restore();
  }

  move(tick) {
    this.now = tick;
    for (const chart of this.charts) chart.redraw(false);
  }
}
