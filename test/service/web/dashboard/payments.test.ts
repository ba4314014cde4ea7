import { describe, expect, test } from "vitest";
import { cardWith } from "../../../testkit/api-objects.ts";
import { fakeNetwork } from "../../../testkit/network/fake-network.ts";
import {
  findPaymentIds,
  openDashboard,
  pageLinkOf,
  textOf,
  command,
} from "../../../testkit/pages/open-dashboard.ts";

function formatDay(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 10);
}

describe("the list of payments", () => {
  test("preserves its filters from page to page", async () => {
    const { signIn, at, service, pay, accountId } = await openDashboard();
    const ids: string[] = [];
    for (let index = 0; index < 27; index++) ids.push((await pay()).id);
    const [first, ...refunded] = ids;
    for (const id of refunded) await service.refundPayment({ accountId, livemode: false }, id);
    const { get } = await signIn("viewer");
    const page = await get(at("/payments?status=refunded"));
    expect(findPaymentIds(page)).toHaveLength(25);
    expect(findPaymentIds(await get(pageLinkOf(page, "next") ?? ""))).toEqual(refunded.slice(0, 1));
    expect(findPaymentIds(await get(at("/payments?status=succeeded")))).toEqual([first]);
  });

  test("filters by days in UTC, the last one included", async () => {
    const { signIn, at, pay } = await openDashboard();
    const { id, created } = await pay();
    const [today, tomorrow] = [formatDay(created), formatDay(created + 86_400)];
    const { get } = await signIn();
    const list = async (query: string) => findPaymentIds(await get(at(`/payments?${query}`)));
    expect(await list(`from=${today}&to=${today}`)).toEqual([id]);
    expect(await list(`from=${tomorrow}`)).toEqual([]);
    expect(await list(`to=${formatDay(created - 86_400)}`)).toEqual([]);
  });

  test.each([
    ["from=2026-02-30", "Enter a date, such as 2026-11-30."],
    ["from=yesterday", "Enter a date, such as 2026-11-30."],
    ["to=0000-01-01", "Enter a date, such as 2026-11-30."],
    ["to=2026-1-1", "Enter a date, such as 2026-11-30."],
    ["status=lost", "Choose pending, succeeded, failed, refunded."],
    ["from=2026-11-30&to=2026-11-29", "Choose a day that is not before the first one."],
  ])("shows the mistake in %s, and lists no payment", async (query, mistake) => {
    const { signIn, at, pay } = await openDashboard();
    await pay();
    const { get } = await signIn();
    const answer = await get(at(`/payments?${query}`));
    expect(answer.status).toBe(400);
    expect(textOf(answer)).toContain(mistake);
    expect(textOf(answer)).not.toMatch(/No matching payments|No test payments/);
    expect(findPaymentIds(answer)).toEqual([]);
  });

  test("has the status and the days in its form, as they are in the address", async () => {
    const { signIn, at, pay } = await openDashboard();
    const today = formatDay((await pay()).created);
    const { get } = await signIn();
    const { text } = await get(at(`/payments?status=failed&to=${today}`));
    expect(text).toMatch(/<option value="failed"\s+selected>Failed<\/option>/);
    expect(text).toMatch(new RegExp(`<input id="to" [^>]*value="${today}"`));
  });

  test("has the decline code of a failed payment", async () => {
    const { signIn, at, pay, service } = await openDashboard();
    await pay({ card: cardWith({ number: "4000000000009995" }) });
    await service.settlePayments();
    const { get } = await signIn();
    expect(textOf(await get(at("/payments")))).toContain("Failed Insufficient funds");
  });

  test("redirects to a payment by its whole id, and says if there is none", async () => {
    const { signIn, at, pay } = await openDashboard();
    const { id } = await pay();
    const live = await pay({}, "live");
    const { get } = await signIn();
    const later = formatDay(Date.now() / 1000 + 86_400);
    for (const query of [
      `search=%20${id}%20`,
      `search=${id.toUpperCase()}&from=${later}`,
      `search="${id}".`,
      `id=${id}`,
    ]) {
      const found = await get(at(`/payments?${query}`));
      expect([found.status, found.headers["location"]]).toEqual([303, at(`/payments/${id}`)]);
    }
    for (const other of [live.id, "pay_unknown"]) {
      const answer = await get(at(`/payments?search=${other}`));
      expect(answer.status).toBe(404);
      expect(textOf(answer)).toContain("no payment with this ID in this account and mode");
      expect(answer.text).toContain(`value="${other}"`);
    }
  });

  test("shows only payments of its account and mode", async () => {
    const { signIn, at, pay, service, accountId } = await openDashboard();
    const [tried, live] = [await pay(), await pay({}, "live")];
    const other = await service.createAccount({ name: "Other" });
    const { get } = await signIn("admin", { accounts: [accountId, other.id] });
    expect(findPaymentIds(await get(at("/payments")))).toEqual([tried.id]);
    const livePage = await get(at("/payments", "live"));
    expect(findPaymentIds(livePage)).toEqual([live.id]);
    expect(textOf(livePage)).toContain("LIVE Live data. The built-in simulator decides");
    const otherPage = await get(at("/payments", "test", other.id));
    expect(findPaymentIds(otherPage)).toEqual([]);
    expect(textOf(otherPage)).toContain("payments create --mode test");
  });

  test("says whether money moves", async () => {
    const { signIn, at } = await openDashboard({ network: () => fakeNetwork().network });
    const { get } = await signIn();
    expect(textOf(await get(at("/payments", "live")))).toContain("LIVE Real money moves here.");
    expect(textOf(await get(at("/payments")))).toContain("TEST No money moves here.");
  });
});

