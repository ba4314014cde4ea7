import { formatMoney } from "../../../../contract/money.ts";
import type { Payment, PaymentStatus } from "../../../../contract/payment.ts";
import { brandNames } from "../../checkout/card-brands.ts";
import { unbrokenClass } from "../../design/unbroken.ts";
import { html, type Html } from "../html.ts";
import type { PageLinks } from "../list-page.ts";
import { navigation } from "../navigation.ts";
import type { Visit } from "../visit.ts";

// What pages are put together of.

const utc = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  timeZone: "UTC",
  timeZoneName: "short",
});

/** A time in Unix seconds, which the script writes in the reader's zone; nothing where there is none. */
export function renderTime(seconds: number | null): Html | null {
  if (seconds === null) return null;
  const at = new Date(seconds * 1000);
  return html`<time class="unbroken" datetime="${at.toISOString()}" data-local
    >${utc.format(at)}</time
  >`;
}

/** What is read as one thing, and so stands in one line, such as an amount. */
export function unbroken(text: string): Html {
  return html`<span class="${unbrokenClass(text)}">${text}</span>`;
}

/** An amount by itself. */
export function amountHtml({ amount, currency }: Pick<Payment, "amount" | "currency">): Html {
  return html`<span class="money">${unbroken(formatMoney(amount, currency))}</span>`;
}

/** A whole id. */
export function wholeIdHtml(id: string): Html {
  return html`<code class="unbroken">${id}</code>`;
}

/** An id, of which a narrow place shows the end, where it differs from others; whoever copies it has all of it. */
export function renderId(id: string): Html {
  return html`<span class="id"><bdi>${id}</bdi></span>`;
}

export function renderBadge(
  word: string,
  tone: "good" | "waiting" | "wrong" | "plain" = "plain",
): Html {
  return html`<span class="badge ${tone}">${word}</span>`;
}

const paymentTones = {
  pending: "waiting",
  succeeded: "good",
  failed: "wrong",
  refunded: "plain",
} as const satisfies Record<PaymentStatus, string>;

export function renderStatus(status: PaymentStatus): Html {
  return renderBadge(status, paymentTones[status]);
}

/** A card as its holder knows it. */
export function renderCard({ brand, last4 }: NonNullable<Payment["card"]>): Html {
  const name = Object.entries(brandNames).find(([each]) => each === brand)?.[1] || "Card";
  return html`${name} <span class="quiet-text">•••• ${last4}</span>`;
}

/** What a page has to say before all else. */
export function renderNotice(tone: "wrong" | "good" | "waiting", text: Html | string): Html {
  return html`<p class="notice ${tone}" role="${tone === "good" ? "status" : "alert"}">${text}</p>`;
}

export type Column<Row> = {
  title: string;
  isNumber?: boolean;
  cell: (row: Row) => Html | string | number | null | false;
};

/** A table that scrolls by itself where it is wider than the page. Its first column says what a row is. */
export function renderTable<Row>(
  caption: string,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): Html {
  const kind = ({ isNumber }: Column<Row>) => (isNumber ? "number" : "");
  const head = columns.map(
    (column) => html`<th scope="col" class="${kind(column)}">${column.title}</th>`,
  );
  const lines = rows.map(
    (row) =>
      html`<tr>
        ${columns.map((column, index) =>
          index === 0
            ? html`<th scope="row" class="${kind(column)}">${column.cell(row)}</th>`
            : html`<td class="${kind(column)}">${column.cell(row)}</td>`,
        )}
      </tr>`,
  );
  return html`<div class="scroll" role="region" aria-label="${caption}" tabindex="0">
    <table>
      <thead>
        <tr>
          ${head}
        </tr>
      </thead>
      <tbody>
        ${lines}
      </tbody>
    </table>
  </div>`;
}

/** What stands in the place of an empty list: what it is for, and how to begin. */
export function renderEmpty(title: string, how: Html): Html {
  return html`<div class="sheet empty">
    <h2>${title}</h2>
    ${how}
  </div>`;
}

