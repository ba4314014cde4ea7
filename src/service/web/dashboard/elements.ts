import type { Delivery } from "../../../contract/delivery.ts";
import { formatMoney } from "../../../contract/money.ts";
import { mask } from "../../../contract/mask.ts";
import type { Payment, PaymentStatus } from "../../../contract/payment.ts";
import { brandNames } from "../checkout/payment-summary.ts";
import { chooseLineClass, html, renderFieldAttributes, type Html } from "../design/html.ts";
import { describeAnswer, groupDigits, shortenMonth, toWords } from "./value-words.ts";
import { navigation, type Visit } from "./visit.ts";

export type Link = { address: string; text: string };

const utc = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  timeZone: "UTC",
  timeZoneName: "short",
});

/**
 * A time in Unix seconds, in UTC. The script writes it in the zone that the operator has chosen, and in a list as an
 * age.
 */
export function renderTime(seconds: number | null): Html | null {
  if (seconds === null) return null;
  const at = new Date(seconds * 1000);
  if (Number.isNaN(at.getTime())) return html`at ${seconds} in Unix seconds`; // later than any date
  return html`<time class="one-line" datetime="${at.toISOString()}"
    >${shortenMonth(utc.format(at))}</time
  >`;
}

/** How long something lasts, by its beginning in Unix seconds; the script writes "for 3 hours". */
export function renderSince(seconds: number): Html {
  const at = new Date(seconds * 1000);
  return html`<time class="one-line" datetime="${at.toISOString()}" data-since
    >since ${shortenMonth(utc.format(at))}</time
  >`;
}

/** A text that is read as one thing, such as an amount. */
export function renderOneLine(text: string): Html {
  return html`<span class="${chooseLineClass(text)}">${text}</span>`;
}

type Amount = Pick<Payment, "amount" | "currency">;

export function renderAmount(amount: Amount): Html {
  return html`<span class="money">${renderOneLine(formatAmount(amount))}</span>`;
}

/** Minor units in words of the pages, the thousands in groups: `1,234.56 EUR`. */
export function formatAmount({ amount, currency }: Amount): string {
  return formatMoney(amount, currency).replace(/^\d+/, groupDigits);
}

export function renderId(id: string): Html {
  return html`<code class="one-line">${id}</code>`;
}

/** A whole id, and a button that copies it. */
export function renderCopyableId(id: string): Html {
  return html`<span class="row">${renderId(id)} ${renderCopy(id)}</span>`;
}

/** A button that copies a text, where a script runs. */
export function renderCopy(text: string): Html {
  return html`<button class="copy" type="button" data-copy="${text}" hidden>Copy</button>`;
}

/** The end of an id, where it differs from others; a pointer that rests on it shows all of it. */
export function renderShortId(id: string): Html {
  return html`<span class="id" title="${id}">…${id.slice(-8)}</span>`;
}

/**
 * A text of a merchant or customer on one line, cut off where it is long, and broken after slashes; a pointer that
 * rests on it shows all of it.
 */
export function renderText(text: string): Html {
  const parts = text.split(/(?<=[^/]\/)(?=[^/])/);
  const shown = parts.reduce((before, part) => html`${before}<wbr />${part}`, html``);
  return html`<bdi class="text" title="${text}">${parts.length > 1 ? shown : text}</bdi>`;
}

export function renderBadge(
  word: Html | string,
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
  return renderBadge(toWords(status), paymentTones[status]);
}

const deliveryTones = { pending: "waiting", delivered: "good", failed: "wrong" } as const;

/** A pending delivery that was attempted before is "Retrying": "Pending" would read as a payment that waits. */
export function renderDeliveryBadge({ status, attempts }: Delivery): Html {
  const isRetrying = status === "pending" && attempts > 0;
  return renderBadge(isRetrying ? "Retrying" : toWords(status), deliveryTones[status]);
}

/**
 * The last response of an endpoint, or the error, which includes the status. For a delivery that was abandoned
 * before any attempt, the error is the reason.
 */
export function describeResponse(delivery: Delivery): string {
  const { status, attempts, last_status: lastStatus, last_error: error } = delivery;
  if (status === "pending" && attempts === 0) return "Not sent yet";
  return describeAnswer(error, lastStatus);
}

export function renderCard({ brand, last4 }: NonNullable<Payment["card"]>): Html {
  const name = Object.entries(brandNames).find(([each]) => each === brand)?.[1] || "Card";
  return html`<span class="whole-text"
    >${name} <span class="quiet-text">•••• ${last4}</span></span
  >`;
}

/** The first thing on a page. */
export function renderNotice(tone: "wrong" | "good" | "waiting", text: Html | string): Html {
  return html`<p class="notice ${tone}" role="${tone === "good" ? "status" : "alert"}">${text}</p>`;
}

/** Shown instead of an empty list: the list's purpose, and how to begin. */
export function renderEmpty(title: string, how: Html): Html {
  return html`<div class="sheet empty">
    <h2>${title}</h2>
    ${how}
  </div>`;
}

/** A name in capitals, in place of which an operator writes a value. */
const placeholder = /\b[A-Z]+_[A-Z]+\b/;