type Dashboard = Awaited<ReturnType<typeof openDashboard>>;

/** Each list: its page size, a function that fills it and returns its path, and a pattern of its items. */
const lists: [string, number, (opened: Dashboard, count: number) => Promise<string>, RegExp][] = [
  [
    "payments",
    25,
    async ({ pay }, count) => {
      for (let index = 0; index < count; index++) await pay();
      return "/payments";
    },
    /href="[^"]*\/payments\/(pay_[^"]+)"/g,
  ],
  [
    "deliveries",
    20,
    async ({ createEndpoint, pay }, count) => {
      const { id } = await createEndpoint();
      for (let index = 0; index < count; index++) await pay();
      return `/webhooks/${id}`;
    },
    /name="event"\s+value="([^"]+)"/g,
  ],
  [
    "activity",
    50,
    async ({ service, accountId }, count) => {
      for (let index = 1; index <= count; index++) {
        await service.renameAccount(accountId, `Name ${index}.`, command);
      }
      return "/activity";
    },
    /renamed the account to\s+<bdi title="Name \d+\.">(Name \d+\.)<\/bdi>/g,
  ],
];

function findItems(mark: RegExp, { text }: { text: string }): (string | undefined)[] {
  return [...text.matchAll(mark)].map(([, item]) => item);
}

describe.each(lists)("the list of %s", (_, size, fill, mark) => {
  test("is newest first, and pages forward and back", async () => {
    const opened = await openDashboard();
    const { get } = await opened.signIn();
    const path = opened.at(await fill(opened, 2 * size + 1));
    const first = await get(path);
    expect(pageLinkOf(first, "prev")).toBeUndefined();
    const second = await get(pageLinkOf(first, "next") ?? "");
    const third = await get(pageLinkOf(second, "next") ?? "");
    expect(pageLinkOf(third, "next")).toBeUndefined();
    const items = [first, second, third].flatMap((page) => findItems(mark, page));
    expect([first, second].map((page) => findItems(mark, page).length)).toEqual([size, size]);
    expect(new Set(items).size).toBe(2 * size + 1);
    const back = await get(pageLinkOf(third, "prev") ?? "");
    expect(findItems(mark, back)).toEqual(findItems(mark, second));
    expect(findItems(mark, await get(pageLinkOf(back, "prev") ?? ""))).toEqual(
      findItems(mark, first),
    );
  });

  test.each(["starting_after=nonsense", "ending_before=x", "starting_after=x&ending_before=x"])(
    "refuses an invalid cursor: %s",
    async (query) => {
      const opened = await openDashboard();
      const { get } = await opened.signIn();
      const path = opened.at(await fill(opened, 1));
      expect((await get(`${path}?${query}`)).status).toBe(400);
    },
  );
});
