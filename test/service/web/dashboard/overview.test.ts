import { describe, expect, test } from "vitest";
import { findDay, formatDay, parseDay } from "../../../../src/runtime/time.ts";
import type { Payment } from "../../../../src/contract/payment.ts";
import { addFigures } from "../../../../src/service/reports/sum-figures.ts";
import {
  chooseScale,
  formatDays,
  groupDays,
} from "../../../../src/service/web/dashboard/bar-chart.ts";
import {
  describeChange,
  describeRateChange,
} from "../../../../src/service/web/dashboard/overview-figures.ts";
import { parsePeriod } from "../../../../src/service/web/dashboard/overview-period.ts";
import { cardWith } from "../../../testkit/api-objects.ts";
import {
  command,
  findPaymentIds,
  openDashboard,
  textOf,
} from "../../../testkit/pages/open-dashboard.ts";

test.each([
  [0, [0, 1]],
  [1, [0, 1]],
  [3, [0, 1, 2, 3]],
  [5, [0, 2, 4, 6]],
  [7, [0, 2, 4, 6, 8]],
  [92, [0, 50, 100]],
  [100, [0, 50, 100]],
  [101, [0, 50, 100, 150]],
  [558_875, [0, 200_000, 400_000, 600_000]],
])("a scale up to %d has lines at round numbers, in at most four steps", (highest, lines) => {
  const scale = chooseScale(highest);
  expect(scale.lines).toEqual(lines);
  expect(scale.top).toBe(lines.at(-1));
});

test("a scale reaches sums beyond the largest exact number", () => {
  const { top, lines } = chooseScale(3 * Number.MAX_SAFE_INTEGER);
  expect([top, lines.length]).toEqual([3e16, 4]);
});

test.each([
  [1_125, 1_000, "+12.5%"],
  [875, 1_000, "−12.5%"],
  [0, 1_000, "−100%"],
  [1_000_000, 10, "+9,999,900%"],
  [10_000, 10_001, "No change"],
  [0, 0, undefined],
  [5, 0, undefined],
])("%d after %d is a change of %s", (now, before, text) => {
  expect(describeChange(now, before)?.text).toBe(text);
});

test.each([
  [0.9, 0.883, "+1.7 points"],
  [0.5, 1, "−50.0 points"],
  [0.9, 0.9, "No change"],
  [null, 0.9, undefined],
  [0.9, null, undefined],
])("a rate of %s after %s is a change of %s", (now, before, text) => {
  expect(describeRateChange(now, before)?.text).toBe(text);
});

/** Spaces at which a line does not break, as others. */
const readText = (text: string) => text.replaceAll("\u00a0", " ");

describe("the bars of a period", () => {
  const todayMs = Date.UTC(2026, 10, 22, 12);

  /** Each day has one payment. */
  const groupUpTo = (count: number, last = "2026-11-22") => {
    const end = parseDay(last)! + 1;
    const days = Array.from({ length: count }, (_, index) => ({
      ...addFigures([]),
      day: formatDay(end - count + index),
      payments: 1,
    }));
    const { unit, spans } = groupDays(days, todayMs);
    const read = ({ title, label, isPartial, figures }: (typeof spans)[number]) =>
      [label, readText(title), figures.payments, isPartial] as const;
    const [first, second] = spans.map(read);
    return { unit, count: spans.length, first, second, last: spans.map(read).at(-1) };
  };

  test("are its days, of which today's is not over", () => {
    expect(groupUpTo(31)).toEqual({
      unit: "day",
      count: 31,
      first: ["23 Oct", "23 Oct 2026", 1, false],
      second: ["24 Oct", "24 Oct 2026", 1, false],
      last: ["Today", "22 Nov 2026", 1, true],
    });
    expect(groupUpTo(7, "2026-11-21").last).toEqual(["21 Nov", "21 Nov 2026", 1, false]);
  });

  test("are the weeks of a longer one, from Monday, cut where it begins and ends", () => {
    expect(groupUpTo(90)).toEqual({
      unit: "week",
      count: 13,
      first: ["25 Aug", "25 – 30 Aug 2026", 6, true],
      second: ["31 Aug", "31 Aug – 6 Sep 2026", 7, false],
      last: ["16 Nov", "16 – 22 Nov 2026", 7, true],
    });
    expect(groupUpTo(42, "2026-11-15").last).toEqual(["9 Nov", "9 – 15 Nov 2026", 7, false]);
  });

  test("are the months of a whole year", () => {
    expect(groupUpTo(365)).toEqual({
      unit: "month",
      count: 13,
      first: ["Nov 2025", "23 – 30 Nov 2025", 8, true],
      second: ["Dec 2025", "1 – 31 Dec 2025", 31, false],
      last: ["Nov 2026", "1 – 22 Nov 2026", 22, true],
    });
  });
});

