import { html, type Html } from "../design/html.ts";
import { renderTime } from "./elements.ts";

/**
 * A column of a table. On a phone each row is a card, which names the value of a column `hasLabel`. The more there is
 * to say first, the wider the table has to be: a column `from` a width is left out of narrower tables, not of cards.
 */
export type Column<Row> = {
  title: string;
  isNumber?: boolean;
  /** A text of any length, which takes the room that the other columns leave. */
  isText?: boolean;
  hasLabel?: boolean;
  from?: "medium" | "wide";
  /** Buttons, which stand below the rest of a card. */
  isActions?: boolean;
  cell: (row: Row) => Html | string | number | null | false;
};

/** A text of a merchant or customer, cut off where it is long; a pointer that rests on it shows all of it. */
export function createTextColumn<Row>(
  title: string,
  text: (row: Row) => string | null,
  rest: Pick<Column<Row>, "from" | "hasLabel"> = {},
): Column<Row> {
  const cell = (row: Row) => {
    const all = text(row);
    return all && html`<bdi class="text" title="${all}">${all}</bdi>`;
  };
  return { title, isText: true, cell, ...rest };
}

/** A time in Unix seconds, or the text `none`. */
export function createTimeColumn<Row>(
  title: string,
  seconds: (row: Row) => number | null,
  none: string | null = null,
  rest: Pick<Column<Row>, "from"> = {},
): Column<Row> {
  return { title, hasLabel: true, cell: (row) => renderTime(seconds(row)) ?? none, ...rest };
}

export function createNumberColumn<Row>(
  title: string,
  cell: (row: Row) => string | number,
  rest: Pick<Column<Row>, "from"> = {},
): Column<Row> {
  return { title, isNumber: true, hasLabel: true, cell, ...rest };
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
  const renderClass = ({ isNumber, isText, from, isActions }: Column<Row>) => {
    const all = [
      isNumber && "number",
      isText && "any",
      from && `from-${from}`,
      isActions && "actions",
    ];
    const names = all.filter(Boolean).join(" ");
    return names && html` class="${names}"`;
  };
  const cell = (column: Column<Row>, row: Row, index: number) => {
    const value = column.cell(row);
    const label = column.hasLabel && index > 0 && html` data-label="${column.title}"`;
    return index === 0
      ? html`<th scope="row" role="rowheader" ${renderClass(column)}>${value}</th>`
      : html`<td role="cell" ${renderClass(column)} ${label}>${value}</td>`;
  };
  return html`<div class="list">
    <table role="table" aria-label="${caption}">
      <thead role="rowgroup">
        <tr role="row">
          ${columns.map((column) => html`<th scope="col" role="columnheader" ${renderClass(column)}>${column.title}</th>`)}
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
