/**
 * The layout engine on real and generated programs: boxes, milliseconds, crossings. Run it from
 * `labextension`: `node scripts/bench-layout.mjs [PROGRAM …]`. With elkjs installed (here, or in the folder
 * that ELKJS_FROM names), ELK lays out the same groups one by one.
 *
 * "first" is a new engine (index, local graphs, layouts), "again" the same engine after one group was closed
 * and opened. Times are process CPU in milliseconds, medians of three after one run that warms the compiler
 * up.
 */
import { createRequire } from "node:module";
import { build } from "esbuild";

const bundled = await build({
  entryPoints: ["scripts/measured.ts"],
  bundle: true,
  write: false,
  platform: "node",
  format: "esm",
  define: { "import.meta.dirname": JSON.stringify(`${process.cwd()}/tests/layout`) },
  logLevel: "error",
});
const text = bundled.outputFiles.map((f) => f.text).join("");
const engine = await import(`data:text/javascript;base64,${Buffer.from(text).toString("base64")}`);
const { Layout, TreeBuilder, crossings, elkScene, hasProgram, program } = engine;

/** @param {string} line */
const report = (line) => process.stdout.write(`${line}\n`);

/** @returns {number} */
const cpu = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e3;
};

/**
 * The median of `times` runs, and the last result.
 * @template T
 * @param {number} times
 * @param {() => T | Promise<T>} run
 */
async function median(times, run) {
  const spent = [];
  let result;
  for (let i = 0; i < times; i++) {
    const start = cpu();
    result = await run();
    spent.push(cpu() - start);
  }
  spent.sort((a, b) => a - b);
  return { ms: spent[times >> 1] ?? 0, result: /** @type {T} */ (result) };
}

/** @typedef {import("../src/layout").Tree} Tree */
/** @typedef {Map<string, number>} Groups */

/**
 * Stages of blocks of five ops with a residual, as in a deep network. @param {number} stages @param {number}
 * blocks
 */
function deep(stages, blocks) {
  const builder = new TreeBuilder();
  const groups = new Map();
  let last = builder.leaf(-1, "x");
  for (let s = 0; s < stages; s++) {
    const stage = builder.group(-1, `stages.${s} Stage`);
    groups.set(`stages.${s}`, stage);
    for (let b = 0; b < blocks; b++) {
      const block = builder.group(stage, `${b} Block`);
      groups.set(`stages.${s}.${b}`, block);
      const start = last;
      for (const [name, op] of [
        ["norm", "layer_norm"],
        ["up", "linear"],
        ["", "gelu"],
        ["down", "linear"],
      ]) {
        const leaf = builder.leaf(name ? builder.group(block, `${name} Module`) : block, op);
        builder.edge(last, leaf);
        last = leaf;
      }
      const add = builder.leaf(block, "add");
      builder.edge(start, add);
      builder.edge(last, add);
      last = add;
    }
  }
  builder.edge(last, builder.leaf(-1, "output"));
  return { builder, groups };
}

/** @type {Record<string, (tree: Tree, groups: Groups) => ArrayLike<number>>} */
const views = {
  closed: (tree) => new Uint8Array(tree.parent.length),
  "depth 1": (tree) => tree.parent.map((p) => (p === -1 ? 1 : 0)),
  /** Two levels of groups open. */
  "depth 2": (tree) => tree.parent.map((p) => (p === -1 || tree.parent[p] === -1 ? 1 : 0)),
  "one block": (tree, groups) => {
    const open = new Uint8Array(tree.parent.length);
    const block = [...groups.keys()].find((k) => /(layers?|stages\.1)\.5$/.test(k)) ?? "";
    for (const [path, item] of groups) {
      if (path === block || path.startsWith(`${block}.`) || block.startsWith(`${path}.`)) open[item] = 1;
    }
    return open;
  },
  all: (tree) => new Uint8Array(tree.parent.length).fill(1),
};

const load = createRequire(`${process.env["ELKJS_FROM"] ?? process.cwd()}/`);
let elk;
try {
  const ELK = load("elkjs/lib/elk.bundled.js");
  elk = new ELK();
} catch {
  report("elkjs is not installed: no comparison");
}

const asked = process.argv.slice(2);
/** @type {Record<string, (() => { builder: InstanceType<typeof import("../tests/layout/builder").TreeBuilder>, groups: Groups }) | undefined>} */
const made = { deep10k: () => deep(12, 60), deep100k: () => deep(120, 95) };
const names = asked.length
  ? asked
  : ["llama32.core", "resnet50", "bert.core", "gpt2", "vit.core", "deep10k", "deep100k"];
report("program | view | boxes | lines | first ms | again ms | crossings | ELK ms | ELK crossings");
for (const name of names) {
  const make = made[name];
  if (!make && !hasProgram(name)) {
    report(`${name} | not in the corpus`);
    continue;
  }
  const { builder, groups } = make ? make() : program(name);
  const tree = builder.tree();
  for (const [view, choose] of Object.entries(views)) {
    const open = Uint8Array.from(choose(tree, groups));
    const fresh = () => new Layout(tree).scene({ open });
    if (tree.parent.length < 20000) fresh();
    const first = await median(3, fresh);
    const scene = first.result;
    const engineAtWork = new Layout(tree);
    engineAtWork.scene({ open });
    const group = [...open.keys()].filter((i) => open[i] && tree.isGroup[i]).pop() ?? 0;
    const again = await median(3, () => {
      open[group] = 1 - (open[group] ?? 0);
      engineAtWork.scene({ open });
      open[group] = 1 - (open[group] ?? 0);
      return engineAtWork.scene({ open });
    });
    const small = scene.edgeSource.length < 20000;
    const theirs = elk && small ? await median(3, () => elkScene(elk, tree, open)) : undefined;
    const row = [
      name,
      view,
      scene.item.length,
      scene.edgeSource.length,
      first.ms.toFixed(1),
      (again.ms / 2).toFixed(1),
      small ? crossings(scene) : "–",
      theirs?.ms.toFixed(1) ?? "–",
      theirs ? crossings(theirs.result) : "–",
    ];
    report(row.join(" | "));
  }
}