const declining = { card: cardWith({ number: "4000000000009995" }) };
/** The day of a payment, as the pages write it. */
const dayOf = ({ created }: Payment) =>
  formatDays(findDay(created * 1000), findDay(created * 1000));

test("the overview shows the last 30 days in one currency, as bars and as a table", async () => {
  const { signIn, at, pay, service, accountId, call, submit } = await openDashboard();
  const { get } = await signIn("viewer");
  const first = await pay({ amount: 1_250 });
  const { id } = await pay({ amount: 4_999 });
  await service.refundPayment({ accountId, livemode: false }, id);
  await pay(declining);
  await pay({ amount: 100, currency: "usd" });
  const hosted = { method: "POST", path: "/v1/payments/hpp" };
  const page = await call({ ...hosted, body: { amount: 100, currency: "eur" } });
  const { redirect_url: address } = JSON.parse(page.text) as Payment;
  await submit(`${new URL(address ?? "").pathname}/cancel`);
  await service.settlePayments();

  const answer = await get(at(""));
  expect(answer.status).toBe(200);
  const text = textOf(answer);
  expect(text).toContain("Volume 62.49 EUR No payments in the previous 30 days");
  expect(text).toMatch(/Payments 4 No payments .{1,40} 2 succeeded, 1 declined, 1 never paid/);
  expect(text).toContain("Success rate 66.7%");
  expect(text).toMatch(/Refunds 49.99 EUR No payments .{1,40} 1 payment /);
  const today = dayOf(first);
  expect(answer.text).toContain(`aria-label="Volume by day. Highest 62.49\u00a0EUR, ${today}."`);
  expect(answer.text).toContain(`<title>${today}: 62.49\u00a0EUR</title>`);
  expect(answer.text).toContain(`<title>${today}: 4</title>`);
  expect(answer.text.match(/<title>\d+\s\w+\s\d{4}: /g)).toHaveLength(60);
  expect(text).toMatch(/Volume by day .{1,60} 80 60 40 20 0 .*Payments by day .{1,40} 4 3 2 1 0 /);
  expect(text).toContain("Today so far");
  expect(text).toContain(`${readText(today)} 62.49 EUR 4 2 1 49.99 EUR 1 1 0`);
  expect(text).toContain(
    "The card has insufficient funds to complete this payment. 1 insufficient_funds 100.0%",
  );
  const day = new Date(first.created * 1000).toISOString().slice(0, 10);
  const declined = `to=${day}&amp;currency=eur&amp;decline_code=insufficient_funds"`;
  expect(answer.text).toContain(declined);

  const usd = textOf(await get(at("?currency=usd")));
  expect(usd).toContain("Volume 1.00 USD");
  expect(usd).toContain("No payment was declined.");
  expect(textOf(await get(at("?currency=gbp")))).toContain("Volume 62.49 EUR");
});

test.each([
  ["?days=7", 7],
  ["", 30],
  ["?days=90", 90],
  ["?days=8", 30],
])("the overview at %j compares the last %d days with as many before", async (query, days) => {
  const { signIn, at, pay } = await openDashboard({
    store: (real) => ({
      ...real,
      findTotals: async (_, range, _limit, currency) => {
        const total = { currency: "eur", code: "", status: "succeeded" } as const;
        const firstDay = currency === undefined ? range.firstDay - days : range.firstDay;
        const totals = [
          { ...total, day: firstDay - 1, payments: 70, amount: 70_000 },
          { ...total, day: firstDay, payments: 3, amount: 3_000 },
          { ...total, day: firstDay, status: "failed" as const, code: "", payments: 1, amount: 9 },
          { ...total, day: firstDay + days - 1, payments: 5, amount: 5_000 },
          { ...total, day: firstDay + days, payments: 6, amount: 9_000 },
          { ...total, day: firstDay + 2 * days - 1, payments: 3, amount: 1_000 },
        ].filter(({ day }) => day >= range.firstDay && day < range.endDay);
        return { totals, countedTo: undefined };
      },
    }),
  });
  await pay();
  const answer = await (await signIn("viewer")).get(at(query));
  expect(answer.text).toMatch(new RegExp(`aria-current="true"\\s*>${days} days<`));
  const text = textOf(answer);
  expect(text).toContain(`Volume 100.00 EUR +25.0% vs. previous ${days} days`);
  expect(text).toContain(`Payments 9 Same as the previous ${days} days`);
  expect(text).toContain(`Success rate 100.0% +11.1 points vs. previous ${days} days`);
  expect(text).toContain(`Refunds 0.00 EUR 0.00 EUR in the previous ${days} days`);
});

