/**
 * The Snapshot as it is kept and sent. Made by `python -m exir_viz.typescript` from the Python
 * that owns it: change it there.
 */

export const SCHEMA = 1;

/** `PageData.version` that pages read. */
export const PAGE_VERSION = 5;

/** `GraphColumns.ops` holds positions in this list. */
export const OPS = [
  "placeholder",
  "call_function",
  "call_method",
  "call_module",
  "get_attr",
  "output",
  "instruction",
] as const;

/** In a column: this node has none. */
export const NONE = -1;

/** Nodes that do something when the program runs. */
export const COMPUTES = ["call_function", "call_method", "call_module", "instruction"] as const;

/** Inputs that hold state. */
export const STATE_INPUTS = ["buffer", "constant_tensor", "custom_obj", "parameter"] as const;

/** Outputs that are written back, to state or to an input. */
export const MUTATIONS = ["buffer_mutation", "parameter_mutation", "user_input_mutation"] as const;

/** How deep graphs may be nested. */
export const MAX_NESTING = 100;

/** How deep arguments, values and pytrees may be nested. */
export const MAX_DEPTH = 100;

export type Dim = number | string;

export type NodeNumber = number & { readonly counts?: "NodeNumber" };

export type ScopeNumber = number & { readonly counts?: "ScopeNumber" };

export type GraphNumber = number & { readonly counts?: "GraphNumber" };

/** What a `Literal` is in Python. */
export type LiteralType =
  | "none"
  | "bool"
  | "int"
  | "float"
  | "complex"
  | "str"
  | "dtype"
  | "device"
  | "layout"
  | "memory_format"
  | "ellipsis";

/** A constant. `text` is Python's repr of it (a string's bare text), so that no digit is lost. */
export interface Literal {
  readonly kind: "literal";
  readonly type: LiteralType;
  readonly text: string;
}

/** The value of another node: `at` is a position in the using node's inputs. */
export interface NodeArg {
  readonly kind: "node";
  readonly at: number;
}

/** A symbolic number given in place, not through a node. */
export interface SymArg {
  readonly kind: "symbol";
  readonly expr: string;
}

/** An operator as an argument (`auto_functionalized`, `map` bodies of ops). */
export interface OpArg {
  readonly kind: "operator";
  readonly text: string;
}

/** Anything else: its class and, where it is short and harmless, its text. */
export interface ObjectArg {
  readonly kind: "object";
  readonly cls: string;
  readonly text?: string;
}

/** A list or tuple of arguments (`type` is "list", "tuple" or the class of another sequence). */
export interface SequenceArg {
  readonly kind: "sequence";
  readonly type: string;
  readonly items?: readonly Arg[];
}

/** A dict argument; keys in their order. */
export interface MapArg {
  readonly kind: "map";
  readonly keys?: readonly Literal[];
  readonly items?: readonly Arg[];
}

/** A Python slice. */
export interface SliceArg {
  readonly kind: "slice";
  readonly start: Arg;
  readonly stop: Arg;
  readonly step: Arg;
}

export type Arg = Literal | NodeArg | SymArg | OpArg | ObjectArg | SequenceArg | MapArg | SliceArg;

/** The arguments of a node: positional, then by keyword (`names` beside `values`). */
export interface Call {
  readonly args?: readonly Arg[];
  readonly names?: readonly string[];
  readonly values?: readonly Arg[];
}

/**
 * What a tensor is without its data. `dtype` is torch's name without "torch.": "float32".
 *
 * `dim_order` follows from the strides (with hints for symbols); None if these do not decide it.
 */
export interface TensorValue {
  readonly kind: "tensor";
  readonly dtype: string;
  readonly shape: readonly Dim[];
  readonly stride?: readonly Dim[];
  readonly offset?: Dim;
  readonly device?: string;
  readonly layout?: string;
  readonly requires_grad?: boolean;
  readonly dim_order?: readonly number[];
  readonly cls?: string;
}

/** A symbolic number: SymInt, SymFloat or SymBool. `hint` is its example value, as text, where known. */
export interface SymValue {
  readonly kind: "symbol";
  readonly type: LiteralType;
  readonly expr: string;
  readonly hint?: string;
}

/** Several values: an op that returns a tuple or a list. */
export interface SequenceValue {
  readonly kind: "sequence";
  readonly type: string;
  readonly items?: readonly Value[];
}

/** A dict of values. */
export interface MapValue {
  readonly kind: "map";
  readonly keys?: readonly string[];
  readonly items?: readonly Value[];
}

