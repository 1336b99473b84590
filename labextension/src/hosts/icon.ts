/** A program in the file browser: one box feeding two. `jp-icon3` lets each of JupyterLab's themes colour it. */
export const PROGRAM_ICON_SVG = `<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 16 16">
  <g class="jp-icon3" fill="#616161">
    <rect x="5" y="1" width="6" height="4" rx="1"/>
    <rect x="1" y="11" width="6" height="4" rx="1"/>
    <rect x="9" y="11" width="6" height="4" rx="1"/>
    <path d="M7.5 5h1v2.5H12.5V11h-1V8.5h-7V11h-1V7.5h4z"/>
  </g>
</svg>`;
