// A game that is played by hand. The server has the rules: the page sends all moves so far and receives the result.

import { beforeFirst, advance, boardText, copyState, marksOf } from "./board.js";
import { drawStrip, Sprites } from "./boardview.js";
import { command, get, path, post, postForText } from "./api.js";
import { AS_TYPED, address, attempt, choice as choiceOf, digits, el, failure, grouped, shown, terms } from "./dom.js";
import { PlayBoard } from "./playboard.js";
import { replayOf } from "./replays.js";
import { download } from "./save.js";

/** The maximum time for the frames of a move, and the pause after each, in milliseconds. */
const LONGEST = 1500;
const PAUSE = 180;
const AHEAD = 24;

/** Returns the seed of the day: today's date as a number, such as 20260131. */
function today() {
  const now = new Date();
  return now.getFullYear() * 10000 + (now.getMonth() + 1) * 100 + now.getDate();
}

export async function playPage(place, _, query) {
  const { problems } = await get("problems");
  const playable = problems.filter((one) => one.by_hand).map((one) => one.problem);
  if (playable.length === 0) {
    place.append(el("h1", {}, "Play"), el("p", {}, "No problem of this catalogue can be played by hand."));
    return;
  }
  const id = query.get("problem") ?? playable[0];
  const problem = await get(path("problems", id));
  const name = query.get("case") ?? problem.names?.[0] ?? "seed-1";
  const open = (problem, one) => { location.hash = address("play", { problem, case: one }); };
  const input = el("input", { value: name, list: "cases", ...AS_TYPED, change: () => open(id, input.value.trim()) });
  const names = el("datalist", { id: "cases" }, (problem.names ?? []).map((one) => el("option", { value: one })));
  const daily = el("a", { class: "button", href: address("play", { problem: id, case: `seed-${today()}` }) }, "Today's seed");
  place.append(
    el("h1", {}, `Play ${problem.title}`),
    el("div", { class: "tools" }, el("label", {}, "Problem", choiceOf("Problem", playable, id, (other) => open(other))),
      el("label", {}, "Case or seed", input, names), name.startsWith("seed-") ? daily : "", el("a", { class: "button", href: address(`problems/${id}`) }, "Rules")),
  );
  const game = new Game(id, name);
  place.append(game.box);
  await game.restore();
}

class Game {
  constructor(problem, name) {
    Object.assign(this, { problem, name, moves: [], undone: [], isBusy: false, bot: { moves: [] } });
    const key = `play ${problem} ${name}`;
    // A reloaded page continues the same game.
    this.remember = () => localStorage.setItem(key, JSON.stringify(this.moves));
    this.remembered = () => JSON.parse(localStorage.getItem(key) ?? "[]");
    this.todayKey = `best ${problem} ${name} ${today()}`;
    this.board = new PlayBoard({ label: `the board of ${problem}, ${name}`, aimed: (choice, text) => this.aimed(choice, text), played: (choice) => this.play(choice) });
    const button = (title, click, hint) => el("button", { click, title: hint }, title);
    this.undo = button("Undo", () => this.back(), "U");
    this.redo = button("Redo", () => this.forth(), "Y");
    this.turn = button("Turn", () => this.board.turnBy(1), "R");
    this.hint = button("Hint", () => this.aimAtBest(), "H: aims at what brings most");
    this.restart = button("From the start", () => this.go([], [...this.moves, ...this.undone]), "");
    this.save = button("Save the answer", () => this.saveAnswer(), "a file that judge check accepts");
    this.record = button("Record the result", () => this.recordResult(), "as a run of `by hand` in the journal");
    this.status = el("p", { class: "score", role: "status" });
    this.race = el("p", { class: "race" });
    this.races = el("input", { type: "checkbox", checked: localStorage.getItem("play against the bot") !== "no", change: () => this.raceOn(this.races.checked) });
    this.aim = el("p", { id: "aim", "aria-live": "polite" });
    this.ahead = el("canvas", { role: "img" });
    this.next = el("div", { class: "ahead", hidden: true }, el("span", { class: "faint" }, "next"), this.ahead);
    this.facts = el("dl", { class: "facts" });
    this.told = el("div", { "aria-live": "polite" });
    this.text = el("pre", { class: "unseen", "aria-label": "the board in letters" });
    this.help = el("p", { class: "faint" });
    this.box = el("div", { class: "play" },
      el("div", { class: "table" }, this.board.box, this.text),
      el("div", {}, this.status, el("label", { class: "beside" }, this.races, "Beat the greedy bot"), this.race, this.aim, this.next,
        el("div", { class: "tools" }, this.hint, this.turn, this.undo, this.redo, this.restart),
        this.facts, el("div", { class: "tools" }, this.save, this.record), this.told, this.help));
  }

