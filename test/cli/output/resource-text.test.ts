import { Chalk } from "chalk";
import * as fc from "fast-check";
import stringWidth from "fast-string-width";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { keyView } from "../../../src/cli/output/account-views.ts";
import {
  deliveriesToAllResource,
  deliveryResource,
  endpointResource,
  eventResource,
} from "../../../src/cli/output/webhook-resources.ts";
import { paymentResource } from "../../../src/cli/output/payment-resource.ts";
import { formatItem, formatItems } from "../../../src/cli/output/resource-text.ts";
import type { View } from "../../../src/cli/output/resource.ts";
import type { ApiKey } from "../../../src/contract/administration.ts";
import { permissions } from "../../../src/contract/field-values.ts";
import type { Payment } from "../../../src/contract/payment.ts";
import { deliveryWith, endpointWith, eventWith, paymentWith } from "../../testkit/api-objects.ts";

/** The time of 2026-11-15 12:00:00, in Unix seconds. */
const noon = 1_794_744_000;

/** Makes each test of a file run at noon UTC. */
function useNoon(): void {
  beforeEach(() => {
    vi.stubEnv("TZ", "UTC");
    vi.useFakeTimers({ now: noon * 1000, toFake: ["Date"] });
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllEnvs();
  });
}

const plain = new Chalk({ level: 0 });
const colored = new Chalk({ level: 1 });
const hostile = "\u001B[2J\u202Eevil";

useNoon();

function createKey(fields: Partial<ApiKey> = {}): ApiKey {
  return {
    id: "key_1",
    object: "api_key",
    account: "acct_1",
    mode: "test",
    name: "ci",
    last4: "wxyz",
    created: noon,
    expires_at: null,
    revoked_at: null,
    last_used_at: null,
    permissions,
    max_refund: null,
    ...fields,
  };
}

function paymentId(digit: number): string {
  return `pay_0199c5a8-7f3e-7abc-9def-01234567890${digit}`;
}

const payments = [
  paymentWith({
    id: paymentId(1),
    customer: { email: "", name: "東京花子" },
    created: noon - 125,
  }),
  paymentWith({
    id: paymentId(2),
    status: "failed",
    decline_code: "insufficient_funds",
    customer: { email: "grace.hopper@a-rather-long-domain.example.com", name: "Grace" },
    description: "A book about 東京, 大阪 and 京都, bound in linen",
    created: noon - 86_400,
  }),
  paymentWith({ id: paymentId(3), status: "pending", card: null, amount: 1500, currency: "jpy" }),
];
const failedPayment = paymentWith({
  id: "pay_1",
  status: "failed",
  livemode: true,
  decline_code: "expired_card",
  decline_message: "The card has expired.",
  card: null,
  customer: { email: "ada@example.com", name: "Ada Lovelace" },
  description: "A book",
  metadata: { order_id: "1001", shop: "north" },
  redirect_url: "https://payments.example.com/pay/token",
  succeeded_at: null,
  failed_at: noon + 1,
  refunded_at: noon + 2,
});
const failedEvent = eventWith({
  type: "payment.failed",
  sequence: 2,
  created: noon - 100,
  data: { object: paymentWith({ status: "failed", decline_code: "expired_card" }) },
});
const disabledEndpoint = endpointWith({
  events: ["payment.failed", "payment.refunded"],
  description: "Orders",
  status: "disabled",
  disabled_reason: "failing",
  secret: "whsec_c2VjcmV0",
  livemode: true,
});
const deliveries = [
  deliveryWith({ created: noon - 5, attempts: 0, last_status: null, last_error: null }),
  deliveryWith(),
  deliveryWith({ status: "delivered", next_attempt_at: null, last_status: 204, last_error: null }),
  deliveryWith({
    status: "failed",
    attempts: 10,
    next_attempt_at: null,
    last_status: null,
    last_error: "the connection was refused",
  }),
];

