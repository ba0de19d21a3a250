// Plays one game, or two side by side with a common clock.

import { Curve, legendOf } from "./curve.js";
import { digits, el } from "./dom.js";
import { GameReplay } from "./gamereplay.js";
import { recordVideo, saveCanvas } from "./record.js";

/** The default length of a game in seconds, and the minimum speed. */
const WHOLE_GAME = 30;
const SLOWEST = 8;
/** Frames per second; 0 plays the whole game in half a minute. */
const SPEEDS = [0, 1, 3, 8, 25, 100, 1000];
/** Above this speed, games are shown without motion. */
const FASTEST_MOTION = 12;
/** The duration of a motion in milliseconds. */
const MOTION = 240;
/** Screens show sixty frames per second, so faster games skip some. */
const MOST_SHOWN = 50;
const ZOOM_STEP = 1.5;
const COLORS = ["series-1", "series-2"];

/** Returns the frame of each game at each tick of the clock. One game has a tick for each frame; two games show the
 * same move at each tick. */
function ticksOf(replays) {
  if (replays.length === 1) return Array.from({ length: replays[0].length }, (_, frame) => [frame]);
  const moves = replays.map(({ starts, length }) => new Map(starts.map(({ step, index }, at) => [step, [index, (starts[at + 1]?.index ?? length) - index]])));
  const steps = [...new Set(moves.flatMap((of) => [...of.keys()]))].sort((one, other) => one - other);
  const last = replays.map(() => 0);
  return steps.flatMap((step) => {
    const now = moves.map((of, at) => of.get(step) ?? [last[at], 1]);
    const count = Math.max(...now.map(([, frames]) => frames));
    const ticks = Array.from({ length: count }, (_, at) => now.map(([first, frames]) => first + Math.min(at, frames - 1)));
    now.forEach(([first, frames], at) => { last[at] = first + frames - 1; });
    return ticks;
  });
}

export class Viewer {
  /** `games` are documents of replays, one or two; `rest` of a document brings its other frames. `shown` is called with each tick
   * that is shown, from 0. */
  constructor(place, games, { shown = () => {}, tick = 0 } = {}) {
    const isOne = games.length === 1;
    Object.assign(this, { place, games, shown, now: 0, timer: null });
    this.replays = games.map((game) => new GameReplay(game, isOne));
    this.ticks = ticksOf(this.replays);
    this.build();
    this.curve = new Curve(this.plot, (tick) => this.jump(tick));
    this.refresh();
    this.listen();
    this.show(tick);
    performance.mark("first board");
    games.forEach(({ rest }, at) => rest && this.read(this.replays[at], rest));
  }

  /** Takes in the other frames of a game as they come. */
  async read(replay, parts) {
    try {
      for await (const part of parts) {
        if (!this.box.isConnected) return;
        replay.add(part);
        this.refresh();
      }
    } catch (error) {
      this.told.textContent = `the other frames do not come: ${error.message}`;
    }
  }

  /** Draws the curve of the frames that are there, and the moments that stand out. */
  refresh() {
    this.marks = this.marksOfTicks();
    this.curve.draw(this.replays.map((replay, at) => ({
      color: COLORS[at], totals: replay.totals(this.ticks.map((frames) => frames[at])), marks: this.marks.filter(({ replay }) => replay === at),
    })));
    const hasNone = this.marks.length === 0;
    this.earlier.disabled = this.later.disabled = this.leaps.hidden = hasNone;
    this.moments.replaceChildren(...this.marks.map(({ at, kind }) => el("option", { value: at, label: kind })));
    this.legend.textContent = legendOf(this.marks);
    this.box.ariaBusy = this.replays.every((replay) => replay.isWhole()) ? null : "true";
  }

  /** Returns the first tick at which a game has come to a frame. */
  tickOf(replay, frame) {
    let low = 0, high = this.ticks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.ticks[middle][replay] < frame) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Returns the highlights, as ticks. */
  marksOfTicks() {
    const marks = this.replays.flatMap((replay, place) => replay.standing().map(({ at, kind }) => ({ at: this.tickOf(place, at), kind, replay: place })));
    return marks.sort((one, other) => one.at - other.at);
  }

  /** Returns an action that ends the playing first. */
  stops = (action) => () => {
    this.pause();
    action();
  };

  /** Returns an action on all boards. */
  views = (act) => () => this.replays.forEach(({ view }) => act(view));

