// The counterpart of `api.js` for the files of a static site.

import { DECADES, countedInRanges, endsOf } from "./charts.js";
import { playedColumns } from "./columns.js";
import { el, parsed } from "./dom.js";
import { parse } from "./formula.js";

export const isStatic = true;
const VERDICTS = ["AC", "WA", "TLE", "ILE", "MLE", "OLE", "PLE", "RE", "CE", "CS", "JE", "–"];
const METRIC = "metric:";
/** Charts group by value if there are at most this many, else into this many groups. */
const MOST_VALUES = 12;
const GROUPS = 8;

/** The files being read by name, and who waits for each. */
const files = new Map();
const waiting = new Map();

// For scripts: a game as the server has it.
globalThis.judgeGame = game;
globalThis.judgeData = (name, text) => waiting.get(name)?.(text);

/** Reads a file below `data/`. Files are scripts, because a page without a server can load nothing else. */
function read(name) {
  if (!files.has(name)) {
    files.set(name, new Promise((done, failed) => {
      const script = document.createElement("script");
      waiting.set(name, (text) => done(inflated(text)));
      script.src = `data/${name}.js`;
      script.onerror = () => failed(new Error(`this site has no data/${name}.js`));
      document.head.append(script);
    }));
  }
  return files.get(name);
}

async function inflated(text) {
  const bytes = Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return parsed(await new Response(stream).text());
}

const missing = (what) => new Error(`${what} is not part of this site`);
const index = () => read("index");

/** Returns the document that a server would return for a path below /api. */
export async function get(path, query = {}) {
  const words = path.split("/").map(decodeURIComponent);
  const [kind, id, part, name] = words;
  if (kind === "server") return { judge: (await index()).judge, edits: false, runs: false };
  if (kind === "started") return { started: [] };
  if (kind === "compare") return compared(query);
  if (kind === "grid") return grid(query);
  if (kind === "problems") return problems(id, name);
  if (kind !== "runs") throw missing(path);
  if (id === undefined) return history(query);
  const head = await headOf(id);
  if (part === undefined) return head;
  if (part === "cases" && name === undefined) return cases(head, query);
  if (part === "points") return points(head, query);
  if (part === "counts") return counts(head, query);
  if (part === "boxes") return boxes(head, query);
  throw missing(path);
}

export async function text(path) {
  throw missing(path.split("/").at(-1) === "answer" ? "the answer" : "this text");
}

export async function post() {
  throw new Error("a static site changes nothing");
}

export const postForText = post;
export const server = () => get("server");
export const command = (line) => el("code", {}, line);
/** A static site has no events. */
export function listen() {}

/** Returns a path of segments that may contain any character. */
export function path(...words) {
  return words.map(encodeURIComponent).join("/");
}

async function headOf(id) {
  const { heads } = await index();
  const head = heads[id === "last" ? Math.max(...Object.keys(heads).map(Number)) : id];
  if (!head) throw missing(`run ${id}`);
  return head;
}

/** Returns the rows of a run. */
const rowsOf = async (run) => (await read(`run-${run}`)).rows;
/** Returns the rows of an entrant by case. */
const resultsOf = async ({ head, solver }) => new Map((await rowsOf(head.run)).filter((row) => row.solver === solver).map((row) => [row.case, row]));

async function history({ text: words = "", problem = "", solver = "", tag = "", offset = 0, limit = 100 }) {
  const { runs } = await index();
  const isShown = (row) => (!problem || row.problem === problem) && (!solver || row.solver === solver) && (!tag || (row.tags ?? []).includes(tag))
    && [row.run, row.problem, row.solver, row.command, row.message, row.note, ...row.tags ?? []].join(" ").toLowerCase().includes(words.trim().toLowerCase());
  const found = runs.filter(isShown);
  return { schema: 1, total: found.length, offset, runs: found.slice(offset, offset + limit) };
}

/** Returns a function that evaluates a condition or a formula for a row and the place of its case. */
function reader(head, rows, text) {
  const isName = (name) => head.fields.includes(name) || VERDICTS.includes(name) || rows.some((row) => row.features?.[name] !== undefined);
  const read = parse(text, isName);
  return ({ row, place }) => read((name) => numberOf(head, row, place, name));
}

/** Returns the number of a row by name. */
function numberOf({ fields, solvers }, row, place, name) {
  if (name === "case") return place;
  if (name === "solver") return solvers.findIndex((solver) => solver.name === row.solver);
  const code = VERDICTS.indexOf(name === "verdict" ? row.code : name);
  if (code >= 0) return code;
  const value = name.startsWith(METRIC) ? row.metrics?.[name.slice(METRIC.length)] : (fields.includes(name) ? row : row.features)?.[name];
  return value === undefined || value === null ? undefined : Number(value);
}

