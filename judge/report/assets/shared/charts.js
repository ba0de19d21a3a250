// Charts drawn with uPlot, and box plots drawn here.

import { counted, el, failure, grouped, shown, tint, visible } from "./dom.js";
import { saveButtons, svg } from "./save.js";

const HEIGHT = 280;
const COLORS = 8;

/** The names that have a colour, in the order in which they were first seen. */
let named;
function namedColors() {
  try {
    named ??= JSON.parse(localStorage.getItem("colors") ?? "[]");
  } catch {
    // A page opened from a file may have no storage.
    named ??= [];
  }
  return named;
}

/** Returns the colour indices of names. They are the same on every page, and distinct as long as there are enough
 * colours. After the last colour they start again. */
function placesOf(wanted) {
  // A solver of several runs is shown as `bot#12` when the runs appear together.
  const names = wanted.map((name) => name.replace(/#\d+$/, ""));
  const known = namedColors();
  const isNew = names.filter((name) => !known.includes(name)).map((name) => known.push(name)).length > 0;
  try {
    if (isNew) localStorage.setItem("colors", JSON.stringify(known.slice(-200)));
  } catch {
    // As above.
  }
  const taken = new Set();
  return names.map((name) => {
    let place = known.indexOf(name) % COLORS;
    while (taken.size < COLORS && taken.has(place)) place = (place + 1) % COLORS;
    taken.add(place);
    return place + 1;
  });
}

/** Returns the current colours of names. */
export function colorsOf(names) {
  return placesOf(names).map((place) => tint(`series-${place}`));
}

/** Returns an empty figure and the element for its chart. `tools` stand beside the title. */
export function figure(title, ...tools) {
  const plot = el("div", { class: "plot" });
  const hint = el("div", { class: "hint" });
  const place = { plot, hint, title };
  place.box = el("figure", {}, el("figcaption", {}, title, ...tools), plot, hint, saveButtons(place));
  return place;
}

/** Shows something in a figure in place of its chart. */
function replace(place, content) {
  place.chart?.destroy();
  place.chart = undefined;
  place.plot.replaceChildren(content);
  place.hint.textContent = "";
}

/** Shows in a figure why there is no chart. */
export function noChart(place, error) {
  replace(place, failure(error));
}

/** Returns an empty picture in a figure. `label` describes it for screen readers. */
function pictureIn(place, label, isEmpty) {
  const picture = el("div", { role: "img", "aria-label": `${place.title}: ${label}` }, isEmpty && el("p", { class: "faint" }, "nothing to draw"));
  replace(place, picture);
  return picture;
}

function axis(label, scale, size, more = {}) {
  const faint = tint("faint");
  const grid = { stroke: tint("line"), width: 1 };
  // Between powers of ten there is no room for lines and numbers, unless a part of the axis is shown that has none.
  const splits = (chart, at) => {
    const { min, max } = chart.scales[chart.axes[at].scale];
    const powers = powersOfTen(scale.asinh ?? min / 5, max).filter((tick) => tick >= min && tick <= max);
    return powers.length > 1 ? powers : evenTicks(min, max);
  };
  const own = scale === undefined || scale.distr === 1 ? {} : { splits, filter: (_, all) => all };
  return { label: visible(label), stroke: faint, grid, ticks: grid, font: "12px system-ui", labelFont: "12px system-ui", labelSize: 20, size, values: compact, ...own, ...more };
}

/** Returns 0 and at most eight powers of ten up to a number. */
function powersOfTen(least, high) {
  // Keep the first one away from 0.
  const [first, last] = [Math.ceil(Math.log10(5 * least)), Math.floor(Math.log10(high))];
  const step = Math.max(1, Math.ceil((last - first) / 8));
  return [0, ...Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => first + at).filter((power) => (last - power) % step === 0).map((power) => 10 ** power)];
}

/** Returns a name for a legend, with the middle of a long one cut out. */
function legendName(name) {
  const text = visible(name);
  return text.length > 32 ? `${text.slice(0, 18)}…${text.slice(-12)}` : text;
}

/** Draws a chart in a figure, in place of the one before. */
function draw(place, options, data, label = `${data[0].length} points`) {
  const { plot } = place, picture = pictureIn(place, label, data[0].length === 0);
  if (data[0].length === 0) return;
  const width = () => Math.max(240, plot.clientWidth);
  const chart = new uPlot({ width: width(), height: HEIGHT, padding: [10, 20, 0, 0], ...options }, data, picture);
  place.chart = chart;
  const observer = new ResizeObserver(() => {
    if (!picture.isConnected) observer.disconnect();
    else if (chart.width !== width()) chart.setSize({ width: width(), height: HEIGHT });
  });
  observer.observe(plot);
}

const compact = (_, ticks) => ticks.map((tick) => (tick === null ? "" : short(tick)));

/** Returns a number formatted for an axis, such as 1.5M. */
function short(number) {
  const size = Math.abs(number);
  for (const [unit, sign] of [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]]) {
    if (size >= 1e15) break;
    if (size >= unit && size >= 1e4) return `${Number((number / unit).toPrecision(4))}${sign}`;
  }
  if (size >= 1e15 || (size > 0 && size < 1e-3)) return number.toExponential(2).replace(/\.?0*e\+?/, "e");
  return grouped(Number(number.toPrecision(4)));
}

