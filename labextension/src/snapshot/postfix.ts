/**
 * Evaluates sizes and conditions that Python wrote as "2 batch Mul:2 1 Add:2": functions after their
 * arguments. The functions are those of `exir_viz/snapshot/expr/postfix.py`. Nothing is executed as code.
 */

type Result = number | boolean | undefined;

/** Values of symbols by name. */
export type SymbolValues = ReadonlyMap<string, number>;

/** Undefined if a symbol has no value, a division is by zero, or a number is too large to be exact. */
export function evaluatePostfix(postfix: string, values: SymbolValues): number | boolean | undefined {
  const stack: Result[] = [];
  for (const token of postfix.split(" ")) {
    const colon = token.indexOf(":");
    if (colon < 0) {
      stack.push(leaf(token, values));
      continue;
    }
    const count = Number(token.slice(colon + 1));
    if (!(count > 0 && count <= stack.length)) return undefined;
    const args = stack.splice(stack.length - count);
    stack.push(exact(apply(token.slice(0, colon), args)));
  }
  return stack.length === 1 ? stack[0] : undefined;
}

function leaf(token: string, values: SymbolValues): Result {
  if (token === "True" || token === "False") return token === "True";
  return /^-?\d/.test(token) ? exact(Number(token)) : values.get(token);
}

/** Beyond 2^53 a double skips integers. */
const exact = (value: Result): Result =>
  typeof value === "number" && !(Math.abs(value) <= Number.MAX_SAFE_INTEGER) ? undefined : value;

/** Arguments after the first that decides are not evaluated, as in Python. */
function apply(fn: string, args: readonly Result[]): Result {
  if (fn === "And" || fn === "Or") {
    const at = args.findIndex((arg) => arg === undefined || Boolean(arg) === (fn === "Or"));
    return at < 0 ? fn === "And" : args[at] === undefined ? undefined : fn === "Or";
  }
  if (fn === "Where" || fn === "ITE") {
    const [condition, then, otherwise] = args;
    return condition === undefined ? undefined : condition ? then : otherwise;
  }
  if (args.includes(undefined)) return undefined;
  const numbers = args.map(Number);
  if (fn === "Add") return numbers.reduce((sum, each) => sum + each, 0);
  if (fn === "Mul") return numbers.reduce((product, each) => product * each, 1);
  if (fn === "Max") return Math.max(...numbers);
  if (fn === "Min") return Math.min(...numbers);
  const [a = 0, b = 0, c = 0] = numbers;
  return FUNCTIONS.get(fn)?.(a, b, c);
}

const floorDiv = (a: number, b: number): number | undefined => (b === 0 ? undefined : Math.floor(a / b));
const divided = (a: number, b: number): number | undefined => (b === 0 ? undefined : a / b);
/** With the sign of the divisor. */
const modulo = (a: number, b: number): number | undefined =>
  b === 0 ? undefined : a - b * Math.floor(a / b);
const power = (a: number, b: number): number | undefined => (a === 0 && b < 0 ? undefined : a ** b);

const FUNCTIONS = new Map<string, (a: number, b: number, c: number) => Result>(
  Object.entries({
    Pow: power,
    PowByNatural: (a: number, b: number) => (b < 0 ? undefined : power(a, b)),
    Eq: (a: number, b: number) => a === b,
    Ne: (a: number, b: number) => a !== b,
    Lt: (a: number, b: number) => a < b,
    Le: (a: number, b: number) => a <= b,
    Gt: (a: number, b: number) => a > b,
    Ge: (a: number, b: number) => a >= b,
    Not: (a: number) => !a,
    FloorDiv: floorDiv,
    CleanDiv: floorDiv,
    CeilDiv: (a: number, b: number) => floorDiv(a + b - 1, b),
    ModularIndexing: (a: number, b: number, c: number) => {
      const whole = floorDiv(a, b);
      return whole === undefined ? undefined : modulo(whole, c);
    },
    Mod: (a: number, b: number) => (a < 0 || b < 0 ? undefined : modulo(a, b)),
    PythonMod: modulo,
    IntTrueDiv: divided,
    FloatTrueDiv: divided,
    CeilToInt: Math.ceil,
    FloorToInt: Math.floor,
    TruncToInt: Math.trunc,
    ToFloat: (a: number) => a,
    Identity: (a: number) => a,
    floor: Math.floor,
    ceiling: Math.ceil,
    Abs: Math.abs,
    LShift: (a: number, b: number) => (b < 0 ? undefined : a * 2 ** b),
    RShift: (a: number, b: number) => (b < 0 ? undefined : Math.floor(a / 2 ** b)),
  }),
);
