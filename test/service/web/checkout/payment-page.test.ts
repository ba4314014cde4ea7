import { describe, expect, test } from "vitest";
import { testCards } from "../../../../src/contract/card.ts";
import { declineMessages } from "../../../../src/contract/field-values.ts";
import { en } from "../../../../src/service/web/checkout/words/en.ts";
import type { PageView } from "../../../../src/service/web/checkout/page-view.ts";
import {
  localTimeScript,
  paymentPageScript,
  paymentPageStyle,
  renderPaymentPage,
  waitingPageScript,
} from "../../../../src/service/web/checkout/payment-page.ts";
import { measureShipped } from "../../../testkit/command/built-commands.ts";
import { everyView, openView, outcomeView } from "../../../testkit/pages/shown-page.ts";
import {
  formatAmountLine,
  renderAmount,
  splitAmount,
} from "../../../../src/service/web/checkout/payment-summary.ts";
import { html, renderDocument } from "../../../../src/service/web/design/html.ts";

const outcomes = ["processing", "overdue", "paid", "declined", "canceled", "expired"] as const;
const hostile = `"'></title></style></script><script>alert(1)</script><img src=x onerror=alert(1)>`;

/** A page with normalized white space. */
function render(view: PageView): string {
  return renderPaymentPage(view)
    .replaceAll(/\s+/g, " ")
    .replaceAll(/ (\/?>)/g, "$1");
}

function listScripts({ state }: PageView): string[] {
  if (state === "open") return [paymentPageScript];
  if (state === "paid") return [localTimeScript];
  return ["processing", "returned", "overdue"].includes(state) ? [waitingPageScript] : [];
}

describe("every state", () => {
  test.each(Object.entries(everyView))(
    "%s: one document under 28 KB that complies with a strict content security policy",
    (_, view) => {
      const page = renderPaymentPage(view);
      expect(page).toMatch(/^<!doctype html>\s*<html lang="en">/);
      expect(findMismatchedTags(page)).toEqual([]);
      expect(page.match(/<h1>/g)).toHaveLength(1);
      expect(measureShipped(page)).toBeLessThan(28_000);
      const elements = page.match(/<[a-z][^>]*>/g) ?? [];
      expect(elements.filter((element) => /\s(style|on[a-z]+)=/.test(element))).toEqual([]);
      expect(elements.filter((element) => /^<(link|img|iframe|base)/.test(element))).toEqual([]);
      expect(page.split("<style>")[1]?.split("</style>")[0]).toBe(paymentPageStyle);
      const scripts = [...page.matchAll(/<script>(.*?)<\/script>/gs)].map(([, code]) => code);
      expect(scripts).toEqual(listScripts(view));
    },
  );

  test.each([
    ["open", "Pay €49.99", "Amount due €49.99"],
    ["open for a merchant", "Pay Books &amp; Co €49.99", "Pay Books &amp; Co €49.99"],
    ["open with mistakes", "Error: Pay €49.99", "Amount due €49.99"],
    ["open while the bank is busy", "Error: Pay €49.99", "Amount due €49.99"],
    ["at the bank", "Confirm at your bank: €49.99", "Confirm the payment at your bank"],
    ["back from the bank", "Waiting for your bank: €49.99", "Waiting for your bank"],
    ["challenge", "Confirm €49.99", "Confirm the payment?"],
    ["overdue", "Waiting for your bank: €49.99", "Your bank has not answered yet"],
    ["processing", "Processing the payment of €49.99", "Processing your payment"],
    ["paid", "Paid: €49.99", "Payment complete"],
    ["declined", "Declined: €49.99", "Payment declined"],
    ["canceled", "Canceled: €49.99", "Payment canceled"],
    ["expired", "Expired: €49.99", "This payment page has expired"],
    ["gone", "This payment page is not available", "This payment page is not available"],
    ["refused", "Something went wrong", "Something went wrong"],
    [
      "unavailable",
      "The payment page is not available right now",
      "The payment page is not available right now",
    ],
  ])("%s: has its title and heading", (state, title, heading) => {
    const page = render(everyView[state]!);
    expect(readText(page, "title")).toBe(title);
    expect(readText(page, "h1")).toBe(heading);
  });

  test("canceled: says that the customer was not charged only if no charge was requested", () => {
    const notCharged = "You were not charged.";
    expect(render(everyView["canceled"]!)).toContain(notCharged);
    const requested = render(everyView["canceled after a charge was requested"]!);
    expect(requested).not.toContain(notCharged);
    expect(requested).toContain("If the charge still goes through, it will be refunded");
  });

  test.each([
    ["processing", 1],
    ["overdue", 10],
  ])("%s: reloads itself after %d s without a script", (state, seconds) => {
    const reload = `<noscript><meta http-equiv="refresh" content="${seconds}"/></noscript>`;
    expect(render(everyView[state]!)).toContain(reload);
  });

  test("every page of test mode has the band, and no live one", () => {
    for (const livemode of [true, false]) {
      const views = [
        openView({ livemode }),
        ...outcomes.map((each) => outcomeView(each, { livemode })),
      ];
      for (const view of views) {
        expect(render(view).includes("<strong>Test mode</strong>")).toBe(!livemode);
      }
    }
  });

  test("the merchant's name is shown beside the amount, as text", () => {
    const renderAll = (merchant: string | null) =>
      [openView({ merchant }), ...outcomes.map((each) => outcomeView(each, { merchant }))].map(
        render,
      );
    for (const page of renderAll("Books & Co")) {
      expect(page).toContain('<bdi class="merchant">Books &amp; Co</bdi>');
    }
    for (const page of renderAll(null)) expect(page).not.toContain('<bdi class="merchant">');
    for (const page of renderAll(hostile)) expect(page).not.toMatch(/<script>alert|<img/);
    const back = render(outcomeView("expired", { merchant: "Books & Co" }));
    expect(back).toContain('Return to <bdi class="whole">Books &amp; Co</bdi></span></a>');
  });
});

