import type { IncomingHttpHeaders } from "node:http";

/**
 * Whether another site made the customer's browser send this form. A browser says so itself where it
 * can (`Sec-Fetch-Site`); else the origin must be this service's own, or unknown: the page tells no
 * one its address, for which browsers write `null` as the origin of its own forms.
 */
export function isCrossSite(headers: IncomingHttpHeaders, publicUrl: string): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site !== "same-origin";
  const { origin, host } = headers;
  if (origin === undefined || origin === "null") return false;
  const isOwn = origin === originOf(publicUrl) || origin.replace(/^https?:\/\//, "") === host;
  return !isOwn;
}

function originOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).origin : undefined;
}