/** A script object, a token, or another object that is not a number: known by its class only. */
export interface ObjectValue {
  readonly kind: "object";
  readonly role: string;
  readonly cls: string;
  readonly name?: string;
}

export type Value = TensorValue | SymValue | Literal | SequenceValue | MapValue | ObjectValue;

/** What a node's target is. */
export type TargetType =
  | "op"
  | "higher_order"
  | "builtin"
  | "function"
  | "method"
  | "attribute"
  | "input"
  | "output"
  | "instruction";

/** What a node calls or names. `text` is how FX prints it; `schema` is torch's, where known. */
export interface Target {
  readonly type: TargetType;
  readonly text: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly overload?: string;
  readonly schema?: string;
}

/** One entry of nn_module_stack. A module called twice is two scopes: `call` counts from 0. */
export interface Scope {
  readonly parent: ScopeNumber;
  readonly key: string;
  readonly path: string;
  readonly cls: string;
  readonly call?: number;
}

/** One line of a stack trace; `code` is the text torch recorded with it. */
export interface Frame {
  readonly file: string;
  readonly line: number;
  readonly function: string;
  readonly code?: string;
}

/** One NodeSource of from_node; `parents` are numbers of origins, `graph` an ordinal, not id(). */
export interface Origin {
  readonly name: string;
  readonly target: string;
  readonly pass_name: string;
  readonly action: string;
  readonly graph: number;
  readonly parents?: readonly number[];
}

/** One entry of source_fn_stack: the torch function or leaf module before decomposition. */
export interface SourceFn {
  readonly name: string;
  readonly target: string;
}

/** A meta field that no other column has: its name, its type, and its text if that is short and exact. */
export interface Extra {
  readonly name: string;
  readonly type: string;
  readonly text?: string;
}

/** Where the memory plan put a value. Sizes in bytes; lifetime in node positions, ends included. */
export interface MemorySpec {
  readonly dtype: string;
  readonly shape: readonly Dim[];
  readonly bytes?: number;
  readonly mem_id?: number;
  readonly mem_obj_id?: number;
  readonly offset?: number;
  readonly lifetime?: readonly [number, number];
  readonly const?: boolean;
  readonly dim_order?: readonly number[];
  readonly dynamism?: string;
  readonly alignment?: number;
}

/** Lines of a user's file around the lines that frames name; kept only where file and trace agree. */
export interface SourceText {
  readonly file: string;
  readonly lines: readonly number[];
  readonly text: readonly string[];
}

/**
 * How the integers of a tensor represent numbers.
 *
 * `scheme` is "per tensor", "per channel", "per block" or "dynamic per token". `scales` and `zero_points`
 * are the first ones of `count`. A dynamic scheme computes them at run time and has none.
 */
export interface Quantization {
  readonly scheme: string;
  readonly scales?: readonly number[];
  readonly zero_points?: readonly number[];
  readonly count?: number;
  readonly axis?: number;
  readonly block?: number;
}

/**
 * A tensor of a payload. `role` is "input", "output", "constant" or "intermediate".
 *
 * `bytes` is the size of a constant's data; `key` its name where the data is outside of the payload.
 * `scale_bytes` and `scale_key` are the same of its scales, where they are data of their own.
 */
export interface PayloadTensor {
  readonly name: string;
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly role: string;
  readonly bytes?: number;
  readonly key?: string;
  readonly quantization?: Quantization;
  readonly scale_bytes?: number;
  readonly scale_key?: string;
}

/** An option of an op, as text. */
export interface PayloadOption {
  readonly name: string;
  readonly text: string;
}

/**
 * An op of a payload. `inputs` and `outputs` are positions in `Payload.tensors`.
 *
 * `nodes` are positions in the delegate's graph of the nodes it was made from, and `evidence` why they are.
 */
export interface PayloadOp {
  readonly type: string;
  readonly inputs: readonly number[];
  readonly outputs: readonly number[];
  readonly options?: readonly PayloadOption[];
  readonly handle?: number;
  readonly nodes?: readonly number[];
  readonly evidence?: string;
}

/**
 * The graph in a payload, in the order in which the backend runs it.
 *
 * `reader` names the package that read it. `problem` says why there is no graph: the payload is malformed,
 * or its reader failed.
 */
export interface Payload {
  readonly format: string;
  readonly reader: string;
  readonly tensors?: readonly PayloadTensor[];
  readonly ops?: readonly PayloadOp[];
  readonly problem?: string;
}