describe("the form", () => {
  test("escapes the addresses of its actions", () => {
    const page = render(openView({ action: "/pay/a?b&c", cancelAction: '/pay/"x"' }));
    expect(page).toContain('<form method="post" action="/pay/a?b&amp;c" ');
    expect(page).toContain('<form method="post" action="/pay/&quot;x&quot;">');
  });

  test("has the amount on its button, in the customer's notation", () => {
    const page = render(openView({ language: "de-DE", amount: Number.MAX_SAFE_INTEGER }));
    expect(readText(page, "button")).toBe("90.071.992.547.409,91 € zahlen");
  });

  test("has a label and an autocomplete purpose for each field", () => {
    const page = render(openView());
    for (const [name, purpose] of [
      ["number", "cc-number"],
      ["expiry", "cc-exp"],
      ["cvc", "cc-csc"],
      ["name", "cc-name"],
    ] as const) {
      expect(page).toContain(`<label for="${name}">`);
      expect(findInput(page, name)).toContain(`autocomplete="${purpose}"`);
      expect(findInput(page, name)).not.toMatch(/maxlength|aria-invalid/);
    }
    expect(page).not.toContain("autofocus");
  });

  test("contains the typed expiry date and name, never the number and the security code", () => {
    const page = render(openView({ prefill: { expiry: "13 / 30", name: 'A "B" <C>' } }));
    expect(findInput(page, "expiry")).toContain('value="13 / 30"');
    expect(findInput(page, "name")).toContain('value="A &quot;B&quot; &lt;C&gt;"');
    expect(findInput(page, "number")).not.toContain("value");
    expect(findInput(page, "cvc")).not.toContain("value");
  });

  test("ties each mistake to its field, and focuses the first one", () => {
    const mistakes = { expiry: "expiry_month", name: "name_length" } as const;
    const page = render(openView({ mistakes }));
    for (const [name, mistake] of Object.entries(mistakes)) {
      const text = en.mistakes[mistake];
      expect(page).toContain(
        `<p class="mistake" id="${name}-mistake" aria-live="polite">${text}</p>`,
      );
      expect(findInput(page, name)).toContain('aria-invalid="true"');
    }
    expect(page).toContain('<p class="mistake" id="cvc-mistake" aria-live="polite"></p');
    expect(findInput(page, "expiry")).toContain('aria-describedby="expiry-mistake expiry-hint"');
    expect(findInput(page, "expiry")).toContain("autofocus");
    expect(page.match(/autofocus/g)).toHaveLength(1);
    expect(findInput(page, "number")).not.toContain("aria-invalid");
  });

  test("lists every test card in test mode, and none in live mode", () => {
    expect(listTestCards(false)).toEqual(testCards.map(({ number }) => number));
    expect(listTestCards(true)).toEqual([]);
  });

  test("says in test mode what each test card does, by asking for a confirmation too", () => {
    const page = render(openView({ livemode: false }));
    for (const [number, words] of [
      ["4242 4242 4242 4242", "paid"],
      ["4000 0000 0000 0069", "declined: expired card"],
      ["4000 0027 6000 3184", "asks for a confirmation"],
      ["4000 0000 0000 7726", "paid, refund slow"],
    ])
      expect(page).toMatch(new RegExp(`<code>${number}</code> \\w+</td>\\s*<td>${words}</td>`));
    expect(page).not.toContain("authentication required");
  });
});

