/** The address of a file in the page's own address: `?url=https://…/model.pt2`. */

/** Undefined if there is none that a page may request. */
export function fileAddress(search: string): URL | undefined {
  const text = new URLSearchParams(search).get("url");
  if (!text || !URL.canParse(text)) return undefined;
  const address = new URL(text);
  return address.protocol === "https:" || address.protocol === "http:" ? address : undefined;
}

/** The Content-Security-Policy of the page. */
export function policyFor(search: string): string {
  const address = fileAddress(search);
  return [
    "default-src 'none'",
    // The page's workers are blobs: this policy applies to them too.
    "script-src 'self' blob: 'wasm-unsafe-eval'",
    "worker-src 'self' blob:",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    `connect-src 'self'${address ? ` ${address.origin}` : ""}`,
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

/** The last part of its path, as a file name. */
export function fileNameOf(address: URL): string {
  const last = address.pathname.split("/").filter(Boolean).at(-1) ?? "";
  try {
    return decodeURIComponent(last).replaceAll("/", "_") || address.hostname;
  } catch {
    return last;
  }
}
