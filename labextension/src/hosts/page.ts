/**
 * The standalone page's host: one file, no server, no network. The page carries its content as JSON in
 * `<script type="application/json" id="exirviz-content">` and an empty `<main id="exirviz">` to mount into.
 */
import { type ExplorerContent, mountExplorer } from "./explorer";

function contentOf(page: Document): ExplorerContent {
  const carried: unknown = JSON.parse(page.getElementById("exirviz-content")?.textContent || "null");
  if (typeof carried === "object" && carried !== null && "title" in carried && "text" in carried) {
    return { title: String(carried.title), text: String(carried.text) };
  }
  return {
    title: "Nothing to show",
    text: "This page carries no program: #exirviz-content is missing or empty.",
  };
}

mountExplorer(document.getElementById("exirviz") ?? document.body, contentOf(document));