/** The ratio of the ends at which an axis becomes logarithmic: three decades. */
export const DECADES = 1000;

/** The least length of an axis, as a share of its numbers. If a step is lost in rounding, uPlot never comes to the end. */
const SHORTEST = 2 ** -40;

/** Returns the ends of an axis for numbers between these, long enough for its steps. */
function longEnough(low, high) {
  const least = Math.max(Math.abs(low), Math.abs(high)) * SHORTEST;
  return high - low >= least ? [low, high] : [low - least, high + least];
}

/** Returns the scale for numbers, some of which are drawn along it. A logarithmic scale keeps a position for zeros. */
export function scaleOf(values, drawn = values) {
  let [least, low, high] = [Infinity, Infinity, -Infinity];
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
    if (value > 0) least = Math.min(least, value);
  }
  if (low < 0 || high < DECADES * least || least === Infinity) {
    const ends = endsOf(drawn), range = longEnough(...ends);
    return ends[0] < ends[1] && range[0] < ends[0] ? { distr: 1, range } : { distr: 1 };
  }
  return low > 0 ? { distr: 3, log: 10 } : { distr: 4, asinh: least };
}

/** Draws points: a list of `{ name, x, y, names }` for each solver. `chosen` is called with the solver and the index of
 * a clicked point, `brushed` with the selected ranges of x and y. `note` is shown while the pointer is on no point. */
