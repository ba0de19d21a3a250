"use strict";
// The score of a game as it goes on, and the frames that stand out.

/** The most frames of a kind that are marked. */
const MOST_MARKS = 30;
const CURVE_HEIGHT = 150;
/** Each kind has a shape of its own. */
const SHAPES = { "combo": "▲", "magic": "★", "large gain": "●", "rejected": "✕" };

/** Returns as many frames as are marked of a kind: those with the largest gains, and evenly chosen ones of equal gains. */
function largest(all, gain) {
  if (all.length <= MOST_MARKS) return all;
  const least = [...all].sort((one, other) => gain(other) - gain(one)).map(gain)[MOST_MARKS];
  const above = all.filter((at) => gain(at) > least), equal = all.filter((at) => gain(at) === least);
  const share = (MOST_MARKS - above.length) / equal.length;
  return [...above, ...equal.filter((_, place) => Math.floor(place * share) > Math.floor((place - 1) * share))];
}

/** Returns the frames that stand out, in order: `{ at, kind }`. */
function standingOut(frames, captions, isRejected) {
  const gain = (at) => Number(frames[at].g ?? 0);
  const kinds = { "combo": [], "magic": [], "large gain": [] };
  /** What each move brings, by its first frame; 0 where a frame of it is marked already. */
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
  // Where all gains are alike, none stands out.
  kinds["large gain"] = gains.every((at) => ofMove(at) === most) ? [] : gains.filter((at) => ofMove(at) >= most / 2);
  const marks = Object.entries(kinds).flatMap(([kind, all]) =>
    largest(all, kind === "large gain" ? ofMove : gain).map((at) => ({ at, kind })));
  if (isRejected) marks.push({ at: frames.length - 1, kind: "rejected" });
  return marks.sort((one, other) => one.at - other.at);
}

/** Draws the score after each frame, with marks. `chosen` is called with the frame that is clicked. Returns what moves the
 * point to another frame. */
function drawCurve(place, frames, marks, chosen) {
  let total = 0, now = 0;
  // A score may be beyond a script's numbers: it has no place on the curve.
  const drawn = (number) => (Number.isFinite(number) ? number : null);
  const totals = frames.map((frame) => drawn(total = Number(frame.p ?? total)));
  const at = (chart, frame) => [chart.valToPos(frame, "x", true), chart.valToPos(totals[frame], "y", true)];
  const decorate = (chart) => {
    const { ctx } = chart;
    ctx.save();
    ctx.fillStyle = style("--ink");
    ctx.font = `${12 * devicePixelRatio}px system-ui, sans-serif`;
    ctx.textAlign = "center";
    for (const mark of marks) {
      const [x, y] = at(chart, mark.at);
      ctx.fillText(SHAPES[mark.kind], x, y - 5 * devicePixelRatio);
    }
    const [x, y] = at(chart, now);
    ctx.strokeStyle = style("--faint");
    ctx.strokeRect(x, chart.bbox.top, 0, chart.bbox.height);
    ctx.beginPath();
    ctx.arc(x, y, 4 * devicePixelRatio, 0, 2 * Math.PI);
    ctx.fill();
    ctx.restore();
  };
  const axis = (more) => ({ stroke: () => style("--faint"), grid: { stroke: () => style("--line"), width: 1 }, ticks: { stroke: () => style("--line"), width: 1 }, font: "12px system-ui", ...more });
  const width = () => Math.max(200, place.clientWidth);
  const chart = new uPlot({
    width: width(), height: CURVE_HEIGHT, padding: [18, 12, 0, 0], legend: { show: false },
    scales: { x: { time: false } }, cursor: { drag: { x: false, y: false }, points: { show: false }, y: false },
    axes: [axis({ size: 26 }), axis({ size: 62 })],
    series: [{}, { stroke: () => style("--curve"), width: 2, points: { show: false } }],
    hooks: { draw: [decorate], ready: [(chart) => chart.over.addEventListener("click", () => chosen(chart.cursor.idx))] },
  }, [totals.map((_, frame) => frame), totals], place);
  addEventListener("resize", () => chart.setSize({ width: width(), height: CURVE_HEIGHT }));
  return (frame) => {
    now = frame;
    chart.redraw(false);
  };
}