  /** Keys work for any focus except in fields and on buttons, as long as the game is there. */
  listen() {
    const pressed = (event) => {
      if (!this.box.isConnected) removeEventListener("keydown", pressed);
      else this.key(event);
    };
    addEventListener("keydown", pressed);
  }

  /** Continues the last game on this case. */
  async restore() {
    this.moves = this.remembered();
    try {
      await this.load();
    } catch (error) {
      if (this.moves.length === 0) throw error;
      this.moves = [];
      await this.load();
    }
    this.listen();
  }

  asked() {
    return { case: this.name, moves: this.moves };
  }

  async load() {
    this.game = await post(path("play", this.problem), this.asked());
    this.remember();
    this.show();
    if (this.races.checked) this.moveBot().catch(() => { this.race.textContent = ""; });
  }

  raceOn(isOn) {
    localStorage.setItem("play against the bot", isOn ? "yes" : "no");
    this.race.textContent = "";
    if (isOn) this.moveBot().catch(() => {});
  }

  /** The bot plays as many moves on the same case as the user. It always takes the move with the highest gain, and
   * among equal ones the one that lands lowest. */
  async moveBot() {
    const { bot } = this;
    if (bot.isBusy) return;
    bot.isBusy = true;
    try {
      bot.game ??= await post(path("play", this.problem), { case: this.name, moves: [] });
      bot.after ??= [bot.game.points];
      while (bot.moves.length < this.moves.length && !bot.isOver) {
        const next = bestOf(bot.game.choices);
        bot.isOver = !next;
        if (!next) break;
        bot.moves.push(next.move);
        bot.game = await post(path("play", this.problem), { case: this.name, moves: bot.moves });
        bot.after.push(bot.game.points);
      }
    } finally {
      bot.isBusy = false;
    }
    const points = bot.after[Math.min(this.moves.length, bot.moves.length)], lead = Number(this.game.points) - Number(points);
    this.race.replaceChildren(`the bot has ${grouped(points)} after ${Math.min(this.moves.length, bot.moves.length)} moves: you `,
      el("span", { class: lead < 0 ? "bad" : "good" }, lead === 0 ? "are even" : lead > 0 ? `lead by ${grouped(lead)}` : `are ${grouped(-lead)} behind`));
  }

  /** Changes the moves. Reverts them if the server rejects them. */
  async go(moves, undone) {
    if (this.isBusy) return;
    this.isBusy = true;
    const before = [this.moves, this.undone];
    [this.moves, this.undone] = [moves, undone];
    this.told.replaceChildren();
    try {
      await this.load();
    } catch (error) {
      [this.moves, this.undone] = before;
      this.told.replaceChildren(failure(error));
    } finally {
      this.isBusy = false;
    }
  }

  play(choice) {
    const isAgain = JSON.stringify(this.undone[0]) === JSON.stringify(choice.move);
    return this.go([...this.moves, choice.move], isAgain ? this.undone.slice(1) : []);
  }

  back() {
    return this.moves.length > 0 && this.go(this.moves.slice(0, -1), [this.moves.at(-1), ...this.undone]);
  }

  forth() {
    return this.undone.length > 0 && this.go([...this.moves, this.undone[0]], this.undone.slice(1));
  }

  /** Shows the last move frame by frame, and then the possible next moves. */
  show() {
    const { game, board } = this;
    clearTimeout(this.timer);
    const gained = game.frames.reduce((sum, frame) => sum + Number(frame.g ?? 0), 0);
    const isOver = game.choices.length === 0;
    this.status.replaceChildren(el("strong", {}, digits(game.points)), " points ", el("span", { class: gained < 0 ? "bad" : "good" }, gained === 0 ? "" : signed(gained)),
      el("span", { class: "faint" }, ` · move ${game.moves}${isOver ? " · the game is over" : ""}`));
    let state = beforeFirst();
    const states = game.frames.map((frame) => (state = copyState(advance(state, frame))));
    this.text.textContent = boardText(state, game.cells);
    this.sides(isOver);
    const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const last = states.length - 1, pause = Math.min(PAUSE, LONGEST / states.length);
    const step = (at) => {
      board.show(states[at], game.cells, marksOf(game.frames[at]), isStill ? 0 : pause);
      this.aim.textContent = game.captions[game.frames[at].t];
      if (at < last) this.timer = setTimeout(step, pause, at + 1);
      else if (!isOver) this.timer = setTimeout(() => board.offer(game.choices), last > 0 ? pause : 0);
    };
    this.skip = () => {
      clearTimeout(this.timer);
      if (board.choices.length > 0 || isOver) return;
      board.show(states[last], game.cells, new Set());
      board.offer(game.choices);
    };
    step(isStill || game.moves === 0 ? last : 0);
  }

