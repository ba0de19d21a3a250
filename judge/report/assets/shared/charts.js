// Charts, drawn by uPlot.

import { el, shown } from "./dom.js";

const HEIGHT = 260;
const COLORS = 6;
/** The height of the numbers below a chart. */
const FLAT = 32;

/** Returns a colour of the style, as it is now: light or dark. */
function color(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

/** Returns the colour of a solver. Beyond the last they begin again. */
export function seriesColor(place) {
  return color(`series-${(place % COLORS) + 1}`);
}

/** Returns an empty figure and the place of its chart. `tools` stand beside its title. */
export function figure(title, ...tools) {
  const plot = el("div", { class: "plot" });
  const hint = el("div", { class: "hint" });
  return { box: el("figure", {}, el("figcaption", {}, title, ...tools), plot, hint), plot, hint, title };
}

function axis(label, more = {}) {
  const faint = color("faint");
  const grid = { stroke: color("line"), width: 1 };
  return { label, stroke: faint, grid, ticks: grid, font: "12px system-ui", labelFont: "12px system-ui", labelSize: 20, ...more };
}

/** Draws a chart in a figure, in place of the one before. */
function draw({ plot, hint, title }, options, data) {
  plot.firstChild?.chart?.destroy();
  plot.replaceChildren();
  const place = el("div", { role: "img", "aria-label": `${title}: ${data[0].length} points` });
  plot.append(place);
  hint.textContent = "";
  if (data[0].length === 0) {
    place.append(el("p", { class: "faint" }, "nothing to draw"));
    return;
  }
  const width = () => Math.max(240, plot.clientWidth);
  const chart = new uPlot({ width: width(), height: HEIGHT, padding: [10, 26, 0, 0], ...options }, data, place);
  place.chart = chart;
  const observer = new ResizeObserver(() => {
    if (!place.isConnected) observer.disconnect();
    else if (chart.width !== width()) chart.setSize({ width: width(), height: HEIGHT });
  });
  observer.observe(plot);
}

const compact = (_, ticks) => ticks.map((tick) => (tick === null ? "" : short(tick)));

/** Returns a number for an axis. */
function short(number) {
  const size = Math.abs(number);
  if (size >= 1e6 || (size > 0 && size < 1e-3)) return number.toExponential(2).replace(/\.?0*e\+?/, "e");
  return String(Number(number.toPrecision(4)));
}

/** The ratio of the ends from which on a logarithmic axis shows more than a plain one. */
const WIDE = 20;

/** Returns whether numbers are to be shown on a logarithmic axis. */
function isWide(values) {
  const [low, high] = values.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [Infinity, 0]);
  return low > 0 && high > WIDE * low;
}

/** Draws points: a list of `{ name, x, y, names }` for each solver. `chosen` is called with the solver and the place of a
 * point that is clicked; `note` is shown while none is pointed at. */
export function scatter(place, { groups, x, y, log = false, diagonal = false, note = "", chosen }) {
  const points = groups.flatMap((group, solver) => group.x.map((value, at) => [value, group.y[at], solver, at]));
  points.sort((left, right) => left[0] - right[0]);
  const xs = points.map(([value]) => value);
  const ys = points.map(([, value]) => value);
  const isLog = log && isWide([...xs, ...ys]);
  const data = [xs, ...groups.map((_, solver) => points.map(([, value, of]) => (of === solver ? value : null)))];
  const series = groups.map((group, solver) => ({
    label: group.name, stroke: seriesColor(solver), paths: () => null,
    points: { show: true, size: 6, width: 1.5, fill: solver % 2 ? color("paper") : seriesColor(solver) },
  }));
  const nearest = (chart) => {
    const { left, top } = chart.cursor;
    if (left < 0) return undefined;
    const far = ([px, py]) => Math.hypot(chart.valToPos(px, "x") - left, chart.valToPos(py, "y") - top);
    return points.reduce((best, point) => (far(point) < far(best) ? point : best), points[0]);
  };
  const tell = (chart) => {
    const point = nearest(chart);
    const name = point && groups[point[2]].names?.[point[3]];
    place.hint.textContent = point ? `${name ? `${name}, ` : ""}${groups[point[2]].name}: ${shown(point[0])}, ${shown(point[1])}` : note;
  };
  const distr = isLog ? 3 : 1;
  draw(place, {
    scales: { x: { time: false, distr }, y: { distr } },
    legend: { show: groups.length > 1, live: false },
    cursor: { points: { show: false }, drag: { x: true, y: true } },
    axes: [axis(x, { values: compact, size: FLAT }), axis(y, { values: compact, size: 72 })],
    series: [{ label: x }, ...series],
    hooks: {
      setCursor: [tell],
      drawClear: diagonal ? [line] : [],
      ready: [(chart) => chart.over.addEventListener("click", () => {
        const point = nearest(chart);
        if (point && chosen) chosen(point[2], point[3]);
      })],
    },
  }, data);
}

