"use strict";
// Puts the live viewer in place of each static picture that comes near the screen. A page that was opened as a
// local file may not read other files: there the pictures stay.
const observer = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      observer.unobserve(target);
      const frame = document.createElement("iframe");
      frame.src = target.dataset.viewer;
      frame.title = target.dataset.title;
      frame.setAttribute("allow", "fullscreen; clipboard-write");
      target.replaceChildren(frame);
    }
  },
  { rootMargin: "300px" },
);
if (location.protocol !== "file:")
  for (const figure of document.querySelectorAll(".exir-viz")) observer.observe(figure);
