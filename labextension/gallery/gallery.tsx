/** The page: all scenes in light, then all in dark. `?scene=` and `?theme=` select some. */
import { render } from "preact";
import { COMPARE_SCENES } from "./compared";
import { PROFILE_SCENES } from "./profiles";
import { readPrograms } from "./programs";
import { SCENES } from "./scenes";
import { STAGE_SCENES } from "./stages";

const query = new URLSearchParams(location.search);
const themes = ["light", "dark"].filter((theme) => !query.has("theme") || query.get("theme") === theme);
const scenes = [...SCENES, ...STAGE_SCENES, ...COMPARE_SCENES, ...PROFILE_SCENES].filter(
  ({ name }) => !query.has("scene") || query.get("scene") === name,
);

/** The height of a scene's frame; by default that of a side panel. */
const HEIGHTS = { short: "is-short", tall: "is-tall", wide: "is-tall", page: "", panel: "" } as const;

const programs = await readPrograms();
const root = document.querySelector("#gallery");
if (root) {
  root.textContent = "";
  render(
    themes.map((theme) => (
      <div key={theme} class="scenes" data-theme={theme}>
        {scenes.map(({ name, program, show, size }) => {
          const snapshot = programs.get(program);
          return (
            <figure key={name} class={`scene is-${size ?? "panel"}`} data-scene={name}>
              <figcaption>{name}</figcaption>
              <div class={`exirviz-explorer is-${theme} ${HEIGHTS[size ?? "panel"]}`} data-appearance={theme}>
                {snapshot ? (
                  show(snapshot)
                ) : (
                  <p class="padded">{`The corpus has no program for "${program}".`}</p>
                )}
              </div>
            </figure>
          );
        })}
      </div>
    )),
    root,
  );
  root.setAttribute("data-ready", "");
}