/** Returns the rows of a run that match a filter, each with the index of its case. */
async function filtered(head, filter = "", solver = "") {
  const rows = await rowsOf(head.run);
  const holds = filter.trim() ? reader(head, rows, filter) : () => true;
  const solvers = head.solvers.length;
  const found = rows.map((row, at) => ({ row, place: Math.floor(at / solvers) })).filter((one) => !solver || one.row.solver === solver);
  return found.filter((one) => {
    const value = holds(one);
    if (typeof value === "number") throw new Error(`\`${filter}\` is a number: expected a comparison such as \`<\``);
    return value;
  });
}

async function cases(head, { filter, solver, sort = "", descending = "", offset = 0, limit = 100 }) {
  const found = await filtered(head, filter, solver), rows = await rowsOf(head.run);
  if (sort && sort !== "case") {
    const key = reader(head, rows, sort);
    const keyed = found.map((one) => [key(one), one]);
    const isDown = descending && descending !== "false";
    keyed.sort(([a], [b]) => (a === undefined || b === undefined ? (a === undefined) - (b === undefined) : (isDown ? b - a : a - b)));
    found.splice(0, found.length, ...keyed.map(([, one]) => one));
  } else if (descending && descending !== "false") found.reverse();
  return { run: head.run, all: rows.length, total: found.length, offset, rows: found.slice(offset, offset + Number(limit)).map(({ row }) => row) };
}

/** Returns the values of formulas by solver, for each row that has all of them. */
async function numbers(head, formulas, filter) {
  const rows = await rowsOf(head.run), read = formulas.map((formula) => reader(head, rows, formula));
  const known = (await filtered(head, filter)).map((one) => ({ row: one.row, values: read.map((value) => value(one)) }));
  const found = known.filter(({ values }) => values.every((value) => value !== undefined));
  return head.solvers.map(({ name }) => found.filter(({ row }) => row.solver === name));
}

async function points(head, { x, y, filter }) {
  const found = await numbers(head, [x, y], filter);
  const solvers = found.map((rows, at) => ({ solver: head.solvers[at].name, cases: rows.map(({ row }) => row.case), x: rows.map(({ values }) => values[0]), y: rows.map(({ values }) => values[1]) }));
  return { run: head.run, x, y, total: found.flat().length, solvers };
}

async function counts(head, { x, filter }) {
  const found = (await numbers(head, [x], filter)).map((rows) => rows.map(({ values: [value] }) => value));
  const all = found.flat(), [low, high] = endsOf(all);
  const logarithmic = low > 0 && high >= DECADES * low;
  const { edges, groups } = countedInRanges(found.map((values, at) => ({ name: head.solvers[at].name, values })), logarithmic);
  return { run: head.run, x, total: all.length, logarithmic, edges, solvers: groups.map(({ name, counts }) => ({ solver: name, counts })) };
}

function spread(values) {
  if (values.length === 0) return null;
  values.sort((a, b) => a - b);
  const at = (quarters) => {
    const place = quarters * (values.length - 1), below = Math.floor(place / 4);
    return values[below] + (place % 4) / 4 * (values[Math.min(below + 1, values.length - 1)] - values[below]);
  };
  return { count: values.length, low: values[0], q1: at(1), median: at(2), q3: at(3), high: values.at(-1) };
}

async function boxes(head, { y, by, filter }) {
  const found = (await numbers(head, [by, y], filter)).map((rows) => rows.map(({ values }) => values));
  const sorted = found.flat().map(([value]) => value).sort((a, b) => a - b), values = [...new Set(sorted)];
  const starts = values.length <= MOST_VALUES ? values : [...new Set(Array.from({ length: GROUPS }, (_, group) => sorted[Math.floor(group * sorted.length / GROUPS)]))];
  const short = (number) => String(Number(number.toPrecision(4)));
  const groups = starts.map((start, place) => {
    const end = starts[place + 1] ?? Infinity, last = values.findLast((value) => value < end);
    return { label: last > start ? `${short(start)}–${short(last)}` : short(start), boxes: found.map((pairs) => spread(pairs.filter(([value]) => value >= start && value < end).map(([, value]) => value))) };
  });
  return { run: head.run, y, by, solvers: head.solvers.map(({ name }) => name), groups };
}

/** Returns a score's share of the best score: the larger of the two may be either, by their sign. */
function shareOf(score, best) {
  if (score === undefined || best === undefined) return null;
  if (Number(score) === Number(best)) return 1;
  const quotient = Number(score) / Number(best), share = Math.min(quotient, 1 / quotient);
  return Number.isNaN(share) ? null : Math.max(0, share);
}