describe("the outcome", () => {
  test("of a payment is a receipt with its reference, its date and the card's last four digits", () => {
    const page = render(outcomeView("paid"));
    expect(page).toContain("<code>pay_0192d3c4-7b1a-7f00-8000-3f2a1b4c5d6e</code>");
    expect(page).toContain('<time lang="en-GB" datetime="2026-11-22T18:05:00.000Z">');
    expect(page).toContain("22 November 2026 at 18:05 UTC</time>");
    expect(page).toContain("<dd>Visa ending in 4242</dd>");
    const receipt = { paidAt: 0, brand: "constructor", last4: "0005" };
    const unbranded = render(outcomeView("paid", { receipt, reference: hostile }));
    expect(unbranded).toContain("<dd>ending in 0005</dd>");
    expect(unbranded).not.toContain("<img");
  });

  test("of every decline says once that nothing was charged, and once to try again", () => {
    for (const code of Object.keys(declineMessages)) {
      const text = render(outcomeView("declined", { declineCode: code })).split("<main")[1];
      expect({ code, charged: text?.match(/charged/g)?.length }).toEqual({ code, charged: 1 });
      expect(text?.match(/try again/gi)).toHaveLength(1);
    }
  });

  test("of a decline has the reason, and says that another card may help", () => {
    const page = render(outcomeView("declined", { declineCode: "expired_card" }));
    expect(page).toContain('<p class="reason">Your card has expired.</p>');
    expect(page).toContain("with another card if necessary");
    for (const declineCode of [null, "toString", "__proto__"]) {
      const unexplained = render(outcomeView("declined", { declineCode }));
      expect(unexplained).toContain(">Your card was declined.</p>");
    }
  });

  test.each<[string | null, boolean]>([
    ["https://shop.example/?a=1&b=2", true],
    ["HTTP://shop", true],
    ["/pay/token/return", true],
    [null, false],
    ["javascript:alert(1)", false],
    ["data:text/html,x", false],
    ["//other.example", false],
    ["/\\other.example", false],
  ])("links to %s: %s", (returnTo, isLink) => {
    const page = render(outcomeView("paid", { returnTo }));
    const link = `href="${returnTo?.replace("&", "&amp;")}"><span>Return to the merchant</span></a>`;
    expect(page.includes(link)).toBe(isLink);
    expect(page.includes("href")).toBe(isLink);
    expect(page.includes("You can close this page.")).toBe(!isLink);
  });
});

describe("texts of the merchant and the customer", () => {
  test.each([
    openView({
      description: hostile,
      action: hostile,
      cancelAction: hostile,
      language: hostile,
      reference: hostile,
      prefill: { expiry: hostile, name: hostile },
    }),
    outcomeView("declined", {
      description: hostile,
      declineCode: hostile,
      returnTo: `https://x.example/${hostile}`,
    }),
  ])("never become markup: $state", (view) => {
    const page = renderPaymentPage(view);
    const plain = renderPaymentPage(view.state === "open" ? openView() : outcomeView("declined"));
    expect(page).not.toMatch(/alert\(1\)<\/script>|<img/);
    expect(page.match(/<script/g)).toEqual(plain.match(/<script/g));
    expect(findMismatchedTags(page)).toEqual([]);
  });

  test.each([null, "", " \n "])("are left out if they are empty: %j", (description) => {
    expect(render(openView({ description }))).not.toContain('class="description"');
  });
});

