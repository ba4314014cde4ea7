import type { IncomingHttpHeaders } from "node:http";

// Where a request goes, and which page it comes from.

/**
 * A request's target as a path and a query. A client may also send a whole address, which means the same (RFC
 * 9112, section 3.2.2).
 */
export function toOriginForm(target: string): string {
  if (target.startsWith("/")) return target; // as nearly all do
  const rest = target.replace(/^https?:\/\/[^/?#]*/i, "");
  return rest === target || rest.startsWith("/") ? rest : `/${rest}`;
}

/** The path of a target as the router reads it: without query or fragment, percent-encoding undone. */
export function parsePath(target: string): string {
  const end = target.search(/[?#]/);
  const path = end === -1 ? target : target.slice(0, end);
  if (!path.includes("%")) return path;
  try {
    return decodeURI(path);
  } catch {
    return path; // the router refuses it
  }
}

/** A path as a browser sees it: behind a proxy the service may stand below another path. */
export function maskPath(publicUrl: string, path: string): string {
  const prefix = URL.canParse(publicUrl) ? new URL(publicUrl).pathname : "/";
  return `${prefix.replace(/\/$/, "")}${path}`;
}

/**
 * Whether another site made the customer's browser send this form. The page has the policy `no-referrer`, with
 * which browsers send `null` as the origin of its own forms.
 */
export function isCrossSite(headers: IncomingHttpHeaders, publicUrl: string): boolean {
  const { origin = "null" } = headers;
  const isUnknown = headers["sec-fetch-site"] === undefined && origin === "null";
  return !isUnknown && !isSameOrigin(headers, publicUrl);
}

/**
 * Whether a page of this service made the browser send a request: by `Sec-Fetch-Site` where the browser sends
 * it, else by the origin.
 */
export function isSameOrigin(headers: IncomingHttpHeaders, publicUrl: string): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site === "same-origin";
  const { origin, host } = headers;
  if (origin === undefined) return false;
  return origin === URL.parse(publicUrl)?.origin || origin.replace(/^https?:\/\//, "") === host;
}