/** Which rules a program promises to keep. `core` is promised by the step that made it, not by files. */
export type Dialect = "aten.training" | "aten" | "aten.core" | "edge" | "backend" | "executorch" | "fx";

/** torch.export's InputKind, by name. */
export type InputKind = "user_input" | "parameter" | "buffer" | "constant_tensor" | "custom_obj" | "token";

/** torch.export's OutputKind, by name. */
export type OutputKind =
  | "user_output"
  | "loss_output"
  | "buffer_mutation"
  | "parameter_mutation"
  | "gradient_to_parameter"
  | "gradient_to_user_input"
  | "user_input_mutation"
  | "token";

/** What a signature's argument is. */
export type ArgumentType =
  | "tensor"
  | "sym_int"
  | "sym_float"
  | "sym_bool"
  | "constant"
  | "custom_obj"
  | "token";

/** An argument of a signature: the node it is, or the constant it was specialised to. */
export interface Argument {
  readonly type: ArgumentType;
  readonly name: string;
  readonly value?: Literal;
  readonly cls?: string;
}

/** One input: `target` is the state it reads, `path` where the user passes it (`batch["mask"][0]`). */
export interface InputSpec {
  readonly kind: InputKind;
  readonly arg: Argument;
  readonly target?: string;
  readonly persistent?: boolean;
  readonly path?: string;
}

/** One output: `target` is the state or input it writes, `path` where the user finds it. */
export interface OutputSpec {
  readonly kind: OutputKind;
  readonly arg: Argument;
  readonly target?: string;
  readonly path?: string;
}

/** The graph signature: specs in the order of the placeholders and of the outputs. */
export interface Signature {
  readonly inputs?: readonly InputSpec[];
  readonly outputs?: readonly OutputSpec[];
}

/**
 * A pytree spec. `type` is "leaf", "tuple", "list", "dict" or the class of another container.
 *
 * `keys` name the children of a dict, a named tuple or a dataclass; `context` keeps what else torch keeps.
 */
export interface Tree {
  readonly type: string;
  readonly children?: readonly Tree[];
  readonly keys?: readonly Literal[];
  readonly context?: string;
}

/** The calling convention of one module, kept so that a program can be unflattened. */
export interface CallSignature {
  readonly inputs: readonly Argument[];
  readonly outputs: readonly Argument[];
  readonly in_spec: Tree;
  readonly out_spec: Tree;
  readonly arg_names?: readonly string[];
}

/** One entry of the module call graph. */
export interface ModuleCall {
  readonly path: string;
  readonly signature?: CallSignature;
}

/** Where a symbol can be read: a node's value, and the path in it (`size()[0]`). */
export interface SymbolBinding {
  readonly node: string;
  readonly path: string;
}

/**
 * A symbolic number of a method. Bounds and hint are text: "int_oo" is unbounded.
 *
 * `dim` is the name the user gave it with Dim(...); a saved program does not keep it.
 */
export interface Symbol {
  readonly name: string;
  readonly type: string;
  readonly backed: boolean;
  readonly lower?: string;
  readonly upper?: string;
  readonly hint?: string;
  readonly dim?: string;
  readonly bindings?: readonly SymbolBinding[];
}

/** One range constraint: of a symbol, or of an expression. */
export interface Range {
  readonly expr: string;
  readonly lower: string;
  readonly upper: string;
}

/** What a piece of state is. */
export type StateKind = "parameter" | "buffer" | "constant" | "custom_obj";

/**
 * A parameter, buffer or constant, without its data. Equal `storage` numbers share memory.
 *
 * `value` is a number of the values table; `data` holds a small constant's elements, row by row. `crc32` is
 * the CRC-32 of the elements in the order in which they lie in memory, where they were read.
 */
export interface StateEntry {
  readonly name: string;
  readonly kind: StateKind;
  readonly value: number;
  readonly bytes?: number;
  readonly storage?: number;
  readonly data?: readonly string[];
  readonly cls?: string;
  readonly crc32?: number;
}

/** An example input: where the user passed it, and what it was. */
export interface Example {
  readonly path: string;
  readonly value: number;
}

/** One planned memory arena of an ExecuTorch program, in bytes. */
export interface Arena {
  readonly id: number;
  readonly bytes: number;
  readonly device?: string;
}

/** An option of a backend, with its `text` if it is printable. */
export interface CompileSpec {
  readonly key: string;
  readonly bytes: number;
  readonly text?: string;
}