test("an admin is told of endpoints that fail, or that the service disabled; others are not", async () => {
  const { signIn, at, createEndpoint, service, accountId } = await openDashboard({
    store: (real) => ({
      ...real,
      listEndpoints: async (scope) => {
        const endpoints = await real.listEndpoints(scope);
        const failing = endpoints.find(({ url }) => url?.includes("failing"));
        if (failing) failing.failingSinceMs = Date.UTC(2026, 0, 2);
        return endpoints;
      },
    }),
  });
  const scope = { accountId, livemode: false };
  const [admin, support] = [await signIn("admin"), await signIn("support")];
  const { id: disabled } = await createEndpoint({ url: "https://shop.example/disabled" });
  await service.updateEndpoint(
    scope,
    { id: disabled, body: { status: "disabled" } },
    undefined,
    command,
  );
  expect((await admin.get(at(""))).text).not.toContain('class="notice');

  const { id } = await createEndpoint({ url: "https://shop.example/failing" });
  const page = await admin.get(at(""));
  expect(textOf(page)).toContain(
    "A webhook endpoint is not receiving events: https://shop.example/failing Failing since 2 Jan 2026, 00:00 UTC",
  );
  expect(page.text).toContain(`href="${at(`/webhooks/${id}`)}"`);
  expect((await support.get(at(""))).text).not.toContain("failing");
});

test("the overview ends with the newest five payments of any currency, and a link to all", async () => {
  const { signIn, at, pay } = await openDashboard();
  const ids: string[] = [];
  for (const currency of ["eur", "usd", "eur", "eur", "eur", "eur"])
    ids.push((await pay({ currency })).id);
  const answer = await (await signIn("viewer")).get(at(""));
  expect(findPaymentIds(answer)).toEqual(ids.toReversed().slice(0, 5));
  expect(answer.text).toContain(`href="${at("/payments")}">All payments<`);
});

test("the overview shows the days that its address names, also in another currency", async () => {
  const { signIn, at, pay } = await openDashboard();
  const { get } = await signIn("viewer");
  const first = await pay({ amount: 1_250 });
  await pay({ amount: 100, currency: "usd" });
  const today = new Date(first.created * 1000).toISOString().slice(0, 10);

  const one = await get(at(`?from=${today}&to=${today}`));
  expect(textOf(one)).toContain("Volume 12.50 EUR");
  expect(one.text).toMatch(new RegExp(`<summary[^>]*>\\s*${dayOf(first)}\\s*<`));
  expect(one.text.match(/<title>\d+\s\w+\s\d{4}: /g)).toHaveLength(2);
  const usd = `?currency=usd&amp;from=${today}&amp;to=${today}`;
  expect(one.text).toContain(`href="${at(usd)}"`);
  expect(textOf(await get(at(usd.replaceAll("&amp;", "&"))))).toContain("Volume 1.00 USD");
  expect(one.text).toContain(`href="${at("?currency=eur&amp;days=7")}"`);
  expect(one.text).toContain(
    `href="${at("/report.csv")}?from=${today}&amp;to=${today}&amp;by=day"`,
  );

  const before = textOf(await get(at("?to=2026-02-01")));
  expect(before).toContain("No test payments: 3 Jan – 1 Feb 2026");
  expect(before).toContain("12.50 EUR");
});

test.each([
  ["from=2026-02-30", "Enter a date, such as 2026-11-30."],
  ["to=x", "Enter a date, such as 2026-11-30."],
  ["from=2026-02-02&to=2026-02-01", "Choose a first day that is not after the last one."],
  ["from=2999-01-01", "Choose a first day that is not after the last one."],
  ["from=2025-01-01&to=2026-02-05", "Choose at most 400 days: these are 401."],
])("the overview says what is wrong with %s", async (query, mistake) => {
  const { signIn, at } = await openDashboard();
  const { get } = await signIn("viewer");
  const answer = await get(at(`?${query}`));
  expect(answer.status).toBe(400);
  const wrong = query.includes("&") ? "to" : query.split("=", 1)[0];
  expect(answer.text).toContain(`id="${wrong}-mistake"`);
  expect(textOf(answer)).toContain(mistake);
});

test("a period that only ends in January 1970 begins with the first day that an address can name", () => {
  const period = parsePeriod(new URLSearchParams("to=1970-01-05"), 0);
  expect(period).toMatchObject({ days: { firstDay: 0, endDay: 5 } });
});

test("a sum is grouped, and marked if it is rounded", async () => {
  const { signIn, at, pay } = await openDashboard();
  const { get } = await signIn();
  await pay({ amount: Number.MAX_SAFE_INTEGER });
  expect(textOf(await get(at("")))).toContain("Volume 90,071,992,547,409.91 EUR");
  await pay({ amount: Number.MAX_SAFE_INTEGER });
  expect(textOf(await get(at("")))).toContain("Volume about 180,143,985,094,819.82 EUR");
});