  build() {
    const button = (id, label, text, click, title = label) => el("button", { id, "aria-label": label, title, click }, text);
    const { stops: stop, views } = this;
    this.move = el("span", { id: "move" });
    this.position = el("span", { id: "position" });
    this.playing = button("play", "play or pause", "▶ play", () => this.toggle(), "space");
    this.slider = el("input", { id: "slider", type: "range", min: 0, max: this.ticks.length - 1, value: 0, "aria-label": "frame", list: "ticks", input: stop(() => this.show(Number(this.slider.value))) });
    this.speed = el("select", { id: "speed", change: () => this.timer !== null && this.play() },
      SPEEDS.map((speed) => el("option", { value: speed }, speed === 0 ? `all in ${WHOLE_GAME} s` : `${speed} a second`)));
    this.plot = el("div", { id: "curve", role: "img", "aria-label": "the score frame by frame" });
    this.told = el("span", { class: "told", role: "status" });
    this.earlier = button("earlier", "the great moment before", "◀ ★", stop(() => this.leap(-1)), "P");
    this.later = button("later", "the next great moment", "★ ▶", stop(() => this.leap(1)), "N");
    this.moments = el("datalist", { id: "ticks" });
    this.legend = el("p", { id: "legend" });
    this.leaps = el("span", {}, " · N P the great moments");
    const controls = el("div", { id: "controls" },
      button("first", "first frame", "|◀", stop(() => this.show(0)), "Home"), button("previous", "previous frame", "◀", stop(() => this.show(this.now - 1)), "←"), this.playing,
      button("next", "next frame", "▶", stop(() => this.step()), "→"), button("last", "last frame", "▶|", stop(() => this.show(this.ticks.length - 1)), "End"), this.earlier, this.later,
      el("label", {}, "speed", this.speed));
    const tools = el("div", { class: "viewing" },
      button("fit", "Fit: the whole board", "Fit", views((view) => view.fit()), "0"), button("natural", "1:1: natural size", "1:1", views((view) => view.natural()), "1"),
      button("smaller", "zoom out", "−", views((view) => view.zoomBy(1 / ZOOM_STEP)), "["), button("larger", "zoom in", "+", views((view) => view.zoomBy(ZOOM_STEP)), "]"),
      button("full", "full screen", "Full screen", () => this.toggleFull(), "F"), button("picture", "save the boards as PNG", "PNG", () => this.savePicture()),
      button("record", "save the game as a video", "Video", () => this.saveVideo()), this.told);
    const status = el("div", { id: "status" }, el("span", {}, "move ", this.move), this.position);
    const side = el("div", { class: "side" }, status, this.single(), controls, this.slider, this.moments, this.plot, this.legend, tools,
      el("p", { id: "help" }, "← → one frame · ⇧← ⇧→ or Page keys: one move", this.leaps, " · Home End · space plays · + − speed · F full screen · 0 1 [ ] zoom, W A S D move the board"));
    this.box = el("div", { class: `viewer ${this.replays.length === 1 ? "one" : "two"}` }, el("div", { class: "replays" }, this.replays.map((replay, at) => this.section(replay, at))), side);
    this.place.replaceChildren(this.box);
  }

  /** Returns the text about a single game, for the place next to the clock. */
  single() {
    const [{ points, gained, caption, ahead }, other] = this.replays;
    return other ? [] : [el("p", { class: "score" }, points, " points ", gained), caption, ahead];
  }

  section({ data, points, gained, caption, ahead, text, view }, at) {
    if (this.replays.length === 1) return el("section", {}, view.box, text);
    const head = el("h2", {}, el("span", { class: "letter" }, "AB"[at]), ` ${data.player}`);
    return el("section", {}, head, el("p", { class: "score" }, points, " points ", gained), caption, ahead, view.box, text);
  }

  listen() {
    const isHere = () => this.box.isConnected;
    const on = (target, name, heard) => {
      const hear = (event) => (isHere() ? heard(event) : target.removeEventListener(name, hear));
      target.addEventListener(name, hear);
    };
    on(window, "keydown", (event) => this.key(event));
    on(matchMedia("(prefers-color-scheme: dark)"), "change", () => {
      this.replays.forEach((replay) => replay.repaint());
      this.curve.move(this.now);
    });
  }

  /** Shows a tick. Motion since the previous tick takes this many milliseconds. */
  show(tick, duration = 0) {
    this.now = Math.max(0, Math.min(this.ticks.length - 1, tick));
    this.replays.forEach((replay, at) => replay.show(this.ticks[this.now][at], duration));
    this.move.textContent = Math.max(...this.stepsAt(this.now));
    this.position.replaceChildren("frame ", digits(this.now + 1), " of ", digits(this.ticks.length));
    this.slider.value = this.now;
    this.curve.move(this.now);
    this.shown(this.now);
  }

  /** Returns the number of the move of each game at a tick. */
  stepsAt(tick) {
    return this.replays.map((replay, at) => replay.stepAt(this.ticks[tick][at]));
  }

  jump(tick) {
    this.pause();
    this.show(tick);
  }

  isStill() {
    return matchMedia("(prefers-reduced-motion: reduce)").matches;
  }

