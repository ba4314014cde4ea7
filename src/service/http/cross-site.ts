import type { IncomingHttpHeaders } from "node:http";

/**
 * Whether another site made the customer's browser send this form. The origin may also be unknown: the page
 * tells no one its address, for which browsers write `null` as the origin of its own forms.
 */
export function isCrossSite(headers: IncomingHttpHeaders, publicUrl: string): boolean {
  const { origin = "null" } = headers;
  const isUntold = headers["sec-fetch-site"] === undefined && origin === "null";
  return !isUntold && !isSameOrigin(headers, publicUrl);
}

/**
 * Whether a page of this service made the browser send a request. A browser says so itself where it can
 * (`Sec-Fetch-Site`); else the origin must be this service's own.
 */
export function isSameOrigin(headers: IncomingHttpHeaders, publicUrl: string): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site === "same-origin";
  const { origin, host } = headers;
  if (origin === undefined) return false;
  return origin === originOf(publicUrl) || origin.replace(/^https?:\/\//, "") === host;
}

function originOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).origin : undefined;
}
