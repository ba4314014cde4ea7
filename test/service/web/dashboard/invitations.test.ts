import { BlockList } from "node:net";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { shedLoad } from "../../../../src/service/http/shed-load.ts";
import { openDashboard, textOf } from "../../../testkit/pages/open-dashboard.ts";

const minuteMs = 60_000;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date", "performance"] }); // tests advance the time
});
afterEach(() => {
  vi.useRealTimers();
});

describe("an invitation", () => {
  test("names its operator, and stays valid until its button is pressed", async () => {
    const { invite, visit, submit, service, accountId } = await openDashboard();
    const other = await service.createAccount({ name: "Other & Sons" });
    const accounts = [accountId, other.id];
    const { path } = await invite("support", { name: "Grace <b>Hopper</b>", accounts });
    for (let times = 0; times < 3; times++) {
      const answer = await visit(path, { "sec-fetch-site": "cross-site" });
      expect(answer.status).toBe(200);
      expect(answer.headers["set-cookie"]).toBeUndefined();
      expect(answer.text).toContain("<bdi>Grace &lt;b&gt;Hopper");
      expect(textOf(answer)).toContain(
        "Support: can also see requests, refund and cancel payments",
      );
      expect(textOf(answer)).toContain("Default Other &amp; Sons");
    }
    expect((await submit(path)).status).toBe(303);
  });

  test("signs in once: used, expired, tampered and unknown links get the same page", async () => {
    const { invite, visit, submit } = await openDashboard();
    const used = await invite();
    await submit(used.path);
    const expired = await invite();
    vi.advanceTimersByTime(15 * minuteMs);
    const { path } = await invite();
    const tampered = `${path.slice(0, -1)}${path.endsWith("A") ? "B" : "A"}`;
    const pages = new Set<string>();
    for (const each of [used.path, expired.path, tampered, "/dashboard/invitations/%00"]) {
      for (const answer of [await visit(each), await submit(each)]) {
        expect(answer.status).toBe(404);
        expect(answer.headers["set-cookie"]).toBeUndefined();
        pages.add(answer.text);
      }
      vi.advanceTimersByTime(minuteMs); // resets the count of failures
    }
    expect(pages.size).toBe(1);
    expect([...pages].join()).toContain('href="/dashboard">Open the dashboard</a>');
    expect((await submit(path)).status).toBe(303);
  });

  test("is logged with the client's address if it is invalid, else with the operator", async () => {
    const { invite, visit, submit, logged } = await openDashboard();
    const { operatorId, path } = await invite();
    await visit("/dashboard/invitations/wrong");
    await submit(path);
    await expect.poll(() => logged).toHaveLength(2);
    expect(logged).toMatchObject([
      { fields: { status: 404, address: "127.0.0.1" } },
      { fields: { status: 303, operator_id: operatorId } },
    ]);
  });

  test("is logged without its token", async () => {
    const { invite, visit, logged } = await openDashboard();
    const { path } = await invite();
    await visit(path);
    expect(JSON.stringify(logged)).toContain("/dashboard/invitations/:token");
    expect(JSON.stringify(logged)).not.toContain(path);
  });
});

describe("a client that tries ten invalid links in a minute", () => {
  const trustedProxies = new BlockList();
  trustedProxies.addSubnet("127.0.0.0", 8);
  trustedProxies.addSubnet("10.0.0.0", 8);
  const wrong = "/dashboard/invitations/wrong";

  test("is refused until the minute is over, valid links included, also with load shedding", async () => {
    const shed = shedLoad({}, { eventLoopDelayMs: Infinity });
    const { invite, visit, submit, at, signIn } = await openDashboard({ app: { shedLoad: shed } });
    const { get } = await signIn();
    const { path } = await invite();
    for (let times = 0; times < 5; times++) {
      expect((await visit(wrong)).status).toBe(404);
      expect((await submit(wrong)).status).toBe(404);
    }
    vi.advanceTimersByTime(minuteMs / 2);
    for (const answer of [await visit(wrong), await visit(path), await submit(path)]) {
      expect(answer.status).toBe(429);
      expect(answer.headers["retry-after"]).toBe("30");
    }
    expect((await get(at("/payments"))).status).toBe(200);
    vi.advanceTimersByTime(minuteMs / 2);
    expect((await visit(path)).status).toBe(200);
    expect((await submit(path)).status).toBe(303);
  });

  test("is refused even if all requests are concurrent", async () => {
    const { visit } = await openDashboard();
    const answers = await Promise.all(Array.from({ length: 20 }, async () => visit(wrong)));
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(10);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(10);
  });

  test("is not refused for valid links", async () => {
    const { invite, visit } = await openDashboard();
    const { path } = await invite();
    for (let times = 0; times < 20; times++) expect((await visit(path)).status).toBe(200);
  });

  test.each([
    ["192.0.2.1", "192.0.2.2", true],
    ["192.0.2.1", "made-up, 192.0.2.2", true],
    ["192.0.2.1, 192.0.2.9", "192.0.2.2, 192.0.2.9", false],
    ["192.0.2.1, 10.0.0.7", "192.0.2.2, 10.0.0.7", true],
    ["192.0.2.1:443", "192.0.2.1:444", false],
    ["192.0.2.1:443", "192.0.2.2:443", true],
    ["2001:db8::1", "2001:db8::2", false],
    ["2001:db8::1", "2001:0DB8:0:0:ffff::2", false],
    ["2001:db8::1", "[2001:db8::2]:443", false],
    ["2001:db8::1", "2001:db8:0:1::1", true],
    ["2001:db8:0:1::", "2001:db8:0:1:2:3:4:5", false],
    ["::ffff:192.0.2.1", "192.0.2.1", false],
    ["nonsense", "other", false],
  ])(
    "is identified by the header of trusted proxies: %s and %s are different: %s",
    async (one, other, isDifferent) => {
      const { visit } = await openDashboard({ dashboard: { trustedProxies } });
      const from = async (address: string) => visit(wrong, { "x-forwarded-for": address });
      for (let times = 0; times < 10; times++) expect((await from(one)).status).toBe(404);
      expect((await from(one)).status).toBe(429);
      expect((await from(other)).status).toBe(isDifferent ? 404 : 429);
    },
  );

  test("cannot forge its address without a trusted proxy", async () => {
    const { visit } = await openDashboard();
    for (let times = 0; times < 10; times++) {
      await visit(wrong, { "x-forwarded-for": `192.0.2.${times}` });
    }
    expect((await visit(wrong, { "x-forwarded-for": "192.0.2.200" })).status).toBe(429);
  });
});
