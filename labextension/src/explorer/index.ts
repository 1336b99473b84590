/** One mount's mind. */

export { Explorer } from "./explorer";
export { nodesOf } from "./focus";
export { sceneRect } from "./follow";
export { Marker } from "./marks";
export { outline } from "./outline";
