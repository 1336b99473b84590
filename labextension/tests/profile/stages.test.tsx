// @vitest-environment happy-dom
/** Comparison of stages: what every cell would say is below the table once. */
import { expect, test } from "vitest";
import { NO_COSTS } from "../../src/profile/profile_access";
import { ProfilePanel } from "../../src/profile/view";
import { NOTHING } from "../../src/ui/actions";
import { eventually } from "../eventually";
import { stage } from "../panels/stage";
import { delegatedProfile } from "./delegated";

test("the reason why a module has no time of its own is a number in its cell and a note below the table", async () => {
  const { profile, emulated } = delegatedProfile("executorch");
  const stages = ["edge", "executorch"].map((name, i) => ({ id: name, name, isShown: i === 1 }));
  const place = stage();
  place.show(
    <ProfilePanel
      {...{ snapshot: profile.snapshot, actions: place.actions }}
      detail={{ state: "busy" }}
      selection={NOTHING}
      costs={{
        ...NO_COSTS,
        profile,
        stages,
        profileOf: async (id) => (id === "edge" ? emulated : profile),
      }}
    />,
  );
  await eventually(() => expect(place.root.querySelector(".exirviz-stage-costs tbody")).not.toBeNull());
  const notes = [...place.root.querySelectorAll(".exirviz-stage-costs-mixed li")].map(
    (each) => each.textContent,
  );
  expect(notes).toContain("in lowered_0, which spans more");
  expect(place.root.querySelector(".exirviz-stage-costs")?.textContent).not.toContain("which spans more");
  const signs = [...place.root.querySelectorAll(".exirviz-cell-sign")];
  expect(signs.length).toBeGreaterThan(1);
  for (const sign of signs) {
    const evidenceText = notes[Number(sign.textContent) - 1];
    expect(evidenceText).toBeTruthy();
    expect([sign.getAttribute("title"), sign.getAttribute("aria-label")]).toEqual([
      evidenceText,
      evidenceText,
    ]);
  }
});