  sides(isOver) {
    const { game } = this;
    const { width, cells, marked } = game.ahead;
    this.next.hidden = cells.length === 0;
    if (cells.length > 0) {
      drawStrip(this.ahead, new Sprites(cells), cells.map((_, place) => place), width, AHEAD, new Set(marked));
      this.ahead.setAttribute("aria-label", `what comes next: ${cells.slice(0, width).map((_, at) => cells.filter((_, place) => place % width === at).map(([text]) => text).reverse().join("")).join(" ")}`);
    }
    const bestToday = Math.max(Number(localStorage.getItem(this.todayKey) ?? -Infinity), Number(game.points));
    localStorage.setItem(this.todayKey, bestToday);
    this.showKeys();
    const facts = [["saved now, it is worth", digits(game.score)],
      ["best known", game.best ? [digits(game.best.score), `, ${game.best.solver}`] : "–"], ["best by hand", digits(game.best_by_hand)], ["best of today", digits(bestToday)]];
    this.facts.replaceChildren(...terms(facts));
    this.undo.disabled = this.moves.length === 0;
    this.redo.disabled = this.undone.length === 0;
    this.restart.disabled = this.moves.length === 0;
    this.hint.disabled = this.turn.disabled = isOver;
    this.record.disabled = !game.records;
    if (!game.records) this.record.title = "not with --read-only";
  }

  /** Describes the effect of the selected choice. */
  aimed(choice, text) {
    const here = text ? `${text}: ` : "";
    if (!choice) {
      this.aim.textContent = `${here}nothing can be played here`;
      return;
    }
    const gain = el("span", { class: choice.gained > 0 ? "good" : "" }, signed(choice.gained));
    this.aim.replaceChildren(here, el("code", {}, choice.move.join(" ")), " brings ", gain, choice.ends ? ", and ends the game" : "");
  }

  aimAtBest() {
    this.skip();
    const best = bestOf(this.board.choices);
    if (best) this.board.aimAt(best);
    this.board.canvas.focus({ preventScroll: true });
  }

  /** Lists the keys of this game. */
  showKeys() {
    const { choices } = this.game;
    if (choices.length === 0) return;
    const turns = choices.some(({ placed }) => placed), swaps = !turns && choices.every(({ cells }) => cells.length === 2);
    this.turn.hidden = !turns;
    this.help.textContent = ["← ↑ → ↓ aim", turns && "R turns", "Enter plays", swaps && "⇧ and an arrow plays with the neighbour there", "U undoes", "Y redoes", "H aims at what brings most"].filter(Boolean).join(" · ");
  }

  key(event) {
    const { target } = event;
    if (event.altKey || event.metaKey || target.matches?.("input:not([type=checkbox]), select, textarea")) return;
    const isUndo = event.ctrlKey && event.key === "z";
    const actions = { u: () => this.back(), Backspace: () => this.back(), y: () => this.forth(), h: () => this.aimAtBest() };
    const action = isUndo ? actions.u : !event.ctrlKey && actions[event.key];
    if (action) {
      event.preventDefault();
      action();
    } else if (!target.matches?.("button, a, summary, input") || event.key.startsWith("Arrow")) this.board.key(event);
  }

  async saveAnswer() {
    await this.tell(async () => {
      const text = await postForText(path("play", this.problem, "answer"), this.asked());
      const name = `${this.problem}-${this.game.case}.out`;
      download(name, text, "text/plain");
      return [`saved as ${name}: `, command(`judge check -p ${this.problem} ${this.checked()} --output ${name}`)];
    });
  }

  /** The input of the case, as for `judge check`. */
  checked() {
    const seed = /^seed-(\d+)$/.exec(this.game.case);
    return seed ? `--seed ${seed[1]}` : "--input FILE";
  }

  async recordResult() {
    await this.tell(async () => {
      const { run, case: name, score } = await post(path("play", this.problem, "run"), this.asked());
      this.game = { ...this.game, ...await post(path("play", this.problem), this.asked()) };
      this.sides(this.game.choices.length === 0);
      return [`${shown(score)} is recorded as `, el("a", { href: address(`runs/${run}`) }, `run ${run}`), ": ", el("a", { href: replayOf(`run:${run}`, name) }, "Replay")];
    });
  }

  tell(what) {
    return attempt(this.told, async () => this.told.replaceChildren(el("p", {}, ...await what())));
  }
}

/** Returns the choice with the highest gain, and among equal ones the one that lands lowest. */
function bestOf(choices) {
  const rank = ({ gained, placed = [], ends }) => [Number(gained), ends ? 0 : 1, Math.min(...placed.map(([cell]) => cell))];
  return choices.reduce((best, choice) => {
    const difference = best && rank(choice).map((one, at) => one - rank(best)[at]).find((difference) => difference !== 0 && !Number.isNaN(difference));
    return !best || difference > 0 ? choice : best;
  }, undefined);
}

function signed(number) {
  const text = shown(number);
  return text.startsWith("-") ? text : `+${text}`;
}