/** A command to be typed or copied, apart from what is said about it. */
export function renderCommand(text: string): Html {
  return html`<p class="command"><code>${text}</code></p>`;
}

/** In the place of payments where there are none. Nobody is to make one in live mode to see it here. */
export function renderNoPayments(title: string, visit: Visit): Html {
  if (visit.mode === "live") {
    return renderEmpty(title, html`<p>Payments that are made with a live key will be here.</p>`);
  }
  const keys = visit.may(navigation.keys.needs)
    ? html`<a href="${visit.addressOf(navigation.keys.path)}">Create a test key</a>`
    : html`Ask an admin for a test key`;
  return renderEmpty(
    title,
    html`<p>${keys}, and make the first payment at this service with the command:</p>
      ${renderCommand(`payments login --base-url ${visit.apiUrl} --mode test`)}
      ${renderCommand("payments create --mode test --amount 4999 --currency eur --test-card visa")}`,
  );
}

/** Names and what they hold; what holds nothing is left out. */
export function renderFacts(
  pairs: readonly (readonly [string, Html | string | null | false])[],
): Html {
  const shown = pairs.filter(([, value]) => value !== null && value !== "" && value !== false);
  return html`<dl class="facts">
    ${shown.map(
      ([name, value]) =>
        html`<dt>${name}</dt>
          <dd>${value}</dd>`,
    )}
  </dl>`;
}

type Labelled = {
  name: string;
  label: Html | string;
  hint?: Html | string | undefined;
  mistake?: string | undefined;
};
/** `input` has the input's other attributes, and its value. */
export type Field = Labelled & { input: Html };

/** A label above its input, a hint before it, and behind it what is wrong with it: the page opens there, then. */
export function renderField({ input, ...labelled }: Field): Html {
  return around(labelled, (described) => html`<input ${described} ${input} />`);
}

/** The same of a choice; `options` are values and what they are called. */
export function renderSelect({
  options,
  chosen,
  ...labelled
}: Labelled & { options: readonly (readonly [string, string])[]; chosen: string }): Html {
  const option = ([value, text]: readonly [string, string]) =>
    html`<option value="${value}" ${value === chosen && html` selected`}>${text}</option>`;
  return around(
    labelled,
    (described) =>
      html`<select ${described}>
        ${options.map(option)}
      </select>`,
  );
}

function around(
  { name, label, hint, mistake }: Labelled,
  control: (attributes: Html) => Html,
): Html {
  const described = [mistake && `${name}-mistake`, hint && `${name}-hint`].filter(Boolean);
  const description = described.length > 0 && html` aria-describedby="${described.join(" ")}"`;
  const attributes = html`id="${name}" name="${name}"
  ${description}${mistake && html` aria-invalid="true" autofocus`}`;
  return html`<div class="field">
    <label for="${name}">${label}</label>
    ${hint && html`<p class="hint" id="${name}-hint">${hint}</p>`} ${control(attributes)}
    ${mistake && html`<p class="mistake" id="${name}-mistake">${mistake}</p>`}
  </div>`;
}

/** What is shown this once, to be copied by a button or by hand. */
export function renderSecretField(label: string, secret: string): Html {
  return html`<div class="secret">
    <label for="secret">${label}</label>
    <div class="row">
      <input id="secret" readonly spellcheck="false" autocomplete="off" value="${secret}" />
      <button type="button" class="secondary" data-copies="secret" hidden>Copy</button>
    </div>
  </div>`;
}

type ListPage = PageLinks & {
  name: string;
  /** Of the list, and how it is narrowed. */
  address: string;
  query?: readonly [string, string][];
  items: readonly { id: string }[];
};

/** The ways to the pages beside one of a list: a cursor is the item at its edge. */
export function renderPageLinks(page: ListPage): Html | false {
  const { name, address, query = [], items, hasNewer, hasOlder } = page;
  const link = (rel: string, cursor: string, item: { id: string } | undefined, text: string) => {
    const params = new URLSearchParams([...query, [cursor, item?.id ?? ""]]);
    return html`<a class="secondary" rel="${rel}" href="${address}?${params.toString()}"
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