  step() {
    this.show(this.now + 1, this.isStill() ? 0 : MOTION);
  }

  /** Goes to the next or the previous highlight. */
  leap(direction) {
    const others = this.marks.filter(({ at }) => (at - this.now) * direction > 0);
    const next = direction > 0 ? others[0] : others.at(-1);
    if (next) this.show(next.at);
  }

  /** Goes to the first frame of the next, this or the previous move. */
  moveBy(direction) {
    const isStart = (tick) => `${this.stepsAt(tick)}` !== `${this.stepsAt(tick - 1)}`;
    let tick = this.now + direction;
    while (tick > 0 && tick < this.ticks.length && !isStart(tick)) tick += direction;
    this.show(tick);
  }

  pause() {
    clearInterval(this.timer);
    this.timer = null;
    this.playing.textContent = "▶ play";
    this.replays.forEach(({ caption }) => caption.setAttribute("aria-live", "polite"));
  }

  perSecond() {
    return Number(this.speed.value) || Math.max(SLOWEST, this.ticks.length / WHOLE_GAME);
  }

  /** Plays from here, or from the start if at the end. */
  play(ended = () => {}) {
    if (this.now === this.ticks.length - 1) this.show(0);
    this.playing.textContent = "❚❚ pause";
    // Announcements would be outdated at once.
    this.replays.forEach(({ caption }) => caption.setAttribute("aria-live", "off"));
    clearInterval(this.timer);
    const perSecond = this.perSecond(), start = this.now, began = performance.now();
    const duration = perSecond > FASTEST_MOTION || this.isStill() ? 0 : Math.min(MOTION, 800 / perSecond);
    this.timer = setInterval(() => {
      const there = this.replays.map((replay, at) => this.tickOf(at, replay.frames.length) - 1);
      const tick = Math.min(start + Math.floor((performance.now() - began) * perSecond / 1000), ...there);
      if (tick > this.now) this.show(tick, duration);
      if (!this.box.isConnected || this.now === this.ticks.length - 1) {
        this.pause();
        ended();
      }
    }, 1000 / Math.min(perSecond * 2, MOST_SHOWN));
  }

  toggle() {
    if (this.timer === null) this.play();
    else this.pause();
  }

  faster(by) {
    const order = [...this.speed.options].map(({ value }) => Number(value)).filter(Boolean);
    const near = order.findIndex((speed) => speed >= this.perSecond());
    const place = Number(this.speed.value) === 0 && by < 0 ? near : near + by;
    this.speed.value = order[Math.max(0, Math.min(order.length - 1, place))] ?? order.at(-1);
    if (this.timer !== null) this.play();
  }

  toggleFull() {
    if (document.fullscreenElement) document.exitFullscreen();
    else this.box.requestFullscreen?.().catch(() => {});
  }

  name() {
    return `${this.games.map(({ case: name, player }) => `${name}-${player}`).join("-against-")}`.replace(/[^\w.-]+/g, "-");
  }

  savePicture() {
    for (const [at, { view }] of this.replays.entries()) saveCanvas(view.picture(), `${this.name()}${this.replays.length > 1 ? `-${"AB"[at]}` : ""}-${this.now + 1}.png`);
  }

  async saveVideo() {
    try {
      await recordVideo(this, this.name(), (words) => { this.told.textContent = words; });
    } catch (error) {
      this.told.textContent = error.message;
    }
  }

  key(event) {
    const { target } = event;
    if (event.ctrlKey || event.altKey || event.metaKey || target.matches?.("select, textarea, input:not([type=range])")) return;
    const { stops: stop, views } = this;
    const pan = (x, y) => views((view) => view.pan(x * 80 / view.size, y * 80 / view.size));
    const keys = {
      ArrowLeft: stop(() => this.show(this.now - 1)), ArrowRight: stop(() => this.step()),
      PageUp: stop(() => this.moveBy(-1)), PageDown: stop(() => this.moveBy(1)),
      n: stop(() => this.leap(1)), p: stop(() => this.leap(-1)), f: () => this.toggleFull(),
      Home: stop(() => this.show(0)), End: stop(() => this.show(this.ticks.length - 1)),
      "+": () => this.faster(1), "-": () => this.faster(-1),
      "0": views((view) => view.fit()), "1": views((view) => view.natural()), "[": views((view) => view.zoomBy(1 / ZOOM_STEP)), "]": views((view) => view.zoomBy(ZOOM_STEP)),
      w: pan(0, -1), s: pan(0, 1), a: pan(-1, 0), d: pan(1, 0),
    };
    // The space bar presses a focused button.
    if (!target.matches?.("button, a, summary") || target === this.playing) keys[" "] = () => this.toggle();
    const shifted = { ArrowLeft: "PageUp", ArrowRight: "PageDown" };
    const action = keys[(event.shiftKey && shifted[event.key]) || event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }
}