/**
 * A command to type or copy. A narrow page breaks it between its words, not at their hyphens, and not between a flag
 * and its value. One with a placeholder cannot run as it is, so that it is not for copying.
 */
export function renderCommand(text: string): Html {
  const words = text
    .split(/ (?=--)|(?<!--\S*) /)
    .reduce(
      (before, each, index) => html`${before}${index > 0 && " "}<span>${each}</span>`,
      html``,
    );
  return html`<p class="command">
    <code>${words}</code> ${!placeholder.test(text) && renderCopy(text)}
  </p>`;
}

/** A way to create a key, and the command that does it, too, where one reaches the service's database. */
export function renderKeyCommand({ mode, account, isSandbox }: Visit, first: Html): Html {
  if (isSandbox) return html`<p class="prose">${first}.</p>`;
  return html`<p class="prose">${first}, or with a command on the service's computer:</p>
    ${renderCommand(`payments keys create --mode ${mode} --name shop --account ${account.id}`)}`;
}

/** Shown instead of an empty list of payments. */
export function renderNoPayments(title: string, visit: Visit): Html {
  return renderEmpty(
    title,
    html`<p>Payments made with a ${visit.mode} key appear here.</p>
      ${renderFirstSteps(visit)}`,
  );
}

/** How to make the first payment. In live mode that is no trial by a command: it could move money. */
export function renderFirstSteps(visit: Visit): Html {
  const { mode, apiUrl, publishedKey } = visit;
  if (mode === "test" && publishedKey !== undefined) return renderSandboxSteps(visit);
  const verb = publishedKey === undefined ? "Create" : "Take";
  const key = visit.may(navigation.keys.needs)
    ? html`<a href="${visit.addressOf(navigation.keys.path)}">${verb} a ${mode} key</a>`
    : html`Ask an admin for a ${mode} key`;
  const login = renderCommand(`payments login --base-url ${apiUrl} --mode ${mode}`);
  return mode === "live"
    ? html`<ol class="first-steps">
        <li>${key} for the program that makes payments.</li>
        <li>To use the command as well, log in with the key: ${login}</li>
      </ol>`
    : html`<ol class="first-steps">
        <li>${key}.</li>
        <li>Log in with the key: ${login}</li>
        <li>Make the first payment: ${firstPayment}</li>
      </ol>`;
}

const firstPayment = renderCommand(
  "payments create --mode test --amount 4999 --currency eur --test-card visa",
);

/** The command knows the key of every sandbox. */
function renderSandboxSteps({ apiUrl }: Visit): Html {
  return html`<ol class="first-steps">
    <li>
      Log in with the sandbox's key:
      ${renderCommand(`payments login --sandbox --base-url ${apiUrl}`)}
    </li>
    <li>Make the first payment: ${firstPayment}</li>
  </ol>`;
}

export type Facts = readonly (readonly [Html | string, Html | string | null | false])[];

/** Names and their values; a name without a value is left out. */
export function renderFacts(facts: Facts): Html {
  const known = facts.filter(([, value]) => value !== null && value !== "" && value !== false);
  return html`<dl class="facts">
    ${known.map(
      ([name, value]) =>
        html`<dt>${name}</dt>
          <dd>${value}</dd>`,
    )}
  </dl>`;
}

type Labeled = {
  name: string;
  label: Html | string;
  hint?: Html | string | undefined;
  mistake?: string | undefined;
};

/** `input` has the input's other attributes, and its value; `button` stands behind it in its line. */
export function renderField({
  input,
  button,
  ...labeled
}: Labeled & { input: Html; button?: Html }): Html {
  return renderLabeled(labeled, (attributes) => {
    const control = html`<input ${attributes} ${input} />`;
    return button ? html`<div class="with-button">${control} ${button}</div>` : control;
  });
}

/** A typed text as a form may show it again: empty where it holds a card number or a key. */
export function withoutSecrets(typed: string): string {
  return mask(typed) === typed ? typed : "";
}

/** `options` are values and their names. */
export function renderSelect({
  options,
  selected,
  ...labeled
}: Labeled & { options: readonly (readonly [string, string])[]; selected: string }): Html {
  return renderLabeled(
    labeled,
    (attributes) =>
      html`<select ${attributes}>
        ${options.map(([value, text]) => html`<option value="${value}" ${value === selected && html` selected`}>${text}</option>`)}
      </select>`,
  );
}

/** A label and a hint above a control, and its mistake below: the page opens there. */
function renderLabeled(
  { name, label, hint, mistake }: Labeled,
  control: (attributes: Html) => Html,
): Html {
  const isWrong = Boolean(mistake);
  const beside = (["mistake", "hint"] as const).filter((part) =>
    part === "hint" ? hint : isWrong,
  );
  const attributes = renderFieldAttributes(name, beside, { isWrong, isFocused: isWrong });
  return html`<div class="field">
    <label for="${name}">${label}</label>
    ${hint && html`<p class="hint" id="${name}-hint">${hint}</p>`} ${control(attributes)}
    ${mistake && html`<p class="mistake" id="${name}-mistake">${mistake}</p>`}
  </div>`;
}
