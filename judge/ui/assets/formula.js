// Formulas and conditions over the numbers of a case, such as `N<10 && score/N>=2`, for pages without a server.

const FUNCTIONS = { log: Math.log, sqrt: Math.sqrt, abs: Math.abs };
const BINARY = [
  { "||": true }, { "&&": false },
  { "==": (a, b) => a === b, "!=": (a, b) => a !== b, "<=": (a, b) => a <= b, ">=": (a, b) => a >= b, "<": (a, b) => a < b, ">": (a, b) => a > b },
  { "+": (a, b) => a + b, "-": (a, b) => a - b }, { "*": (a, b) => a * b, "/": (a, b) => a / b },
];
/** From this precedence level on, both operands are numbers. Below it, an operator has the value that decides alone. */
const NUMBERS = 2;
const TOKEN = /\s*(\|\||&&|[<>=!]=|[-+*/<>!()]|\d+(?:\.\d+)?|[A-Za-z_][\w:]*)/y;

/** Returns a function that evaluates a text for a row. It gets the row's numbers from `value(name)`, which is undefined
 * for unknown ones. A comparison of an unknown number is undefined, and so is its negation. Fails if no row has a name. */
export function parse(text, isName) {
  const tokens = tokensOf(text);
  let place = 0;
  const wrong = () => new Error(`\`${text}\` cannot be read at ${tokens[place] === undefined ? "its end" : `\`${tokens[place]}\``}`);
  const take = (token) => tokens[place] === token && (place += 1, true);
  const level = (depth) => {
    if (depth === BINARY.length) return unary();
    let left = level(depth + 1);
    for (;;) {
      const operator = BINARY[depth][tokens[place]];
      if (operator === undefined) return left;
      place += 1;
      const [one, other] = [left, level(depth + 1)];
      left = (value) => {
        const [a, b] = [one(value), other(value)];
        if (depth < NUMBERS && (a === operator || b === operator)) return operator;
        if (a === undefined || b === undefined) return undefined;
        if (depth < NUMBERS) return !operator;
        const result = operator(a, b);
        return typeof result === "number" && !Number.isFinite(result) ? undefined : result;
      };
    }
  };
  const unary = () => {
    if (take("-")) {
      const of = unary();
      return (value) => (of(value) === undefined ? undefined : -of(value));
    }
    if (take("!")) {
      const of = level(NUMBERS);
      return (value) => (of(value) === undefined ? undefined : !of(value));
    }
    if (take("(")) {
      const inner = level(0);
      if (!take(")")) throw wrong();
      return inner;
    }
    const token = tokens[place];
    if (token === undefined || !/^\w/.test(token)) throw wrong();
    place += 1;
    if (/^\d/.test(token)) return () => Number(token);
    if (!FUNCTIONS[token] || !take("(")) {
      if (!isName(token)) throw new Error(`no case has \`${token}\``);
      return (value) => value(token);
    }
    const inner = level(0);
    if (!take(")")) throw wrong();
    return (value) => {
      const result = inner(value) === undefined ? undefined : FUNCTIONS[token](inner(value));
      return Number.isFinite(result) ? result : undefined;
    };
  };
  const parsed = level(0);
  if (place < tokens.length) throw wrong();
  return parsed;
}

function tokensOf(text) {
  const tokens = [];
  for (TOKEN.lastIndex = 0; TOKEN.lastIndex < text.trimEnd().length;) {
    const start = TOKEN.lastIndex, found = TOKEN.exec(text);
    if (!found) throw new Error(`\`${text}\` cannot be read at \`${text.slice(start).trim()}\``);
    tokens.push(found[1]);
  }
  return tokens;
}