describe("one item shows its values, and leaves out missing ones:", () => {
  test.each<[string, () => string, string[]]>([
    [
      "a payment",
      () => formatItem(paymentResource, paymentWith({ id: "pay_1" }), plain),
      [
        "Payment    pay_1",
        "Status     succeeded",
        "Amount     49.99 EUR",
        "Mode       test",
        "Card       visa •••• 4242, expires 12/2031, US",
        "Created    2026-11-15 12:00:00",
        "Succeeded  2026-11-15 12:00:00",
      ],
    ],
    [
      "a payment with all that one can have",
      () => formatItem(paymentResource, failedPayment, plain),
      [
        "Payment      pay_1",
        "Status       failed",
        "Amount       49.99 EUR",
        "Mode         live",
        "Declined     expired_card",
        "Reason       The card has expired.",
        "Customer     Ada Lovelace, ada@example.com",
        "Description  A book",
        "Metadata     order_id=1001, shop=north",
        "Page         https://payments.example.com/pay/token",
        "Created      2026-11-15 12:00:00",
        "Failed       2026-11-15 12:00:01",
        "Refunded     2026-11-15 12:00:02",
      ],
    ],
    [
      "an event, with the payment as it was then",
      () => formatItem(eventResource, failedEvent, plain),
      [
        `Event      ${failedEvent.id}`,
        "Type       payment.failed",
        "Sequence   2",
        "Happened   2026-11-15 11:58:20",
        `Payment    ${failedEvent.data.object.id}`,
        "Status     failed",
        "Amount     49.99 EUR",
        "Mode       test",
        "Declined   expired_card",
        "Card       visa •••• 4242, expires 12/2031, US",
        "Created    2026-11-15 12:00:00",
        "Succeeded  2026-11-15 12:00:00",
      ],
    ],
    [
      "an endpoint with its secret, and why it is disabled",
      () => formatItem(endpointResource, disabledEndpoint, plain),
      [
        `Endpoint      ${endpointWith().id}`,
        "URL           https://shop.example/hooks",
        "Events        payment.failed, payment.refunded",
        "Description   Orders",
        "Secret        whsec_c2VjcmV0",
        "Status        disabled (failing)",
        "Last success  2026-11-15 12:01:00",
        "Mode          live",
        "Created       2026-11-15 12:00:00",
      ],
    ],
    [
      "a key that has just been made, in full",
      () => formatItem(keyView, { ...createKey(), key: "svc_test_sk_secret" }, plain),
      [
        "Key      svc_test_sk_secret",
        "ID       key_1",
        "Account  acct_1",
        "Mode     test",
        "Name     ci",
        "Created  2026-11-15 12:00:00",
        "State    active",
      ],
    ],
    [
      "a key later, by its last four characters and its last use",
      () => formatItem(keyView, createKey({ last_used_at: noon + 60 }), plain),
      [
        "Key        …wxyz",
        "ID         key_1",
        "Account    acct_1",
        "Mode       test",
        "Name       ci",
        "Created    2026-11-15 12:00:00",
        "Last used  2026-11-15 12:01:00",
        "State      active",
      ],
    ],
  ])("%s", (_, format, lines) => {
    expect(format().split("\n")).toEqual(lines);
  });

  test("no country of a card with an unknown one", () => {
    const { card } = paymentWith();
    const payment = paymentWith({ card: card && { ...card, country: "ZZ" } });
    expect(formatItem(paymentResource, payment, plain)).toContain("4242, expires 12/2031\n");
  });
});