/**
 * A graph that a backend took. Where the file holds no graph of it, the graph has no nodes.
 *
 * `bytes` and `crc32` are those of the payload; without a checksum if it was not read.
 */
export interface Delegate {
  readonly backend: string;
  readonly bytes?: number;
  readonly specs?: readonly CompileSpec[];
  readonly crc32?: number;
}

/** Something a reader of the Snapshot must know: what was inferred, left out or not readable. */
export interface Notice {
  readonly code: string;
  readonly text: string;
  readonly count?: number;
}

/** Where a Snapshot came from: a live object's class, or a file's kind and name (never its folder). */
export interface OriginOfSnapshot {
  readonly type: string;
  readonly name?: string;
  readonly torch?: string;
  readonly executorch?: string;
  readonly file_version?: string;
}

/** One method of a program: its graph and what the picture needs of the rest. */
export interface MethodRecord {
  readonly name: string;
  readonly graph: number;
  readonly dialect: Dialect;
  readonly verifiers?: readonly string[];
  readonly symbols?: readonly Symbol[];
  readonly ranges?: readonly Range[];
  readonly state?: readonly StateEntry[];
}

/** A condition on sizes, and the user's line that caused it. Only a live program knows the line. */
export interface GuardLine {
  readonly expr: string;
  readonly file: string;
  readonly line: number;
}

/**
 * Lines of one file that ran while a module was exported, as columns.
 *
 * Each of `lines` was reached from the line of `sources` (-1: a call begins, or ends), `counts` times.
 */
export interface FileRuns {
  readonly file: string;
  readonly sources: readonly number[];
  readonly lines: readonly number[];
  readonly counts: readonly number[];
}

/** What a value is in the user's code. */
export type ValueRole = "input" | "attribute" | "variable";

/**
 * What became of a value of Python.
 *
 * placeholder: an input of the graph, it may change from run to run. op: the program computes it. graph
 * constant: the program contains it, and it cannot change. absent: Python used it while exporting, at most.
 */
export type ValueOutcome = "placeholder" | "op" | "graph constant" | "absent";

/**
 * What became of an input, an attribute of a module, or a variable of a function.
 *
 * Attributes
 * ----------
 * role
 *     Which of these it is.
 * name
 *     As the user's code has it: "x", "layers.0.scale", "forward: count".
 * type, value
 *     What it was while exporting. `value` is empty where it is no number, text or tensor.
 * outcome
 *     What became of it.
 * note
 *     Why.
 * nodes
 *     The placeholder, or the ops that have it as an argument.
 * file, line
 *     Where it is read or assigned first.
 */
export interface PythonValue {
  readonly role: ValueRole;
  readonly name: string;
  readonly type: string;
  readonly value: string;
  readonly outcome: ValueOutcome;
  readonly note?: string;
  readonly nodes?: readonly string[];
  readonly file?: string;
  readonly line?: number;
}

/**
 * Facts about a method that only its panels show; pages load them later.
 *
 * `edge_handles`: by instruction of an ExecuTorch program, the debug handle that its node had in the edge
 * program; -1 where it has none.
 */
export interface MethodDetail {
  readonly in_spec?: Tree;
  readonly out_spec?: Tree;
  readonly module_calls?: readonly ModuleCall[];
  readonly guards?: readonly string[];
  readonly guard_lines?: readonly GuardLine[];
  readonly opset?: Readonly<Record<string, number>>;
  readonly examples?: readonly Example[];
  readonly arenas?: readonly Arena[];
  readonly edge_handles?: readonly number[];
  readonly meta?: readonly string[];
}

/** A node that holds a graph: a get_attr of a branch or of a lowered module, or a delegate call. */
export interface SubgraphRef {
  readonly node: number;
  readonly graph: GraphNumber;
}

/**
 * One graph. `inputs` holds, node by node, how far back each input is; `arity` how many there are.
 *
 * `type` is "method", "subgraph" or "delegate"; `parent` the graph that holds it (NONE for a method's).
 */
export interface GraphColumns {
  readonly name: string;
  readonly type: string;
  readonly parent: GraphNumber;
  readonly names: readonly string[];
  readonly ops: readonly number[];
  readonly targets: readonly number[];
  readonly values: readonly number[];
  readonly scopes: readonly ScopeNumber[];
  readonly arity: readonly number[];
  readonly inputs: readonly number[];
  readonly subgraphs?: readonly SubgraphRef[];
  readonly signature?: Signature;
  readonly delegate?: Delegate;
}

/**
 * The columns of a graph that only a selected node needs; NONE where a node has no such field.
 *
 * `payload` is what the backend made of a delegate, where its format is known.
 */
