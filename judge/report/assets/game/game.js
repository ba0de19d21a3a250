"use strict";
const { captions, cells, frames, rejected = false } = JSON.parse(document.getElementById("game").textContent);
const $ = (id) => document.getElementById(id);
const canvas = $("board"), slider = $("slider"), speed = $("speed");
// Larger boards have no text.
const MOST_TEXT = 4000;
// A whole state is stored every STRIDE frames; the frames between follow from it.
const STRIDE = 256;
const kept = [];

function stateAt(index) {
  let from = Math.min(Math.floor(index / STRIDE), kept.length - 1);
  let state = copyState(kept[from]);
  for (let i = from * STRIDE + 1; i <= index; i++) {
    state = advance(state, frames[i]);
    if (i % STRIDE === 0) kept[i / STRIDE] = copyState(state);
  }
  return state;
}

function draw(state, marks) {
  const room = Math.min(document.body.clientWidth - 32, 900);
  drawBoard(canvas, state, cells, { marks, room, height: Math.max(240, innerHeight - 500) });
}

const asText = (state) => (state.board.length > MOST_TEXT ? "" : boardText(state, cells));

// The first frame of each move, by the numbers of the moves.
const starts = frames.flatMap((delta, index) => (delta.s === undefined ? [] : [[delta.s, index]]));

// The last frame of a move, or of the last one before it.
function endOf(step) {
  const next = starts.find(([number]) => number > step);
  return next ? Math.max(0, next[1] - 1) : frames.length - 1;
}

// The address leads to the frame that is shown, once it is looked at.
let remembered = 0;
function remember() {
  clearTimeout(remembered);
  remembered = setTimeout(() => history.replaceState(null, "", `#frame=${now + 1}`), 300);
}

const standing = standingOut(frames, captions, rejected);
$("ticks").append(...standing.map(({ at, kind }) => Object.assign(document.createElement("option"), { value: at, label: kind })));
$("legend").textContent = [...new Set(standing.map(({ kind }) => `${SHAPES[kind]} ${kind}`))].join("  ");
const moveCurve = drawCurve($("curve"), frames, standing, (frame) => stop(() => show(frame))());

/** Goes to the next frame that stands out, or to the one before. */
function leap(direction) {
  const others = standing.filter(({ at }) => (at - now) * direction > 0);
  const next = direction > 0 ? others[0] : others.at(-1);
  if (next) show(next.at);
}

let now = 0, timer = null;
function show(index, isTold = false) {
  // A page that shows two games keeps them in step.
  if (window !== parent && !isTold) parent.postMessage({ step: stateAt(Math.max(0, Math.min(frames.length - 1, index))).step }, location.origin);
  now = Math.max(0, Math.min(frames.length - 1, index));
  const state = stateAt(now), delta = frames[now];
  $("move").textContent = state.step;
  $("points").textContent = state.total;
  $("gained").textContent = delta.g === undefined ? "" : delta.g.startsWith("-") ? delta.g : `+${delta.g}`;
  $("caption").textContent = captions[delta.t];
  $("position").textContent = `frame ${now + 1} of ${frames.length}`;
  $("text").textContent = asText(state);
  slider.value = now;
  draw(state, marksOf(delta));
  moveCurve(now);
  remember();
}

// The first frame of the next move, or of this one or the one before.
function move(direction) {
  let index = now;
  if (direction > 0) {
    do index++; while (index < frames.length && frames[index].s === undefined);
  } else {
    do index--; while (index > 0 && frames[index].s === undefined);
  }
  show(index);
}

function pause() {
  clearInterval(timer);
  timer = null;
  $("play").textContent = "▶ play";
}
function play() {
  if (now === frames.length - 1) show(0);
  $("play").textContent = "❚❚ pause";
  clearInterval(timer);
  // Screens show sixty frames a second: faster films leave some out.
  const perSecond = Number(speed.value), stride = Math.ceil(perSecond / 50);
  timer = setInterval(() => {
    show(now + stride);
    if (now === frames.length - 1) pause();
  }, 1000 * stride / perSecond);
}
const toggle = () => (timer === null ? play() : pause());
function faster(by) {
  speed.selectedIndex = Math.max(0, Math.min(speed.length - 1, speed.selectedIndex + by));
  if (timer !== null) play();
}
const stop = (action) => () => { pause(); action(); };

$("first").onclick = stop(() => show(0));
$("previous").onclick = stop(() => show(now - 1));
$("next").onclick = stop(() => show(now + 1));
$("last").onclick = stop(() => show(frames.length - 1));
$("play").onclick = toggle;
$("earlier").onclick = stop(() => leap(-1));
$("later").onclick = stop(() => leap(1));
$("earlier").disabled = $("later").disabled = standing.length === 0;
slider.max = frames.length - 1;
slider.oninput = stop(() => show(Number(slider.value)));
speed.onchange = () => timer !== null && play();
addEventListener("resize", () => show(now));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => show(now));
const keys = {
  ArrowLeft: stop(() => show(now - 1)), ArrowRight: stop(() => show(now + 1)),
  PageUp: stop(() => move(-1)), PageDown: stop(() => move(1)),
  n: stop(() => leap(1)), p: stop(() => leap(-1)),
  Home: stop(() => show(0)), End: stop(() => show(frames.length - 1)),
  " ": toggle, "+": () => faster(1), "-": () => faster(-1),
};
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.target === speed) return;
  const shifted = { ArrowLeft: "PageUp", ArrowRight: "PageDown" };
  const action = keys[(event.shiftKey && shifted[event.key]) || event.key];
  if (!action) return;
  event.preventDefault();
  action();
});

kept[0] = advance(beforeFirst(), frames[0]);
const asked = () => Number(/^#frame=(\d+)$/.exec(location.hash)?.[1] ?? 1) - 1;
addEventListener("hashchange", stop(() => show(asked())));
addEventListener("message", ({ origin, source, data }) => {
  if (source !== parent || origin !== location.origin || !Number.isInteger(data.step)) return;
  pause();
  show(endOf(data.step), true);
});
show(asked(), true);
