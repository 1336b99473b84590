/** A program in the file browser: one box feeding two. `jp-icon3` lets each of JupyterLab's themes colour it. */
export const PROGRAM_ICON_SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 16 16"><path class="jp-icon3" fill="#616161" ' +
  'd="M5 1h6v4H5zM1 11h6v4H1zM9 11h6v4H9zM7.5 5h1v2.5h4V11h-1V8.5h-7V11h-1V7.5h4z"/></svg>';