export interface GraphDetail {
  readonly calls: readonly number[];
  readonly traces: readonly number[];
  readonly torch_fns: readonly number[];
  readonly source_fns: readonly number[];
  readonly origins: readonly number[];
  readonly handles: readonly number[];
  readonly specs: readonly number[];
  readonly extras: readonly number[];
  readonly meta?: readonly string[];
  readonly payload?: Payload;
}

/** What a delegate runs of one module: the module's number, and positions of ops in the delegate. */
export interface DelegatePart {
  readonly owner: ScopeNumber;
  readonly nodes: readonly number[];
}

/**
 * A call of a delegate: its name ("XNNPACK 3"), backend and number, and how its graph is connected.
 *
 * `inputs` pairs inputs of the delegate with the nodes that the call passes; `outputs` pairs items of the
 * call with the nodes that they read in the delegate: by position, only if `is_linked`. A
 * delegate that runs only some ops of a module has `parts`, in the order in which they end: one for each
 * such module.
 */
export interface DelegateCall {
  readonly call: number;
  readonly graph: GraphNumber;
  readonly name: string;
  readonly backend: string;
  readonly number: number;
  readonly is_linked: boolean;
  readonly inputs?: readonly (readonly [number, number])[];
  readonly outputs?: readonly (readonly [number, number])[];
  readonly parts?: readonly DelegatePart[];
}

/**
 * Where the picture puts the nodes of a graph. Derived (see `placement`).
 *
 * Nodes `inferred` name no module, or one too far out: `owners` are the module calls they belong to. Nodes
 * `folded` are part of the work of the ops `into`. The output names those `written` only to write them back.
 * `order` holds the numbers, through all graphs, of the graph's ops and those of its delegates in the order
 * that they had before lowering; empty where that is the order of the graph.
 */
export interface Placement {
  readonly inferred?: readonly number[];
  readonly owners?: readonly ScopeNumber[];
  readonly folded?: readonly number[];
  readonly into?: readonly number[];
  readonly written?: readonly number[];
  readonly delegates?: readonly DelegateCall[];
  readonly order?: readonly NodeNumber[];
}

/**
 * A delegate: its content. `module` contains all its ops.
 *
 * `bytes` is the size of its payload, with its weights.
 */
export interface DelegateRow {
  readonly graph: GraphNumber;
  readonly module: string;
  readonly ops: number;
  readonly bytes?: number;
}

/**
 * Ops outside all delegates that share operator and reason; `nodes` are numbered through all graphs.
 *
 * `is_write_back`: to_executorch added them to write results to state or inputs; no backend can run them.
 */
export interface CpuRow {
  readonly op: string;
  readonly reason: string;
  readonly nodes: readonly NodeNumber[];
  readonly is_write_back?: boolean;
}

/**
 * What runs where: `delegated` of `ops` calls run on a backend, each of the rest in one row of `cpu`.
 * `percent` is their share, None where a file does not say what its delegates hold; `share` says it in words
 * (see `delegation.Share`).
 *
 * The rows of `cpu` come first that touch most delegates: delegating them would join most. Ops that only
 * compute sizes come last, and after them those that write results back. The report `delegation` says more.
 */
export interface Delegation {
  readonly ops: number;
  readonly delegated: number;
  readonly percent: number | null;
  readonly delegates: readonly DelegateRow[];
  readonly cpu: readonly CpuRow[];
  readonly share?: string;
}

/**
 * One arena of a memory plan: the values in it as columns, in execution order.
 *
 * `nodes`, `first` and `last` are execution steps (see `MethodMemory`), ends included. `peak` bytes are
 * alive at once, first at the step `peak_at`. `size` is that of the plan, or the highest end of a value.
 */
export interface PlannedArena {
  readonly number: number;
  readonly size: number;
  readonly peak: number;
  readonly peak_at: number;
  readonly nodes: readonly number[];
  readonly texts: readonly string[];
  readonly offsets: readonly number[];
  readonly bytes: readonly number[];
  readonly first: readonly number[];
  readonly last: readonly number[];
}

/**
 * Memory while a method runs. Derived (see `memory`), never read from a file.
 *
 * `live` holds the bytes alive at each execution step: as planned where there are arenas, else computed from
 * the shapes of values and their last uses, without state and inputs. Symbols have the sizes of the example
 * inputs, which `sizes` states ("batch = 4"). `unknown` counts the values that are not in it because no
 * example decides their size.
 *
 * A step is a position in the method's graph, unless `steps` holds the number of its node, through all
 * graphs: the nodes of a branch or of a loop body are steps right after the node that runs it.
 */