export function scatter(place, { groups, x, y, diagonal = false, note = "", chosen, brushed }) {
  const points = groups.flatMap((group, solver) => group.x.map((value, at) => [value, group.y[at], solver, at]));
  points.sort((left, right) => left[0] - right[0]);
  const xs = points.map(([value]) => Number(value));
  const ys = points.map(([, value]) => Number(value));
  const scales = [xs, ys].map((drawn) => scaleOf(diagonal ? [...xs, ...ys] : drawn, drawn));
  const data = [xs, ...groups.map((_, solver) => points.map(([, , of], at) => (of === solver ? ys[at] : null)))];
  const colors = colorsOf(groups.map((group) => group.name));
  const series = groups.map((group, solver) => ({
    label: legendName(group.name), stroke: colors[solver], paths: () => null,
    points: { show: true, size: 6, width: 1.5, fill: solver % 2 ? tint("card") : colors[solver] },
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
    place.hint.replaceChildren(...(point ? [el("bdi", {}, `${name ? `${name}, ` : ""}${groups[point[2]].name}: `), grouped(point[0]), ", ", grouped(point[1])] : [note]));
  };
  let wasDrawnOver = false;
  const select = (chart) => {
    const { left, top, width, height } = chart.select;
    wasDrawnOver = width > 3 && height > 3;
    if (!wasDrawnOver || !brushed) return;
    const ends = (scale, ...places) => places.map((at) => chart.posToVal(at, scale)).sort((one, other) => one - other);
    brushed(ends("x", left, left + width), ends("y", top, top + height));
  };
  draw(place, {
    scales: { x: { time: false, ...scales[0] }, y: scales[1] },
    legend: { show: groups.length > 1, live: false },
    cursor: { points: { show: false }, drag: { x: true, y: true, setScale: !brushed } },
    axes: [axis(x, scales[0], 32), axis(y, scales[1], 60)],
    series: [{ label: x }, ...series],
    hooks: {
      setCursor: [tell], setSelect: [select],
      drawClear: diagonal ? [line] : [],
      ready: [(chart) => chart.over.addEventListener("click", () => {
        const point = nearest(chart);
        if (point && chosen && !wasDrawnOver) chosen(point[2], point[3]);
        wasDrawnOver = false;
      })],
    },
  }, data);
  place.hint.textContent = note;
  place.marks = "points";
  place.csv = () => [["solver", "case", x, y], ...points.map(([a, b, of, at]) => [groups[of].name, groups[of].names?.[at] ?? "", a, b])];
}

/** The line where both numbers are equal. */
function line(chart) {
  const [low, high] = [Math.max(chart.scales.x.min, chart.scales.y.min), Math.min(chart.scales.x.max, chart.scales.y.max)];
  const { ctx } = chart;
  ctx.save();
  ctx.strokeStyle = tint("faint");
  ctx.setLineDash([6, 4]);
  ctx.beginPath();
  ctx.moveTo(chart.valToPos(low, "x", true), chart.valToPos(low, "y", true));
  ctx.lineTo(chart.valToPos(high, "x", true), chart.valToPos(high, "y", true));
  ctx.stroke();
  ctx.restore();
}

/** Returns the least and the largest of some numbers. */
export function endsOf(values) {
  return values.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [Infinity, -Infinity]);
}

/** Returns a histogram of `{ name, values }` with ranges of equal width, or of equal width on a logarithmic axis. */
export function countedInRanges(groups, isLog = false, bins = 24) {
  const [low, high] = endsOf(groups.flatMap(({ values }) => values));
  const between = (share) => (isLog ? low * (high / low) ** share : low + (high - low) * share);
  const inner = Array.from({ length: bins }, (_, bin) => between(bin / bins));
  const edges = low > high ? [] : low === high ? [low, low + 1] : [...inner, high];
  const counts = (values) => {
    const counted = new Array(Math.max(0, edges.length - 1)).fill(0);
    for (const value of values) counted[Math.min(counted.length - 1, edges.findLastIndex((edge) => edge <= value))] += 1;
    return counted;
  };
  return { edges, groups: groups.map(({ name, values }) => ({ name, counts: counts(values) })) };
}

/** Draws a histogram from the edges of its ranges and a list of `{ name, counts }`, one for each solver. */
export function histogram(place, { edges, groups, x, isLog = false }) {
  const one = groups.length === 1;
  const colors = colorsOf(groups.map((group) => group.name));
  const series = groups.map((group, solver) => ({
    label: legendName(group.name), stroke: colors[solver], width: 2, fill: `${colors[solver]}${one ? "66" : "1c"}`,
    paths: uPlot.paths.stepped({ align: 1 }), points: { show: false },
  }));
  const scale = isLog ? { distr: 3, log: 10 } : { distr: 1 };
  const total = groups.flatMap((group) => group.counts).reduce((sum, count) => sum + count, 0);
  // Steps begin at the starts of the ranges, so the last one needs an end.
  const counts = groups.map((group) => [...group.counts, group.counts.at(-1) ?? 0]);
  draw(place, {
    scales: { x: { time: false, range: longEnough(edges[0], edges.at(-1)), ...scale }, y: { range: (_, __, most) => [0, Math.max(1, most * 1.05)] } },
    legend: { show: !one, live: false },
    axes: [axis(x, scale, 32), axis("cases", undefined, 52, { incrs: WHOLE })],
    series: [{ label: x }, ...series],
  }, edges.length ? [edges, ...counts] : [[], ...groups.map(() => [])], `${total} cases in ${Math.max(0, edges.length - 1)} ranges`);
  place.hint.textContent = counted(total, "case");
  place.marks = "steps";
  place.csv = () => [["from", "to", ...groups.map((group) => group.name)], ...edges.slice(0, -1).map((edge, bin) => [edge, edges[bin + 1], ...groups.map((group) => group.counts[bin])])];
}

/** The tick steps of an integer axis. */
const WHOLE = Array.from({ length: 9 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat();

/** Draws lines with common x values: `{ name, of, y, isBand }`, in the colour of the solver `of`. Two lines with
 * `isBand` bound a filled band. With `isWhole`, x values are integers. `chosen` is called with the index of the
 * clicked x. */
export function lines(place, { x, xLabel, yLabel, groups, zero = false, hasPoints = false, isWhole = false, chosen }) {
  const whole = groups.filter((group) => !group.isBand);
  const colors = colorsOf(whole.map((group) => group.of ?? group.name));
  const strokeOf = (group) => (group.isBand ? colors[0] : colors[whole.indexOf(group)]);
  const series = groups.map((group) => ({
    label: legendName(group.name), stroke: strokeOf(group), width: group.isBand ? 1 : 2, dash: group.isBand ? [4, 3] : undefined, spanGaps: true,
    points: { show: hasPoints, size: 8, fill: strokeOf(group) }, value: (_, value) => grouped(value),
  }));
  const places = groups.flatMap((group, at) => (group.isBand ? [at + 1] : []));
  const bands = places.length === 2 ? [{ series: [places[1], places[0]], fill: `${colors[0]}33` }] : [];
  const scale = zero ? { distr: 1 } : scaleOf(groups.flatMap((group) => group.y).filter((value) => value !== null));
  const range = zero ? (_, low, high) => [Math.min(0, low), Math.max(0, high)].map((end) => end * 1.05) : undefined;
  // Centre a single point in a short range.
  const width = x.length === 1 ? [x[0] - 1, x[0] + 1] : undefined;
  draw(place, {
    scales: { x: { time: false, range: width }, y: { range, ...scale } },
    axes: [axis(xLabel, undefined, 32, isWhole ? { incrs: WHOLE } : {}), axis(yLabel, scale, 60)],
    legend: { live: x.length > 1 },
    series: [{ label: xLabel, value: (_, value) => shown(value) }, ...series],
    hooks: { ready: [(chart) => chosen && chart.over.addEventListener("click", () => chosen(chart.cursor.idx))] },
    bands,
  }, [x, ...groups.map((group) => group.y)]);
  place.marks = "lines";
  place.csv = () => [[xLabel, ...groups.map((group) => group.name)], ...x.map((value, at) => [value, ...groups.map((group) => group.y[at] ?? "")])];
}

/** Returns about five round numbers in a range. */
function evenTicks(low, high) {
  const rough = (high - low || 1) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find((step) => step * power >= rough) * power;
  const first = Math.ceil(low / step);
  return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, at) => (first + at) * step);
}

/** Draws boxes: for each group `{ label, boxes }`, a box `{ low, q1, median, q3, high, count }` or null for each name. */
export function boxes(place, { names, groups, y, by }) {
  const all = groups.flatMap((group) => group.boxes).filter(Boolean);
  const picture = pictureIn(place, `${groups.length} groups`, all.length === 0);
  place.csv = () => [[by, "solver", "cases", "low", "quarter", "median", "three quarters", "high"], ...groups.flatMap(({ label, boxes }) => boxes.flatMap((box, at) => (box ? [[label, names[at], box.count, box.low, box.q1, box.median, box.q3, box.high]] : [])))];
  if (all.length === 0) return;
  const width = Math.max(320, place.plot.clientWidth), height = HEIGHT, left = 62, bottom = height - 40, top = 10;
  const scale = scaleOf(all.flatMap((box) => [box.low, box.high]));
  const bend = { 1: (value) => value, 3: Math.log10, 4: (value) => Math.asinh(value / scale.asinh) }[scale.distr];
  const [low, high] = [Math.min(...all.map((box) => bend(box.low))), Math.max(...all.map((box) => bend(box.high)))];
  const at = (value) => bottom - ((bend(value) - low) / (high - low || 1)) * (bottom - top);
  const ends = [Math.min(...all.map((box) => box.low)), Math.max(...all.map((box) => box.high))];
  const ticks = scale.distr === 1 ? evenTicks(...ends) : powersOfTen(scale.asinh ?? ends[0] / 5, ends[1]).filter((tick) => tick >= ends[0]);
  const colors = colorsOf(names);
  const step = (width - left - 10) / groups.length, size = Math.min(26, (step * 0.8) / names.length);
  const text = (x, y, anchor, words) => svg("text", { x, y, "text-anchor": anchor, fill: tint("faint"), "font-size": 12, "font-family": "system-ui, sans-serif" }, words);
  const rule = (x1, y1, x2, y2, stroke, wide = 1) => svg("line", { x1, y1, x2, y2, stroke, "stroke-width": wide });
  const box = (one, x, ink) => svg("g", {}, svg("title", {}, `${grouped(one.median)}, half of ${one.count} between ${grouped(one.q1)} and ${grouped(one.q3)}`),
    rule(x, at(one.low), x, at(one.q1), ink), rule(x, at(one.q3), x, at(one.high), ink), svg("rect", { x: x - size / 2 + 1, y: at(one.q3), width: Math.max(2, size - 2), height: Math.max(1, at(one.q1) - at(one.q3)), rx: 2, fill: `${ink}33`, stroke: ink }),
    rule(x - size / 2 + 1, at(one.median), x + size / 2 - 1, at(one.median), ink, 2.5));
  const every = Math.ceil(groups.length / Math.max(1, Math.floor((width - left) / 60)));
  picture.append(svg("svg", { viewBox: `0 0 ${width} ${height}` },
    ticks.map((tick) => [rule(left, at(tick), width - 10, at(tick), tint("line")), text(left - 6, at(tick) + 4, "end", short(tick))]),
    groups.map((group, place) => {
      const middle = left + step * (place + 0.5);
      const drawn = group.boxes.map((one, solver) => one && box(one, middle + (solver - (names.length - 1) / 2) * size, colors[solver]));
      return [drawn, place % every === 0 && text(middle, bottom + 16, "middle", group.label)];
    }), text(left + (width - left) / 2, height - 6, "middle", by), svg("g", { transform: `translate(12 ${(top + bottom) / 2}) rotate(-90)` }, text(0, 0, "middle", y))));
  if (names.length > 1) place.hint.replaceChildren(...names.map((name, solver) => legendOf(name, colors[solver])));
}

/** Returns a name preceded by its colour. */
export function legendOf(name, ink) {
  const swatch = el("span", { class: "swatch" });
  swatch.style.background = ink ?? `var(--series-${placesOf([name])[0]})`;
  return el("span", {}, swatch, el("bdi", {}, name), " \u00a0 ");
}
