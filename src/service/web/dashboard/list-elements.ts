import { html, type Html } from "../design/html.ts";
import { renderText, renderTime } from "./elements.ts";

/**
 * A column of a table. On a phone each row is a card, which names the value of a column `hasLabel`. A column has the
 * one `beneath` it at its side, below it in a table that is narrower, and after it in a card: nothing is left out.
 */
export type Column<Row> = {
  title: string;
  isNumber?: boolean;
  /** A text of any length, which takes the room that the other columns leave. */
  isText?: boolean;
  hasLabel?: boolean;
  beneath?: Column<Row>;
  /** Buttons, which stand at the end of a card. */
  isActions?: boolean;
  cell: (row: Row) => Html | string | number | null | false;
};

/** A text of a merchant or customer, cut off where it is long; a pointer that rests on it shows all of it. */
export function createTextColumn<Row>(
  title: string,
  text: (row: Row) => string | null,
  rest: Pick<Column<Row>, "hasLabel" | "beneath"> = {},
): Column<Row> {
  const cell = (row: Row) => {
    const all = text(row);
    return all && renderText(all);
  };
  return { title, isText: true, cell, ...rest };
}

/** A time in Unix seconds, or the text `none`. */
export function createTimeColumn<Row>(
  title: string,
  seconds: (row: Row) => number | null,
  { none = null, ...rest }: Pick<Column<Row>, "hasLabel"> & { none?: string | null } = {},
): Column<Row> {
  return { title, hasLabel: true, cell: (row) => renderTime(seconds(row)) ?? none, ...rest };
}

export function createNumberColumn<Row>(
  title: string,
  cell: (row: Row) => string | number,
): Column<Row> {
  return { title, isNumber: true, hasLabel: true, cell };
}

/**
 * A table as wide as its page, or cards where that is narrow: nothing is reached by scrolling sideways. Its first
 * column names the row. The roles keep it a table for screen readers where it looks like cards.
 */
export function renderTable<Row>(
  caption: string,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): Html {
  const renderClass = ({ isNumber, isText, isActions }: Column<Row>) => {
    const all = [isNumber && "number", isText && "any", isActions && "actions"];
    const names = all.filter(Boolean).join(" ");
    return names && html` class="${names}"`;
  };
  const renderLabel = ({ hasLabel, title }: Column<Row>) =>
    hasLabel && html` data-label="${title}"`;
  const renderTitle = ({ title, beneath }: Column<Row>) =>
    beneath
      ? html`<div class="pair">
          <span>${title}</span><span class="beneath">${beneath.title}</span>
        </div>`
      : title;
  const renderValue = ({ cell, beneath }: Column<Row>, row: Row) => {
    if (!beneath) return cell(row);
    const [value, under] = [cell(row), beneath.cell(row)];
    return html`<div class="pair">
      ${isShown(value) ? value : emptyCell}
      ${isShown(under) && html`<div class="beneath" ${renderLabel(beneath)}>${under}</div>`}
    </div>`;
  };
  // Without a space around its value, since the style hides a card's empty cells.
  const cell = (column: Column<Row>, row: Row, index: number) => {
    const value = renderValue(column, row);
    return index === 0
      ? html`<th scope="row" role="rowheader" ${renderClass(column)}>${value}</th>`
      : html`<td role="cell" ${renderClass(column)} ${renderLabel(column)}>${value}</td>`;
  };
  return html`<div class="list">
    <table role="table" aria-label="${caption}">
      <thead role="rowgroup">
        <tr role="row">
          ${columns.map((column) => html`<th scope="col" role="columnheader" ${renderClass(column)}>${renderTitle(column)}</th>`)}
        </tr>
      </thead>
      <tbody role="rowgroup">
        ${rows.map(
          (row) =>
            html`<tr role="row">
              ${columns.map((column, index) => cell(column, row, index))}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** Keeps the room of a value that is missing, so that the one beside it stands under its own heading. */
const emptyCell = html`<span></span>`;

function isShown(value: Html | string | number | null | false): boolean {
  return value !== null && value !== false && value !== "";
}

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
