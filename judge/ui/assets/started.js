// Starts, stops and resumes runs from the page, if the server allows it.

import { get, path, post, server } from "./api.js";
import { AS_TYPED, address, attempt, el, table } from "./dom.js";

/** The polling interval during a run. */
const PAUSE = 1000;

const FIELDS = [
  ["seeds", "Seeds", "1-50; empty: the problem's own cases"], ["cpu", "CPU time", "4s"], ["wall", "Time on the clock", "13s"],
  ["memory", "Memory", "1024MiB"], ["output_limit", "Output", "1MB"], ["processes", "Processes", "64"], ["message", "Message", "wider beam"],
];

/** The form to start a run, and the started runs. */
export class Started {
  constructor() {
    this.box = el("section");
    this.list = el("div", { "aria-live": "polite" });
    this.problem = el("div");
  }

  async load() {
    if (!(await server()).runs) return;
    const { problems } = await get("problems");
    this.box.replaceChildren(this.form(problems), this.list);
    await this.look();
  }

  form(problems) {
    const choice = el("select", { name: "problem" }, problems.map((one) => el("option", { value: one.problem }, one.problem)));
    const solvers = el("textarea", { name: "solvers", rows: "2", ...AS_TYPED, placeholder: "./mybot, python3 bot.py or bundled:columns; empty: the problem's own" });
    const field = ([name, title, placeholder]) => el("label", {}, title, el("input", { name, placeholder, ...AS_TYPED }));
    const start = async (event) => {
      event.preventDefault();
      const data = Object.fromEntries(new FormData(event.target));
      await this.send("started", { ...data, solvers: data.solvers.split("\n").filter((line) => line.trim()) });
    };
    return el("details", { class: "start" }, el("summary", {}, "Start a run"), el("form", { class: "detail start-run", submit: start },
      el("div", { class: "fields" }, el("label", {}, "Problem", choice),
        el("label", { class: "solvers" }, "Solvers, each on a line", solvers), FIELDS.map(field)),
      el("div", { class: "tools" }, el("button", {}, "Start"))), this.problem);
  }

  send(where, body) {
    this.problem.replaceChildren();
    return attempt(this.problem, async () => this.draw(await post(where, body)));
  }

  async look() {
    this.draw(await get("started"));
  }

  draw({ started }) {
    const row = (one) => [
      one.run ? el("a", { href: address(`runs/${one.run}`) }, `run ${one.run}`) : "–",
      stateOf(one), el("code", {}, one.command), this.output(one), one.running ? stopButton(one, (where) => this.send(where)) : "",
    ];
    const isOpen = new Set([...this.list.querySelectorAll("details[open]")].map((details) => details.dataset.number));
    this.list.replaceChildren(started.length ? table(["run", "state", "command", "output", ""], ["", "", "words", "words", ""], started.map(row), "started runs") : "");
    for (const details of this.list.querySelectorAll("details")) details.open = isOpen.has(details.dataset.number) || details.open;
    clearTimeout(this.timer);
    if (started.some((one) => one.running) && this.box.isConnected) this.timer = setTimeout(() => this.again(), PAUSE);
  }

  async again() {
    if (this.box.isConnected) await this.look().catch(() => {});
  }

  /** The output of a run, expanded if something is wrong. */
  output({ number, output, exit_code: code, running }) {
    if (!output) return "";
    const isWrong = !running && code !== 0 && code !== 1;
    return el("details", { "data-number": number, open: isWrong }, el("summary", {}, output.trim().split("\n")[0]), el("pre", {}, output));
  }
}

/** Returns the state of a started run, or how it ended, as text. */
function stateOf({ running, exit_code: code }) {
  if (running) return "running";
  if (code === undefined) return "ended by a signal";
  return { 0: "complete", 1: "complete, with failures", 130: "stopped" }[code] ?? `ended with exit code ${code}`;
}

function stopButton(one, send) {
  return el("button", { click: () => send(path("started", one.number, "stop")) }, "Stop");
}

/** Shows the actions for a run: stop it if it was started here, resume it if it was interrupted. */
export async function drawActions(place, head) {
  if (!(await server()).runs) return;
  const send = (where) => attempt(place, async () => {
    await post(where);
    // The next event shows the result.
    place.replaceChildren();
  });
  const { started } = await get("started");
  const here = started.find((one) => one.run === head.run && one.running && head.state === "running");
  const resume = () => el("button", { click: () => send(path("runs", head.run, "resume")) }, "Resume");
  if (here) place.replaceChildren(stopButton(here, send));
  else place.replaceChildren(["interrupted", "killed"].includes(head.state) ? resume() : "");
}