test.each<[string, () => string, string[]]>([
  [
    "payments, with a name where there is no e-mail address",
    () => formatItems(paymentResource, [failedPayment, ...payments.slice(0, 1)], { style: plain }),
    [
      "ID                                        STATUS                    AMOUNT  CREATED              CARD       CUSTOMER                        DESCRIPTION",
      "pay_1                                     failed (expired_card)  49.99 EUR  2026-11-15 12:00:00             ada@example.com (Ada Lovelace)  A book",
      `${paymentId(1)}  succeeded              49.99 EUR  2026-11-15 11:57:55  visa 4242  東京花子`,
    ],
  ],
  [
    "events",
    () =>
      formatItems(eventResource, [failedEvent, eventWith({ created: noon - 90_000 })], {
        style: plain,
      }),
    [
      `ID${" ".repeat(40)}TYPE                  AMOUNT  CREATED              PAYMENT`,
      `${failedEvent.id}  payment.failed     49.99 EUR  2026-11-15 11:58:20  ${failedEvent.data.object.id}`,
      `${failedEvent.id}  payment.succeeded  49.99 EUR  2026-11-14 11:00:00  ${failedEvent.data.object.id}`,
    ],
  ],
  [
    "endpoints, that of payments listen by its name",
    () =>
      formatItems(
        endpointResource,
        [endpointWith({ url: null, created: noon - 100 }), disabledEndpoint],
        { style: plain },
      ),
    [
      `ID${" ".repeat(39)}URL                         STATUS              HEALTH                  EVENTS                            CREATED              DESCRIPTION`,
      `${disabledEndpoint.id}  listen                      enabled             ok 2026-11-15 12:01:00  all                               2026-11-15 11:58:20`,
      `${disabledEndpoint.id}  https://shop.example/hooks  disabled (failing)                          payment.failed, payment.refunded  2026-11-15 12:00:00  Orders`,
    ],
  ],
  [
    "deliveries, with what came of each and when it is tried again",
    () => formatItems(deliveryResource, deliveries, { style: plain }),
    [
      `EVENT${" ".repeat(37)}STATUS     ATTEMPTS  LAST                        NEXT                 CREATED              TYPE               ID`,
      ...[
        "pending           0                              2026-11-15 12:05:00  2026-11-15 11:59:55",
        "pending           1  the endpoint answered 500   2026-11-15 12:05:00  2026-11-15 12:00:00",
        "delivered         1  204                                              2026-11-15 12:00:00",
        "failed           10  the connection was refused                       2026-11-15 12:00:00",
      ].map((row) => `${deliveryWith().event}  ${row}  payment.succeeded  ${deliveryWith().id}`),
    ],
  ],
  ...(
    [
      ["active", createKey()],
      ["active until 2026-11-15 12:00:01", createKey({ expires_at: noon + 1 })],
      ["expired 2026-11-15 12:00:00", createKey({ expires_at: noon })],
      ["revoked 2026-11-15 12:00:00", createKey({ revoked_at: noon, expires_at: noon + 9 })],
    ] as const
  ).map(([state, key]): [string, () => string, string[]] => [
    `a key that is ${state}`,
    () => formatItems(keyView, [key], { style: plain }),
    [
      "ID     MODE  NAME  KEY    CREATED              LAST USED  STATE",
      `key_1  test  ci    …wxyz  2026-11-15 12:00:00  never      ${state}`,
    ],
  ]),
])("a table in a pipe is complete: %s", (_, format, lines) => {
  expect(format().split("\n")).toEqual(lines);
});

