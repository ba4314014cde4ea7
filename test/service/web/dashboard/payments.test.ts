import { describe, expect, test } from "vitest";
import { cardWith } from "../../../testkit/create-payment-body.ts";
import { fakeNetwork } from "../../../testkit/network/fake-network.ts";
import { openDashboard, saidIn } from "../../../testkit/pages/open-dashboard.ts";

type Dashboard = Awaited<ReturnType<typeof openDashboard>>;

async function payInTurn({ pay }: Dashboard, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index++) ids.push((await pay()).id);
  return ids;
}

/** The payments that a page links to, in its order. */
function listedIn({ text }: { text: string }): string[] {
  return [...text.matchAll(/href="[^"]*\/payments\/(pay_[^"]+)"/g)].map(([, id]) => id ?? "");
}

function linkIn({ text }: { text: string }, rel: "prev" | "next"): string | undefined {
  return new RegExp(`rel="${rel}"\\s+href="([^"]+)"`).exec(text)?.[1]?.replaceAll("&amp;", "&");
}

function dayOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 10);
}

describe("the list of payments", () => {
  test("is newest first, page by page, and back again", async () => {
    const opened = await openDashboard();
    const { signIn, at } = opened;
    const ids = (await payInTurn(opened, 60)).toReversed();
    const { get } = await signIn("viewer");
    const first = await get(at("/payments"));
    expect(listedIn(first)).toEqual(ids.slice(0, 25));
    expect(linkIn(first, "prev")).toBeUndefined();
    const second = await get(linkIn(first, "next") ?? "");
    expect(listedIn(second)).toEqual(ids.slice(25, 50));
    const third = await get(linkIn(second, "next") ?? "");
    expect(listedIn(third)).toEqual(ids.slice(50));
    expect(linkIn(third, "next")).toBeUndefined();
    const back = await get(linkIn(third, "prev") ?? "");
    expect(listedIn(back)).toEqual(ids.slice(25, 50));
    expect(listedIn(await get(linkIn(back, "prev") ?? ""))).toEqual(ids.slice(0, 25));
  });

  test("keeps its filters from page to page", async () => {
    const opened = await openDashboard();
    const { signIn, at, service } = opened;
    const ids = await payInTurn(opened, 27);
    const refunded = ids.filter((_, index) => index > 0);
    const scope = { accountId: opened.accountId, livemode: false };
    for (const id of refunded) await service.refundPayment(scope, id);
    const { get } = await signIn();
    const first = await get(at("/payments?status=refunded"));
    expect(listedIn(first)).toHaveLength(25);
    expect(listedIn(await get(linkIn(first, "next") ?? ""))).toEqual(refunded.slice(0, 1));
    expect(listedIn(await get(at("/payments?status=succeeded")))).toEqual(ids.slice(0, 1));
  });

  test("takes days in UTC, the last one whole", async () => {
    const { signIn, at, pay } = await openDashboard();
    const { id, created } = await pay();
    const [today, tomorrow] = [dayOf(created), dayOf(created + 86_400)];
    const { get } = await signIn();
    const listed = async (query: string) => listedIn(await get(at(`/payments?${query}`)));
    expect(await listed(`from=${today}&to=${today}`)).toEqual([id]);
    expect(await listed(`from=${tomorrow}`)).toEqual([]);
    expect(await listed(`to=${dayOf(created - 86_400)}`)).toEqual([]);
  });

  test.each(["2026-02-30", "yesterday", "0000-01-01", "2026-1-1"])(
    "says beside the field that %s is no day, and lists nothing",
    async (day) => {
      const { signIn, at, pay } = await openDashboard();
      await pay();
      const { get } = await signIn();
      const answer = await get(at(`/payments?from=${day}`));
      expect(answer.status).toBe(400);
      expect(saidIn(answer)).toContain("Write a date as 2026-11-30.");
      expect(listedIn(answer)).toEqual([]);
    },
  );

  test("leads to those of each status by a link, which keeps the days", async () => {
    const { signIn, at, pay } = await openDashboard();
    const { created } = await pay();
    const today = dayOf(created);
    const { get } = await signIn();
    const { text } = await get(at(`/payments?status=failed&to=${today}`));
    const links = [...text.matchAll(/<a\s+href="([^"]+)"([^>]*)>(All|[a-z]+)<\/a/g)].map(
      ([, address = "", rest = "", name]) => [
        name,
        address.replaceAll("&amp;", "&"),
        rest.includes('aria-current="true"'),
      ],
    );
    const list = at("/payments");
    expect(links).toEqual([
      ["All", `${list}?to=${today}`, false],
      ["succeeded", `${list}?status=succeeded&to=${today}`, false],
      ["failed", `${list}?status=failed&to=${today}`, true],
      ["refunded", `${list}?status=refunded&to=${today}`, false],
      ["pending", `${list}?status=pending&to=${today}`, false],
    ]);
    expect(text).toContain('<input type="hidden" name="status" value="failed" />');
  });

  test("says which status there is none of, and that a last day is before the first", async () => {
    const { signIn, at } = await openDashboard();
    const { get } = await signIn();
    for (const [query, mistake] of [
      ["status=lost", "Choose pending, succeeded, failed, refunded."],
      ["from=2026-11-30&to=2026-11-29", "Choose a day that is not before the first one."],
    ]) {
      const answer = await get(at(`/payments?${query}`));
      expect(answer.status).toBe(400);
      expect(saidIn(answer)).toContain(mistake);
      expect(saidIn(answer)).not.toMatch(/No payments match|No test payments/); // none was looked for
    }
  });

  test("says beside a failed one why it was declined", async () => {
    const { signIn, at, pay, service } = await openDashboard();
    await pay({ card: cardWith({ number: "4000000000009995" }) });
    await service.settlePayments();
    const { get } = await signIn();
    expect(saidIn(await get(at("/payments")))).toContain("failed insufficient_funds");
  });

  test.each([
    "starting_after=pay_unknown",
    "ending_before=x",
    "starting_after=pay_1&ending_before=pay_1",
  ])("is refused from a place that is none: %s", async (query) => {
    const { signIn, at } = await openDashboard();
    const { get } = await signIn();
    expect((await get(at(`/payments?${query}`))).status).toBe(400);
  });

  test("leads to a payment by its id, and says where there is none", async () => {
    const { signIn, at, pay } = await openDashboard();
    const { id } = await pay();
    const live = await pay({}, "live");
    const { get } = await signIn();
    const found = await get(at(`/payments?id=%20${id}%20`));
    expect([found.status, found.headers["location"]]).toEqual([303, at(`/payments/${id}`)]);
    for (const other of [live.id, "pay_unknown", "x/../y"]) {
      const answer = await get(at(`/payments?id=${encodeURIComponent(other)}`));
      expect(answer.status).toBe(404);
      expect(saidIn(answer)).toContain("no payment with this id in this account and mode");
      expect(answer.text).toContain(`value="${other}"`);
    }
  });

  test("shows each mode and account its own", async () => {
    const { signIn, at, pay, service, accountId } = await openDashboard();
    const [tried, live] = [await pay(), await pay({}, "live")];
    const other = await service.createAccount({ name: "Other" });
    const { get } = await signIn("admin", { accounts: [accountId, other.id] });
    expect(listedIn(await get(at("/payments")))).toEqual([tried.id]);
    const livePage = await get(at("/payments", "live"));
    expect(listedIn(livePage)).toEqual([live.id]);
    expect(saidIn(livePage)).toContain("LIVE Live data. The built-in simulator decides");
    const otherPage = await get(at("/payments", "test", other.id));
    expect(listedIn(otherPage)).toEqual([]);
    expect(saidIn(otherPage)).toContain("payments create --mode test");
  });

  test("says whether money moves", async () => {
    const { signIn, at } = await openDashboard({ network: () => fakeNetwork().network });
    const { get } = await signIn();
    expect(saidIn(await get(at("/payments", "live")))).toContain("LIVE Real money moves here.");
    expect(saidIn(await get(at("/payments")))).toContain("TEST No money moves here.");
  });

  test("shows what somebody else wrote as text", async () => {
    const { signIn, at, pay } = await openDashboard();
    const hostile = `"><script>alert(1)</script><img src=x onerror=alert(2)>\u202e`;
    await pay({
      description: hostile,
      customer: { email: `"<b>@x.example`, first_name: hostile },
      card: cardWith({ holder_name: hostile }),
    });
    const { get } = await signIn("viewer", { name: hostile });
    const answer = await get(at("/payments"));
    expect(answer.text).toMatch(/<summary>\s*<bdi>&quot;&gt;&lt;script&gt;/);
    expect(answer.text.match(/<script/g)).toHaveLength(1);
    expect(answer.text).not.toMatch(/<img|<b>@|\u202e/);
  });
});
