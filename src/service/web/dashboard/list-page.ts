/** Whether there is more of a list on either side of a page. */
export type PageLinks = { hasNewer: boolean; hasOlder: boolean };

/** What stands in the query of a page's address. */
export function readQuery(url: string): URLSearchParams {
  return new URL(url, "http://dashboard").searchParams;
}

/** The cursors in a page's address, as lists are asked by them. */
export function readCursors(params: URLSearchParams): Record<string, string> {
  const names = ["starting_after", "ending_before"];
  return Object.fromEntries(
    names.map((name) => [name, params.get(name) ?? ""]).filter(([, id]) => id !== ""),
  ) as Record<string, string>;
}

/** Whoever came from a side has seen what is there. */
export function findPageLinks(params: URLSearchParams, hasMore: boolean): PageLinks {
  return params.get("ending_before")
    ? { hasNewer: hasMore, hasOlder: true }
    : { hasNewer: Boolean(params.get("starting_after")), hasOlder: hasMore };
}
