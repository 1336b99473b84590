/**
 * What the benchmark of the layout uses: the engine, and how its tests generate programs and measure
 * pictures.
 */
export { Layout } from "../src/layout";
export { TreeBuilder } from "../tests/layout/builder";
export { hasProgram, program } from "../tests/layout/corpus";
export { elkScene } from "../tests/layout/elk";
export { crossings } from "../tests/layout/measure";
