import type { IncomingHttpHeaders } from "node:http";

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
