import { html, type Html } from "../design/html.ts";

/** A page of a list, newest first, and whether there is more on either side of it. */
export type ListPage<Item> = { items: readonly Item[]; hasNewer: boolean; hasOlder: boolean };

/** The query of a page's address. */
export function readQuery(url: string): URLSearchParams {
  return new URL(url, "http://dashboard").searchParams;
}

const cursorNames = new Set(["starting_after", "ending_before"]);

/** The page of a list at the cursors in a page's address. */
export async function readListPage<Item>(
  query: URLSearchParams,
  list: (cursors: Record<string, string>) => Promise<{ items: Item[]; hasMore: boolean }>,
): Promise<ListPage<Item>> {
  const cursors = Object.fromEntries(
    [...query].filter(([name, id]) => id && cursorNames.has(name)),
  );
  const { items, hasMore } = await list(cursors);
  return "ending_before" in cursors
    ? { items, hasNewer: hasMore, hasOlder: true }
    : { items, hasNewer: "starting_after" in cursors, hasOlder: hasMore };
}

/** Links to the next and the previous page of a list, with the filters of its address. */
export function renderPageLinks(
  name: string,
  { items, hasNewer, hasOlder }: ListPage<{ id: string }>,
  address: string,
  filters: readonly [string, string][] = [],
): Html | false {
  const link = (rel: string, cursor: string, item: { id: string } | undefined, text: string) => {
    const query = new URLSearchParams([...filters, [cursor, item?.id ?? ""]]);
    return html`<a class="secondary" rel="${rel}" href="${address}?${query.toString()}"
      >${text}</a
    >`;
  };
  return (
    (hasNewer || hasOlder) &&
    html`<nav class="row apart" aria-label="${name}">
      <span>${hasNewer && link("prev", "ending_before", items[0], "Newer")}</span>
      <span>${hasOlder && link("next", "starting_after", items.at(-1), "Older")}</span>
    </nav>`
  );
}
