// One game: its frames and the state after each frame.

import { advance, beforeFirst, boardText, copyState, marksOf, motionOf } from "./board.js";
import { BoardView, drawStrip } from "./boardview.js";
import { standingOut } from "./curve.js";
import { digits, el } from "./dom.js";

/** The number of frames between stored full states. The states between them are derived. For large boards more are
 * stored. */
const STRIDE = 256;
const LARGE_STRIDE = 16;
const LARGE_BOARD = 20000;
const AHEAD_SIZE = 22;

/** Returns the first frame of each move, and the number of the move. */
function startsOf({ moves, frames }) {
  if (!moves) return frames.flatMap((delta, index) => (delta.s === undefined ? [] : [{ step: delta.s, index }]));
  const starts = [];
  let step = 0, index = 0;
  for (let at = 0; at < moves.length; at += 2) starts.push({ step: step += moves[at], index: index += moves[at + 1] });
  return starts;
}

export class GameReplay {
  /** `data` is a whole game, or its first part. `ids` names the parts of the only game of a page. */
  constructor(data, ids) {
    Object.assign(this, { data, captions: [], cells: [], frames: [], length: data.length ?? data.frames.length, starts: startsOf(data) });
    this.stride = (data.frames[0].n ?? 0) > LARGE_BOARD ? LARGE_STRIDE : STRIDE;
    this.add(data);
    this.kept = [advance(beforeFirst(), this.frames[0])];
    this.last = { index: 0, state: copyState(this.kept[0]) };
    this.build(ids ? (name) => ({ id: name }) : (name) => ({ class: name }));
  }

  /** Takes in a part: frames that follow, and what is new in them. */
  add(part) {
    for (const list of ["captions", "cells", "frames"]) {
      for (const one of part[list]) this[list].push(one);
    }
    if (part.queue) this.queue = { ...part.queue, cells: [...this.queue?.cells ?? [], ...part.queue.cells] };
    if (this.wanted < this.frames.length) this.show(this.wanted);
  }

  isWhole() {
    return this.frames.length === this.length;
  }

  /** Returns the moments that stand out, as far as the game is there. */
  standing() {
    return standingOut(this.frames, this.captions, this.data.rejected && this.isWhole());
  }

  build(named) {
    const { data } = this;
    this.text = el("pre", { ...named("text"), class: "unseen" });
    this.text.id ||= `text-${Math.random().toString(36).slice(2)}`;
    this.view = new BoardView(this.cells, { ...named("board"), role: "img", tabindex: "-1", "aria-label": `the board of ${data.player || data.case}`, "aria-describedby": this.text.id });
    this.points = el("span", { ...named("points") });
    this.gained = el("span", { ...named("gained") });
    this.caption = el("p", { ...named("caption"), "aria-live": "polite" });
    this.strip = el("canvas", { role: "img", "aria-label": "what comes next" });
    this.ahead = el("div", { class: "ahead", hidden: true }, el("span", {}, "next"), this.strip);
  }

  /** Returns the state after a frame. */
  stateAt(index) {
    const begin = Math.min(Math.floor(index / this.stride), this.kept.length - 1);
    let { index: from, state } = this.last;
    if (from > index || from < begin * this.stride) [from, state] = [begin * this.stride, copyState(this.kept[begin])];
    for (let at = from + 1; at <= index; at++) {
      state = advance(state, this.frames[at]);
      if (at % this.stride === 0) this.kept[at / this.stride] ??= copyState(state);
    }
    this.last = { index, state };
    return state;
  }

  /** Returns the number of the move of a frame. */
  stepAt(index) {
    return this.starts.findLast((start) => start.index <= index).step;
  }

  /** Returns the totals after each of these frames, as far as they are there. */
  totals(frames) {
    let total = 0;
    const all = this.frames.map((frame) => (total = Number(frame.p ?? total)));
    return frames.map((frame) => all[frame]);
  }

  /** Shows a frame, as soon as it is there. If the one before it is shown, what has moved takes so many milliseconds. */
  show(index, duration = 0) {
    this.wanted = index;
    if (index >= this.frames.length) {
      this.caption.textContent = "this frame is being read …";
      return;
    }
    this.wanted = undefined;
    const before = this.shown === index - 1 && duration > 0 ? copyState(this.last.state) : undefined;
    const state = this.stateAt(index), delta = this.frames[index], marks = marksOf(delta);
    const moved = before && motionOf(before, state, marksOf(this.frames[index - 1]));
    this.shown = index;
    this.points.replaceChildren(digits(state.total));
    this.gained.textContent = delta.g === undefined ? "" : delta.g.startsWith("-") ? delta.g : `+${delta.g}`;
    this.caption.textContent = this.captions[delta.t];
    this.text.textContent = boardText(state, this.cells);
    this.view.show(state, { marks, moved, duration: moved?.size ? duration : 0 });
    this.showAhead(state);
  }

  showAhead({ start }) {
    const { queue } = this;
    this.ahead.hidden = !queue;
    if (!queue || this.shownStart === start) return;
    this.shownStart = start;
    const { width, height, cells } = queue;
    const shown = Math.max(0, Math.min(width, cells.length / height - start));
    const looks = Array.from({ length: shown * height }, (_, place) => cells[(start + place % shown) * height + Math.floor(place / shown)]);
    this.ahead.style.visibility = shown ? "" : "hidden";
    drawStrip(this.strip, this.view.sprites, looks, shown, AHEAD_SIZE);
  }

  repaint() {
    this.shownStart = undefined;
    this.view.repaint();
    this.showAhead(this.last.state);
  }
}