export interface MethodMemory {
  readonly live?: readonly number[];
  readonly unknown?: number;
  readonly arenas?: readonly PlannedArena[];
  readonly sizes?: string;
  readonly steps?: readonly number[];
}

/**
 * The dtypes that the edge dialect allows for some calls of one operator, and those that they have.
 *
 * `names` are its tensors, `found` their dtypes in these calls, and `allowed` every dtype that each may have
 * in some combination. `refused` is a combination that the dialect does not allow, in words: this one, and
 * `remedy` is what helps; or if this one is allowed, an example near it.
 */
export interface EdgeDtypes {
  readonly nodes: readonly number[];
  readonly names: readonly string[];
  readonly found: readonly string[];
  readonly allowed: readonly (readonly string[])[];
  readonly is_allowed?: boolean;
  readonly refused?: string;
  readonly remedy?: string;
}

/** Everything that drawing and searching a program needs. */
export interface Skeleton {
  readonly schema: number;
  readonly origin: OriginOfSnapshot;
  readonly methods: readonly MethodRecord[];
  readonly graphs: readonly GraphColumns[];
  readonly targets: readonly Target[];
  readonly values: readonly Value[];
  readonly scopes: readonly Scope[];
  readonly notices?: readonly Notice[];
}

/**
 * What a program keeps between runs. Memory that several methods or tensors share counts once.
 *
 * `bytes` are of the `tensors` outside delegates, `delegate_bytes` of the payloads of `delegates` with the
 * weights stored beside them; None if a size is unknown.
 */
export interface ProgramState {
  readonly tensors: number;
  readonly bytes: number;
  readonly delegates?: number;
  readonly delegate_bytes?: number;
}

/**
 * What only a page needs, derived from the program so that the page derives nothing.
 *
 * A file has it as a separate section, which Python never reads. A page ignores sections of other versions,
 * and draws without. `memory` is parallel to `methods`. `dtypes` is of edge programs. Of a program that
 * `is_large`, reports are made only when the user opens one, and where there is no kernel not at all.
 */
export interface PageData {
  readonly version: number;
  readonly placements?: readonly Placement[];
  readonly delegation?: Delegation;
  readonly memory?: readonly MethodMemory[];
  readonly dtypes?: readonly EdgeDtypes[];
  readonly state?: ProgramState;
  readonly is_large?: boolean;
}

/** A skeleton as a kernel sends it: with what only a page needs. */
export interface PageSkeleton {
  readonly schema: number;
  readonly origin: OriginOfSnapshot;
  readonly methods: readonly MethodRecord[];
  readonly graphs: readonly GraphColumns[];
  readonly targets: readonly Target[];
  readonly values: readonly Value[];
  readonly scopes: readonly Scope[];
  readonly notices?: readonly Notice[];
  readonly page?: PageData;
}

/**
 * Why a partitioner left nodes out of its delegates, and what would make it accept them.
 *
 * `nodes` are numbered through all graphs.
 */
export interface DelegationReason {
  readonly text: string;
  readonly nodes: readonly number[];
  readonly remedy?: string;
}

/**
 * The rest: parallel to the skeleton's methods and graphs, with its own tables.
 *
 * `traces`, `torch_fns`, `origin_lists`, `source_fns`, `spec_lists` and `extras` are tables of tuples;
 * a trace is numbers of frames, outermost first, and an origin list numbers of origins. `runs` and
 * `python_values` are known where a module was exported with its lines watched, `delegation_reasons` where a
 * session lowered the program.
 */
export interface Detail {
  readonly methods: readonly MethodDetail[];
  readonly graphs: readonly GraphDetail[];
  readonly calls?: readonly Call[];
  readonly frames?: readonly Frame[];
  readonly traces?: readonly (readonly number[])[];
  readonly torch_fns?: readonly (readonly string[])[];
  readonly source_fns?: readonly (readonly SourceFn[])[];
  readonly origins?: readonly Origin[];
  readonly origin_lists?: readonly (readonly number[])[];
  readonly spec_lists?: readonly (readonly MemorySpec[])[];
  readonly extras?: readonly (readonly Extra[])[];
  readonly sources?: readonly SourceText[];
  readonly runs?: readonly FileRuns[];
  readonly python_values?: readonly PythonValue[];
  readonly delegation_reasons?: readonly DelegationReason[];
}