describe("a table in a terminal has one line for each item, shortened to fit:", () => {
  const endpoints = [endpointWith({ url: null }), disabledEndpoint];
  const events = [failedEvent, eventWith({ created: noon - 90_000 })];
  const { event } = deliveryWith();
  const { id } = endpointWith();

  test.each<[string, View<never>, object[], number, string]>([
    [
      "a payment",
      paymentResource,
      payments,
      120,
      `${paymentId(2)}  failed insuf…  49.99 EUR  2026-11-14  visa 4242  grace.hopper…  A book about …`,
    ],
    [
      "a delivery",
      deliveryResource,
      deliveries,
      80,
      `${event}  pending           1  500         in 5m`,
    ],
    [
      "a delivery",
      deliveryResource,
      deliveries,
      120,
      `${event}  pending           1  500                     in 5m  0s ago   payment.succeeded`,
    ],
    [
      "a delivery to one of several endpoints",
      deliveriesToAllResource,
      deliveries,
      100,
      `${event}  we_0199c5a8-7f3e…  pending           1  500          in 5m`,
    ],
    [
      "an endpoint",
      endpointResource,
      endpoints,
      80,
      `${id}  https://shop.example/ho…  disabled (fa…`,
    ],
    [
      "an endpoint",
      endpointResource,
      endpoints,
      120,
      `${id}  https://shop.example/ho…  disabled (fai…             payment.failed, …  0s ago`,
    ],
    [
      "an event",
      eventResource,
      events,
      80,
      `${failedEvent.id}  payment.succee…  49.99 EUR  2026-11-14`,
    ],
    [
      "an event",
      eventResource,
      events,
      120,
      `${failedEvent.id}  payment.succeeded  49.99 EUR  2026-11-14  pay_0199c5a8-7f3e-7abc-9def-0123456…`,
    ],
  ])("%s", (_, view, items, width, second) => {
    const lines = formatItems(view, items as never[], { style: plain, width }).split("\n");
    expect(lines).toHaveLength(items.length + 1);
    expect(lines[2]).toBe(second);
    for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(width);
  });

  test("the last columns are left out, and never a part of an id", () => {
    const heads = [100, 80, 60, 45, 20].map((width) =>
      formatItems(paymentResource, payments, { style: plain, width }).split("\n", 1).join(""),
    );
    expect(heads.map((head) => head.split(/ +/))).toEqual([
      ["ID", "STATUS", "AMOUNT", "CREATED", "CARD", "CUSTOMER"],
      ["ID", "STATUS", "AMOUNT", "CREATED"],
      ["ID", "STATUS"],
      ["ID"],
      ["ID"],
    ]);
    expect(formatItems(paymentResource, payments, { style: plain, width: 20 })).toContain(
      paymentId(2),
    );
  });

  test.each([
    [noon - 1, "now"],
    [noon, "now"],
    [noon + 59, "in 59s"],
    [noon + 3_599, "in 59m"],
    [noon + 86_399, "in 23h"],
    [noon + 86_400, "2026-11-16"],
  ])("what comes at %d comes %s", (next_attempt_at, next) => {
    const items = [deliveryWith({ next_attempt_at })];
    const table = formatItems(deliveryResource, items, { style: plain, width: 120 });
    expect(table).toContain(`500   ${next}  `);
  });

  test("no line is wider than the terminal, whatever a service sends", () => {
    const text = fc.string({ unit: "grapheme", maxLength: 40 });
    const payment: fc.Arbitrary<Payment> = fc
      .record({
        amount: fc.nat(),
        currency: fc.constantFrom("eur", "jpy", "kwd"),
        decline_code: fc.option(text),
        description: fc.option(text),
        customer: fc.record({ email: text, name: text }),
        created: fc.nat({ max: 2 * noon }),
      })
      .map((fields) => paymentWith({ ...fields, id: paymentId(1) }));
    fc.assert(
      fc.property(fc.array(payment, { maxLength: 4 }), fc.nat({ max: 160 }), (some, extra) => {
        const width = 40 + extra;
        const lines = formatItems(paymentResource, some, { style: plain, width }).split("\n");
        expect(lines).toHaveLength(some.length + 1);
        for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(width);
        for (const line of lines.slice(1)) expect(line.startsWith(paymentId(1))).toBe(true);
      }),
    );
  });

  test("keys of several accounts have a column for the account, and no id is wrapped", () => {
    const keys = ["1", "2"].map((digit) =>
      createKey({ id: `key_${digit.repeat(36)}`, account: `acct_${digit.repeat(36)}` }),
    );
    const lines = formatItems(keyView, keys, { style: plain, width: 80 }).split("\n");
    for (const { id: keyId, account } of keys) {
      expect(lines.filter((line) => line.includes(keyId))).toHaveLength(1);
      expect(lines.filter((line) => line.includes(account))).toHaveLength(1);
    }
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
  });
});

