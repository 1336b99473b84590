/**
 * Makes the site work offline after the first visit: caches its files and answers with them. Each build has
 * its own version in this script and its own cache; a new one takes over when no tab shows the old one.
 */
import type { SiteFiles } from "./site_files";

interface Lifetime extends Event {
  waitUntil(work: Promise<unknown>): void;
}

interface FetchEvent extends Event {
  readonly request: Request;
  respondWith(answer: Promise<Response>): void;
}

interface Scope {
  /** `scripts/site.py` writes it before this script. */
  readonly VERSION: string;
  readonly location: Location;
  addEventListener(kind: "install" | "activate", listen: (event: Lifetime) => void): void;
  addEventListener(kind: "fetch", listen: (event: FetchEvent) => void): void;
}

const PREFIX = "exir_viz ";
const scope = globalThis as unknown as Scope;
const cacheName = PREFIX + scope.VERSION;

scope.addEventListener("install", (event) => event.waitUntil(keep()));
scope.addEventListener("activate", (event) => event.waitUntil(forget()));
scope.addEventListener("fetch", (event) => {
  if (event.request.method === "GET" && new URL(event.request.url).origin === scope.location.origin)
    event.respondWith(answer(event.request));
});

async function keep(): Promise<void> {
  const answer = await fetch("site.json", { cache: "no-cache" });
  const { offline }: SiteFiles = await answer.json();
  const requests = offline.map((path) => new Request(path, { cache: "no-cache" }));
  await (await caches.open(cacheName)).addAll(requests);
}

async function forget(): Promise<void> {
  const names = await caches.keys();
  const old = names.filter((name) => name.startsWith(PREFIX) && name !== cacheName);
  await Promise.all(old.map((name) => caches.delete(name)));
}

/** A cached file. For the page itself the query of the address, with a file or a view, is ignored. */
async function answer(request: Request): Promise<Response> {
  const kept = await caches.match(request, { cacheName, ignoreSearch: request.mode === "navigate" });
  return kept ?? fetch(request);
}
