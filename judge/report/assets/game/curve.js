// The score of a game over time, and its highlights.

import { el } from "./dom.js";

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

/** Returns a style colour in the current theme, light or dark. */
const shade = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

/** The scores of one or two games over the ticks of the clock. For two games, also the lead of the first. */
export class Curve {
  /** `curves` are lists of `{ name, color, totals, marks }`. `chosen` is called with the clicked tick. */
  constructor(place, curves, chosen) {
    Object.assign(this, { place, curves, chosen, now: 0 });
    const longest = Math.max(...curves.map(({ totals }) => String(Math.round(totals.reduce((most, total) => Math.max(most, Math.abs(total)), 0))).length));
    this.side = 30 + 9 * Math.min(12, longest);
    this.charts = [this.scores()];
    if (curves.length === 2) this.charts.push(this.lead());
    new ResizeObserver(() => this.charts.forEach((chart) => chart.setSize({ width: this.width(), height: chart.height }))).observe(place);
  }

  width() {
    return Math.max(200, this.place.clientWidth);
  }

  axis(more) {
    const line = { stroke: () => shade("line"), width: 1 };
    return { stroke: () => shade("faint"), grid: line, ticks: line, font: "12px system-ui", ...more };
  }

  chart(height, series, data, decorate, more = {}) {
    const place = el("div");
    this.place.append(place);
    const ticks = data[0].map((_, tick) => tick);
    return new uPlot({
      width: this.width(), height, padding: [18, 12, 0, 0], legend: { show: false }, scales: { x: { time: false } },
      cursor: { drag: { x: false, y: false }, points: { show: false }, y: false },
      axes: [this.axis({ size: 26 }), this.axis({ size: this.side })], series: [{}, ...series],
      hooks: { draw: [decorate], ready: [(chart) => chart.over.addEventListener("click", () => this.chosen(chart.cursor.idx))] },
      ...more,
    }, [ticks, ...data], place);
  }

  scores() {
    // A score too large for a JavaScript number is left out of the curve.
    const data = this.curves.map(({ totals }) => totals.map((total) => (Number.isFinite(total) ? total : null)));
    const series = this.curves.map(({ color }) => ({ stroke: () => shade(color), width: 2.5, points: { show: false } }));
    return this.chart(this.curves.length === 2 ? 220 : 180, series, data, (chart) => this.decorate(chart));
  }

  /** The difference as an area, above zero in the first game's colour and below zero in the second's. */
  lead() {
    const [first, second] = this.curves;
    const leads = first.totals.map((total, tick) => total - second.totals[tick]).map((lead) => (Number.isFinite(lead) ? lead : null));
    const part = (color) => ({ stroke: () => shade(color), fill: () => `color-mix(in srgb, ${shade(color)} 45%, transparent)`, width: 1, points: { show: false }, fillTo: 0 });
    const data = [leads.map((lead) => lead && Math.max(0, lead)), leads.map((lead) => lead && Math.min(0, lead))];
    return this.chart(120, [part(first.color), part(second.color)], data, (chart) => this.drawNow(chart));
  }

  drawNow(chart) {
    const { ctx } = chart, x = chart.valToPos(this.now, "x", true);
    ctx.save();
    ctx.strokeStyle = shade("faint");
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
      ctx.strokeStyle = shade("paper");
      ctx.fillStyle = shade(color);
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