function readText(page: string, element: string): string {
  const inside = page.split(`<${element}`)[1]?.split(`</${element}>`)[0] ?? "";
  return inside
    .slice(inside.indexOf(">") + 1)
    .replaceAll(/<[^>]+>/g, "")
    .trim();
}

function findInput(page: string, name: string): string {
  return page.match(new RegExp(`<input\\s+id="${name}"[^>]*>`))?.[0] ?? "";
}

function listTestCards(livemode: boolean): (string | undefined)[] {
  const numbers = render(openView({ livemode })).matchAll(/<code>([0-9 ]+)<\/code>/g);
  return Array.from(numbers, ([, number]) => number?.replaceAll(" ", ""));
}

function findMismatchedTags(page: string): string[] {
  const markup = page.replaceAll(/<(style|script)>.*?<\/\1>/gs, "");
  const open: string[] = [];
  const mismatched: string[] = [];
  for (const [tag, slash, name = ""] of markup.matchAll(/<(\/?)([a-z0-9]+)[^>]*>/g)) {
    if (slash) {
      if (open.pop() !== name) mismatched.push(tag);
    } else if (!["meta", "input"].includes(name) && !tag.endsWith("/>")) open.push(name);
  }
  return [...open, ...mismatched];
}

const largest = Number.MAX_SAFE_INTEGER;

test.each([
  [4999, "eur", "en", "€49.99", null],
  [4999, "eur", "de-AT", "€ 49,99", null],
  [4999, "eur", "fr", "49,99 €", null],
  [123456789, "usd", "en-CA", "US$1,234,567.89", null],
  [4999, "usd", "en", "$49.99", "USD"],
  [4999, "cad", "en-CA", "$49.99", "CAD"],
  [5, "gbp", "en-GB", "£0.05", null],
  [4999, "sek", "sv", "49,99 kr", "SEK"],
  [4999, "usd", "es-MX", "USD 49.99", null],
  [500, "jpy", "ja", "￥500", "JPY"],
  [1234, "kwd", "en", "KWD 1.234", null],
  [largest, "eur", "en", "€90,071,992,547,409.91", null],
  [largest, "gbp", "de", "90.071.992.547.409,91 £", null],
  [largest, "usd", "hi", "$9,00,71,99,25,47,409.91", "USD"],
])(
  "%d %s in %s is %s, with the code if the symbol is shared: %s",
  (amount, currency, language, text, code) => {
    const split = splitAmount(amount, currency, language);
    const plain = split.text.replaceAll(/[\u00a0\u202f]/g, " ");
    expect({ ...split, text: plain }).toEqual({
      text,
      language: /^(en|de|fr|es)/.test(language) ? null : language,
      code,
    });
  },
);

test.each(["", "*", "xx-YY", "de_DE", "not a language", '"><script>', "de,en;q=0.5"])(
  "the unknown language %j falls back to English",
  (language) => {
    expect(splitAmount(4999, "eur", language)).toMatchObject({ text: "€49.99", language: null });
  },
);

test.each([
  ["eur", "en", "<bdi>€49.99</bdi>", "€49.99"],
  ["eur", "de", "<bdi>49,99\u00a0€</bdi>", "49,99\u00a0€"],
  ["eur", "sv", '<bdi lang="sv">49,99\u00a0€</bdi>', "49,99\u00a0€"],
  ["usd", "en", '<bdi>$49.99</bdi> <span class="code">USD</span>', "$49.99 USD"],
])(
  "%s in %s is isolated from the text around it, with its code",
  (currency, language, markup, line) => {
    const amount = splitAmount(4999, currency, language);
    const body = html`<main>${renderAmount(amount)}</main>`;
    expect(renderDocument({ title: "", style: "", body })).toContain(`<main>${markup}</main>`);
    expect(formatAmountLine(amount)).toBe(line);
  },
);
