/** The icon of program files and of the sidebar. */
import { LabIcon } from "@jupyterlab/ui-components";
import { PROGRAM_ICON_SVG } from "../icon";

export const programIcon = new LabIcon({ name: "exir-viz:program", svgstr: PROGRAM_ICON_SVG });