/** The line on which both numbers are the same. */
function line(chart) {
  const [low, high] = [Math.max(chart.scales.x.min, chart.scales.y.min), Math.min(chart.scales.x.max, chart.scales.y.max)];
  const { ctx } = chart;
  ctx.save();
  ctx.strokeStyle = color("faint");
  ctx.setLineDash([6, 4]);
  ctx.beginPath();
  ctx.moveTo(chart.valToPos(low, "x", true), chart.valToPos(low, "y", true));
  ctx.lineTo(chart.valToPos(high, "x", true), chart.valToPos(high, "y", true));
  ctx.stroke();
  ctx.restore();
}

/** Draws how often numbers are in each of equal ranges: a list of `{ name, values }` for each solver. */
export function histogram(place, { groups, x, bins = 24 }) {
  const all = groups.flatMap((group) => group.values);
  const [low, high] = all.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [Infinity, -Infinity]);
  const width = high > low ? (high - low) / bins : 1;
  const count = high > low ? bins : 1;
  const counts = groups.map((group) => {
    const counted = new Array(count).fill(0);
    for (const value of group.values) counted[Math.min(count - 1, Math.floor((value - low) / width))] += 1;
    return counted;
  });
  const one = groups.length === 1;
  // Bars stand on the middles of the ranges, and steps begin at their starts: the last needs an end.
  const places = Array.from({ length: count + (one ? 0 : 1) }, (_, bin) => low + (bin + (one ? 0.5 : 0)) * width);
  if (!one) counts.forEach((counted) => counted.push(counted.at(-1)));
  const series = groups.map((group, solver) => ({
    label: group.name, stroke: seriesColor(solver), width: 2, fill: one ? `${seriesColor(solver)}55` : undefined,
    paths: one ? uPlot.paths.bars({ size: [0.95, 200] }) : uPlot.paths.stepped({ align: 1 }), points: { show: false },
  }));
  draw(place, {
    scales: { x: { time: false, range: [low - width / 2, high + width / 2] }, y: { range: (_, __, most) => [0, Math.max(1, most * 1.05)] } },
    legend: { show: groups.length > 1, live: false },
    axes: [axis(x, { values: compact, size: FLAT }), axis("cases", { values: compact, size: 62 })],
    series: [{ label: x }, ...series],
  }, all.length ? [places, ...counts] : [[], ...groups.map(() => [])]);
}

/** Draws lines over one list of x: `{ name, y, isBand }`. Two lines with `isBand` are the ends of a filled range. */
export function lines(place, { x, xLabel, yLabel, isTime = false, groups, zero = false }) {
  let next = 0;
  const series = groups.map((group) => {
    const stroke = group.isBand ? seriesColor(0) : seriesColor(next++);
    return { label: group.name, stroke, width: group.isBand ? 1 : 2, dash: group.isBand ? [4, 3] : undefined, spanGaps: true, points: { show: isTime, size: 6 } };
  });
  const places = groups.flatMap((group, at) => (group.isBand ? [at + 1] : []));
  const bands = places.length === 2 ? [{ series: [places[1], places[0]], fill: `${seriesColor(0)}33` }] : [];
  const range = zero ? (_, low, high) => [Math.min(0, low), Math.max(0, high)].map((end) => end * 1.05) : undefined;
  draw(place, {
    scales: { x: { time: isTime }, y: { range } },
    axes: [axis(xLabel, isTime ? {} : { values: compact, size: FLAT }), axis(yLabel, { values: compact, size: 66 })],
    legend: { live: x.length > 1 },
    series: [{ label: xLabel, value: isTime ? undefined : (_, value) => shown(value) }, ...series.map((one) => ({ ...one, value: (_, value) => shown(value) }))],
    bands,
  }, [x, ...groups.map((group) => group.y)]);
}
