// One game: its frames and the state after each frame.

import { advance, beforeFirst, boardText, copyState, marksOf, motionOf } from "./board.js";
import { BoardView, drawStrip } from "./boardview.js";
import { standingOut } from "./curve.js";
import { el } from "./dom.js";

/** The number of frames between stored full states. The states between them are derived. For large boards more are
 * stored. */
const STRIDE = 256;
const LARGE_STRIDE = 16;
const LARGE_BOARD = 20000;
const AHEAD_SIZE = 22;

export class Film {
  /** `ids` names the page's elements if the page has only one game. */
  constructor(data, ids) {
    Object.assign(this, { data, frames: data.frames, captions: data.captions });
    this.stride = (data.frames[0].n ?? 0) > LARGE_BOARD ? LARGE_STRIDE : STRIDE;
    this.kept = [advance(beforeFirst(), this.frames[0])];
    this.last = { index: 0, state: copyState(this.kept[0]) };
    /** The first frame of each move, and the number of the move. */
    this.starts = this.frames.flatMap((delta, index) => (delta.s === undefined ? [] : [{ step: delta.s, index }]));
    this.standing = standingOut(this.frames, this.captions, data.rejected);
    this.build(ids ? (name) => ({ id: name }) : (name) => ({ class: name }));
  }

  build(named) {
    const { data } = this;
    this.text = el("pre", { ...named("text"), class: "unseen" });
    this.text.id ||= `text-${Math.random().toString(36).slice(2)}`;
    this.view = new BoardView(data.cells, { ...named("board"), role: "img", tabindex: "-1", "aria-label": `the board of ${data.player || data.case}`, "aria-describedby": this.text.id });
    this.points = el("span", { ...named("points") });
    this.gained = el("span", { ...named("gained") });
    this.caption = el("p", { ...named("caption"), "aria-live": "polite" });
    this.strip = el("canvas", { role: "img", "aria-label": "what comes next" });
    this.ahead = el("div", { class: "ahead", hidden: !data.queue }, el("span", {}, "next"), this.strip);
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

  /** Returns the last frame of a move, or of the nearest earlier move that has frames. */
  endOf(step) {
    const next = this.starts.find((start) => start.step > step);
    return next ? Math.max(0, next.index - 1) : this.frames.length - 1;
  }

  /** Returns the totals after each of these frames. */
  totals(frames) {
    let total = 0;
    const all = this.frames.map((frame) => (total = Number(frame.p ?? total)));
    return frames.map((frame) => all[frame]);
  }

  /** Shows a frame. If the previous frame is on screen, the motion takes this many milliseconds. */
  show(index, duration) {
    const before = this.shown === index - 1 && duration > 0 ? copyState(this.last.state) : undefined;
    const state = this.stateAt(index), delta = this.frames[index], marks = marksOf(delta);
    const moved = before && motionOf(before, state, marksOf(this.frames[index - 1]));
    this.shown = index;
    this.points.textContent = state.total;
    this.gained.textContent = delta.g === undefined ? "" : delta.g.startsWith("-") ? delta.g : `+${delta.g}`;
    this.caption.textContent = this.captions[delta.t];
    this.text.textContent = boardText(state, this.data.cells);
    this.view.show(state, { marks, moved, duration: moved?.size ? duration : 0 });
    this.showAhead(state);
    return state;
  }

  showAhead({ start }) {
    const { queue } = this.data;
    if (!queue || this.shownStart === start) return;
    this.shownStart = start;
    const { width, height, cells } = queue;
    const shown = Math.max(0, Math.min(width, cells.length / height - start));
    const looks = Array.from({ length: shown * height }, (_, place) => cells[(start + place % shown) * height + Math.floor(place / shown)]);
    drawStrip(this.strip, this.view.sprites, looks, shown, AHEAD_SIZE);
  }

  repaint() {
    this.shownStart = undefined;
    this.view.repaint();
    this.showAhead(this.last.state);
  }
}