function bestOf(direction, scores) {
  const known = scores.filter((score) => score !== undefined && score !== null).map(Number);
  return known.length === 0 ? undefined : (direction === "min" ? Math.min : Math.max)(...known);
}

async function entrant(key) {
  const [run, solver] = key.trim().replace(/^run:/, "").split(/\/(.*)/s);
  const head = await headOf(run);
  return { key, head, solver: solver ?? head.solvers[0].name };
}

async function grid({ runs, sort = "", filter = "" }) {
  const entrants = await Promise.all(runs.split("\n").filter((key) => key.trim()).map(entrant));
  const [first] = entrants, { direction } = first.head.scoring;
  const results = await Promise.all(entrants.map(resultsOf));
  const key = sort ? reader(first.head, await rowsOf(first.head.run), sort) : () => null;
  const rows = (await filtered(first.head, filter, first.solver)).map((one) => ({ row: one.row, key: key(one) ?? null }));
  if (sort) rows.sort((a, b) => (a.key === null || b.key === null ? (a.key === null) - (b.key === null) : a.key - b.key));
  const shares = rows.map(({ row }) => {
    const of = results.map((rows) => rows.get(row.case)), best = bestOf(direction, of.map((one) => one?.score));
    return of.map((one) => ({ code: one?.code ?? "", share: one ? shareOf(one.score, best) : null, isKnown: Boolean(one) }));
  });
  const columns = entrants.map(({ key, head, solver }, at) => {
    const own = shares.map((row) => row[at]), known = own.filter(({ isKnown }) => isKnown).length;
    const sum = own.reduce((sum, { share }) => sum + (share ?? 0), 0);
    return { key, run: head.run, solver, relative: own.map(({ share }) => share), codes: own.map(({ code }) => code), known, bests: own.filter(({ share }) => share === 1).length, mean: known > 0 ? sum / known : null };
  });
  return { problem: first.head.problem, direction, sort, total: rows.length, columns, cases: rows.map(({ row }) => row.case), keys: rows.map(({ key }) => key), features: first.head.features };
}

async function compared({ a, b, filter = "", group_by: group = "" }) {
  if (filter.trim() || group) throw new Error("a static site compares all cases: `judge ui` compares a part of them, or groups");
  const both = await Promise.all([a, b].map(entrant)), [one, other] = both.map(({ head, solver }) => `${head.run}/${solver}`);
  const found = (await read(`compare-${both[0].head.run}`))[`${one}\n${other}`];
  if (!found) throw missing("this comparison");
  const rows = await Promise.all(both.map(resultsOf));
  const result = (name, at) => {
    const row = rows[at].get(name);
    return row ? [{ ...row, solver: found.solvers[at].name }] : [];
  };
  return { ...found, cases: [...rows[0].keys()].map((name) => ({ case: name, results: [...result(name, 0), ...result(name, 1)] })) };
}

async function problems(id, name) {
  const { problems, pages, runs, heads } = await index();
  if (id === undefined) return { problems };
  if (!pages[id]) throw missing(`the problem ${id}`);
  if (name === undefined) return pages[id];
  const own = [...new Set(runs.filter((row) => row.problem === id).map((row) => row.run))];
  const found = await Promise.all(own.map(async (run) => (await rowsOf(run)).filter((row) => row.case === name).map((row) => ({ ...row, run, started: heads[run].date, message: heads[run].message }))));
  const results = found.flat().sort((one, other) => other.run - one.run);
  if (results.length === 0) throw missing(`the case ${name}`);
  const { direction } = pages[id], best = bestOf(direction, results.map(({ score }) => score));
  const place = results.findLastIndex(({ score }) => score !== undefined && Number(score) === best);
  return {
    problem: id, case: name, direction, features: results[0].features, input: false, replays: true, others: 0, best: place < 0 ? undefined : place,
    results: results.map((row) => ({ ...row, relative: shareOf(row.score, best) ?? undefined, answer: Boolean(row.game) })),
  };
}

/** Returns a game, whole. */
export async function game(run, name, solver) {
  const head = await headOf(run);
  const row = (await rowsOf(head.run)).find((row) => row.case === name && row.solver === (solver || head.solvers[0].name));
  if (!row?.game) throw Object.assign(missing("this game"), { hints: ["judge site --games 20MB takes more of them"] });
  // Equal games are stored once, so facts about this one are in its row.
  const [file, game] = row.game.split("/"), data = await read(file);
  return { ...(game ? playedColumns({ ...data, ...data.games[game], games: undefined }) : data), player: row.solver };
}