describe("requested fields", () => {
  test("are printed one a line", () => {
    const fields = ["type", "created", "data.object.amount", "data.object.created"];
    expect(formatItem(eventResource, failedEvent, plain, fields).split("\n")).toEqual([
      "type                 payment.failed",
      "created              2026-11-15 11:58:20",
      "data.object.amount   49.99 EUR",
      "data.object.created  2026-11-15 12:00:00",
    ]);
  });

  test("are columns, with numbers aligned to the right", () => {
    const payment = paymentWith({ metadata: { order: "1001" }, refunded_at: null });
    const fields = ["amount", "status", "created", "card.last4", "metadata", "refunded_at", "id"];
    expect(formatItems(paymentResource, [payment], { style: plain, fields }).split("\n")).toEqual([
      "   AMOUNT  STATUS     CREATED              CARD.LAST4  METADATA          REFUNDED_AT  ID",
      `49.99 EUR  succeeded  2026-11-15 12:00:00  4242        {"order":"1001"}               ${payment.id}`,
    ]);
    const ofDelivery = ["event", "attempts", "next_attempt_at"];
    expect(
      formatItems(deliveryResource, [deliveryWith()], { style: plain, fields: ofDelivery }),
    ).toBe(
      `EVENT${" ".repeat(37)}ATTEMPTS  NEXT_ATTEMPT_AT\n${deliveryWith().event}         1  2026-11-15 12:05:00`,
    );
  });

  test("are not shortened in a narrow terminal", () => {
    const fields = ["data.object.amount", "id", "data.object.metadata"];
    const layout = { style: plain, width: 60, fields };
    expect(formatItems(eventResource, [failedEvent], layout).split("\n")).toEqual([
      "DATA.OBJECT.AMOUNT  ID",
      "  DATA.OBJECT.METADATA",
      `         49.99 EUR  ${failedEvent.id}`,
      "  {}",
    ]);
  });
});

test("a status and a type have their colour, even if they are shortened", () => {
  expect(formatItem(paymentResource, paymentWith(), colored)).toContain(
    "\u001B[32msucceeded\u001B[39m",
  );
  const table = formatItems(paymentResource, payments, { style: colored, width: 80 });
  expect(table).toContain("  \u001B[31mfailed insuffi…\u001B[39m  ");
  const events = formatItems(eventResource, [failedEvent, eventWith()], {
    style: colored,
    width: 80,
  });
  expect(events).toContain("\u001B[31mpayment.failed\u001B[39m");
  expect(events).toContain("\u001B[32mpayment.succee");
});

const hostilePayment = paymentWith({
  description: `a\nb${hostile}`,
  decline_code: hostile,
  decline_message: hostile,
  currency: hostile,
  card: { brand: hostile, last4: "\n\n", exp_month: 1, exp_year: 2030, country: hostile },
  customer: { email: hostile, name: hostile },
  metadata: { [hostile]: hostile },
  redirect_url: hostile,
});

test.each<[string, View<never>, object, string[]]>([
  [
    "a payment",
    paymentResource,
    hostilePayment,
    ["description", `metadata.${hostile}`, "metadata", "card"],
  ],
  [
    "an event",
    eventResource,
    eventWith({ data: { object: hostilePayment } }),
    ["data.object.description"],
  ],
  [
    "an endpoint",
    endpointResource,
    endpointWith({
      url: hostile,
      events: [hostile],
      description: hostile,
      disabled_reason: hostile,
      secret: hostile,
    }),
    ["url", "events"],
  ],
  ["a delivery", deliveryResource, deliveryWith({ last_error: hostile }), ["last_error"]],
  ["a key", keyView, createKey({ name: `${hostile}\n` }), ["name"]],
])("nothing that a service says of %s steers the terminal", (_, view, item, fields) => {
  const texts = [
    formatItem(view, item as never, plain),
    formatItem(view, item as never, plain, fields),
    formatItems(view, [item as never], { style: plain }),
    formatItems(view, [item as never], { style: plain, fields }),
  ];
  for (const text of texts) expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\u202E]/u);
  for (const table of texts.slice(2)) expect(table.split("\n")).toHaveLength(2);
});

const show = (payment: Payment) => formatItem(paymentResource, payment, plain);

test("says of a payment whose page is withheld why no address stands there", () => {
  const hosted = paymentWith({ status: "pending", card: null, redirect_url: null });
  expect(show(hosted)).toMatch(/^Page +not shown to this key, which may not create payments$/m);
  expect(show({ ...hosted, redirect_url: "https://pay.example/1" })).toContain("pay.example/1");
  expect(show(paymentWith({ redirect_url: null }))).not.toContain("Page");
});
