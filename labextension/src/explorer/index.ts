/** The controller of one mount. */

export { sceneRect } from "./camera_follow";
export { Explorer } from "./explorer";
export { nodesOf } from "./focus";
export { Marker } from "./highlights";
export { outline } from "./outline";
export { showMeasured, showProfile } from "./show_profile";
