/**
 * The logic of forms without their views. `unknown` → validated rows of operators and inputs; choices →
 * options of a step.
 */
import { UnreadableStages } from "./narrow";
import type { InputDim, Offer, OpRow } from "./schema";
import type { Options } from "./source";

export function asOpRows(raw: unknown): readonly OpRow[] {
  return rows(
    raw,
    "operators",
    ({ op, count }) => typeof op === "string" && typeof count === "number",
  ) as unknown as OpRow[];
}

/** The dimensions of a stage's inputs, and the limits of a re-export. */
interface Inputs {
  readonly rows: readonly InputDim[];
  readonly note: string;
}

export function asInputs(raw: unknown): Inputs {
  const { rows: found, note } = (typeof raw === "object" && raw !== null ? raw : {}) as Record<
    string,
    unknown
  >;
  const dims = rows(found, "inputs", ({ input, dim }) => {
    return typeof input === "string" && (dim === null || typeof dim === "number");
  });
  return { rows: dims as unknown as InputDim[], note: typeof note === "string" ? note : "" };
}

function rows(
  raw: unknown,
  what: string,
  isRow: (row: Record<string, unknown>) => boolean,
): Record<string, unknown>[] {
  const isAll =
    Array.isArray(raw) && raw.every((each) => typeof each === "object" && each !== null && isRow(each));
  if (!isAll) throw new UnreadableStages(`The rows of ${what} have an unexpected format.`);
  return raw;
}

/** An operator's short name: "aten.linear.default" → "linear", "aten.add.Tensor" → "add.Tensor". */
export const shortOp = (op: string): string => op.replace(/^aten\./, "").replace(/\.default$/, "");

/** The initial options of a form. */
export const defaultsOf = ({ options = [] }: Offer): Options =>
  Object.fromEntries(
    options.filter((each) => each.default !== undefined).map((each) => [each.name, each.default]),
  );

/** The options to send: without empty texts; ops to keep only in mode Core ATen, where they matter. */
export function sentOf(options: Options): Options {
  const { but, ...others } = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== ""));
  return Array.isArray(but) && but.length > 0 && others["ops"] === "core" ? { ...others, but } : others;
}

/** Why a form cannot be sent yet; empty if it can. */
export function missingIn({ options: fields = [] }: Offer, options: Options): string {
  const mustTick = fields.some(({ name, type, choices = [] }) => {
    const value = options[name];
    return type === "ops" && choices.length > 0 && Array.isArray(value) && value.length === 0;
  });
  return mustTick ? "Select at least one op." : "";
}

/** Which operators are decomposed: named sets, the selected ones, or all but those that are kept. */
type OpsMode = "core" | "functional" | "ticked" | "preserve";

/**
 * The checkboxes of operators. For Core ATen all are checked, and unchecked ones are kept; otherwise the list
 * has the checked ones.
 */
export class Ticks {
  constructor(
    readonly mode: OpsMode,
    private readonly name: string,
    private readonly options: Options,
  ) {}

  static of(name: string, choices: readonly string[], options: Options): Ticks {
    const value = options[name];
    const whole = value === "core" || value === "functional" ? value : "ticked";
    return new Ticks(choices.length ? whole : "preserve", name, options);
  }

  /** The new options for another mode. */
  choose(mode: string): Options {
    return { [this.name]: mode === "ticked" ? [] : mode, but: [] };
  }

  canTick({ decomposes, in_core_table, implicit }: OpRow): boolean {
    if (implicit || this.mode === "functional") return false;
    return this.mode === "ticked" ? decomposes === true : in_core_table === true;
  }

  /** Ops that are always decomposed are checked and cannot be changed. */
  isTicked(row: OpRow): boolean {
    if (row.implicit) return this.mode !== "preserve";
    return this.canTick(row) && this.list.includes(row.op) !== (this.mode === "core");
  }

  /** What will happen to an operator. */
  say(row: OpRow): string {
    const isKept = this.mode === "preserve";
    if (row.implicit) return isKept ? "always decomposed, cannot be kept" : "always decomposed";
    const isTicked = this.isTicked(row);
    if (isKept ? row.in_core_table && !isTicked : isTicked) return "decomposed";

    const why = this.whyStays(row);
    return why ? `kept (${why})` : "kept";
  }

  /** The new options after a checkbox is toggled. */
  tick({ op }: OpRow): Options {
    const { list } = this;
    return { [this.key]: list.includes(op) ? list.filter((each) => each !== op) : [...list, op] };
  }

  private whyStays({ core, decomposes, in_core_table }: OpRow): string {
    const isToCore = this.mode === "core" || this.mode === "preserve";
    if (core) return decomposes ? "Core ATen" : "Core ATen, no decomposition";
    if (!decomposes) return "no decomposition";
    return isToCore && !in_core_table ? "not in the Core ATen table" : "";
  }

  private get key(): string {
    return this.mode === "core" ? "but" : this.name;
  }

  private get list(): readonly string[] {
    const list = this.options[this.key];
    return Array.isArray(list) ? list : [];
  }
}

/** The text of each row: the previous choice, else the program's current state. */
export function choicesOf(rows: readonly InputDim[], dims: unknown): string[] {
  const before = (typeof dims === "object" ? dims : undefined) as
    | Record<string, Record<string, string>>
    | null
    | undefined;
  return rows.map(({ input, dim, choice = "static" }) => before?.[input]?.[String(dim ?? 0)] ?? choice);
}

/** The inputs of a re-export as the step takes them: by input, by position, as text. */
export function dimsOf(
  rows: readonly InputDim[],
  choices: readonly string[],
): Record<string, Record<string, string>> {
  const dims: Record<string, Record<string, string>> = {};
  rows.forEach(({ input, dim }, i) => {
    const words = choices[i]?.trim();
    if (!words) return;
    dims[input] = { ...dims[input], [String(dim ?? 0)]: words };
  });
  return dims;
}
