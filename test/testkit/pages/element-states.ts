import { html } from "../../../src/service/web/design/html.ts";
import {
  renderAmount,
  renderBadge,
  renderCard,
  renderCommand,
  renderCopy,
  renderEmpty,
  renderFacts,
  renderField,
  renderId,
  renderNotice,
  renderSelect,
  renderShortId,
  renderStatus,
  renderTime,
} from "../../../src/service/web/dashboard/elements.ts";
import type { View } from "../../../src/service/web/dashboard/frame.ts";
import {
  type Column,
  createNumberColumn,
  createTextColumn,
  createTimeColumn,
  renderPageLinks,
  renderTable,
} from "../../../src/service/web/dashboard/list-elements.ts";
import { nowMs } from "./example-shop.ts";

const seconds = nowMs / 1000;
const id = "pay_0199a1f2-7c41-7b3e-9d2a-814029653177";
const long = "A text that is longer than the column or the card that it stands in. ".repeat(4);
const card = {
  brand: "visa",
  last4: "4242",
  exp_month: 12,
  exp_year: 2030,
  country: "US",
} as const;

const rows = [
  { id: "1", name: "Short", amount: 4_999, created: seconds },
  { id: "2", name: long, amount: 999_999_999, created: null },
  { id: "3", name: "شركة النقل والتجارة الدولية", amount: 0, created: seconds },
];

const large = { amount: 999_999_999, currency: "eur" } as const;

const columns: Column<(typeof rows)[number]>[] = [
  createTextColumn("Name", ({ name }) => name),
  {
    title: "Amount",
    isNumber: true,
    cell: ({ amount }) => renderAmount({ amount, currency: "eur" }),
  },
  createNumberColumn("Attempts", () => 3),
  createTimeColumn("Created", ({ created }) => created, { none: "never" }),
  { title: "State", cell: () => renderBadge("Active", "good") },
  { title: "ID", cell: () => renderShortId(id) },
  {
    title: "Actions",
    isActions: true,
    cell: () =>
      html`<div class="row"><a href="#words">Roll…</a> <button class="link">Resend</button></div>`,
  },
];

/** A page of all elements in all their states, which is drawn and measured, and served to nobody. */
export function renderElements(): View {
  const states = ["succeeded", "pending", "failed", "refunded"] as const;
  return {
    title: "Elements",
    content: html`${renderNotice("wrong", "What went wrong, and what to do.")}
      ${renderNotice("waiting", "Something is still under way.")}
      ${renderNotice("good", "What was done.")} ${renderNotice("good", long)}
      <section class="sheet" aria-labelledby="words">
        <h2 id="words">Words</h2>
        <p class="row">
          ${states.map(renderStatus)} ${renderBadge("Plain")} ${renderBadge("Good", "good")}
        </p>
        <p>
          A sentence with <a href="#words">a link</a>, an amount ${renderAmount(large)}, a time
          ${renderTime(seconds)}, a card ${renderCard(card)} and an id ${renderShortId(id)}.
        </p>
        <p>${renderId(id)} ${renderCopy(id)}</p>
        <p class="small quiet-text">Small and quiet.</p>
        ${renderCommand("payments create --mode test --amount 4999 --currency eur --test-card visa")}
      </section>
      <section class="sheet" aria-labelledby="facts">
        <h2 id="facts">Facts</h2>
        ${renderFacts([
          ["Name", "A value"],
          ["A longer name of a value", html`<bdi>${long}</bdi>`],
          ["Amount", renderAmount({ amount: 4_999, currency: "usd" })],
          ["Created", renderTime(seconds)],
          ["Without a value", null],
        ])}
      </section>
      <div class="row">
        <button class="primary">Primary</button> <button class="secondary">Secondary</button>
        <button class="dangerous">Dangerous</button> <button class="quiet">Quiet</button>
        <button class="link">Link</button>
        <button class="primary" disabled>Disabled</button>
        <a class="secondary" href="#words">A link as a button</a>
      </div>
      <form class="sheet steps">
        ${renderField({ name: "plain", label: "Field", input: html`value="A value"` })}
        ${renderField({ name: "hinted", label: "With a hint", hint: "What to write, such as shop.", input: html`` })}
        ${renderField({ name: "mistaken", label: "With a mistake", mistake: "Enter a date, such as 2026-11-30.", input: html`value="x"` })}
        ${renderField({ name: "buttoned", label: "With a button", input: html``, button: html`<button class="secondary">Search</button>` })}
        ${renderSelect({
          name: "select",
          label: "Select",
          options: [
            ["a", "One of several"],
            ["b", long],
          ],
          selected: "a",
        })}
        <label class="choice"><input type="checkbox" checked /> Chosen</label>
        <label class="choice"><input type="checkbox" /> ${long}</label>
      </form>
      ${renderTable("Rows", columns, rows)}
      ${renderPageLinks("More rows", { items: rows, hasNewer: true, hasOlder: true }, "#")}
      ${renderEmpty(
        "Nothing yet",
        html`<p>What this page is for, and the one next step.</p>
          ${renderCommand("payments keys create --mode test --name shop")}`,
      )}
      <details class="sheet">
        <summary>Folded</summary>
        <p>${long}</p>
      </details>
      <details class="sheet" open>
        <summary>Unfolded</summary>
        <p>${long}</p>
      </details>`,
  };
}
