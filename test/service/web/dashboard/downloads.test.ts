import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { PaymentsClient } from "../../../../src/client/client.ts";
import type { Role } from "../../../../src/contract/administration.ts";
import { serveBound } from "../../../testkit/service/bind-use-cases.ts";
import { body, declining } from "../../../testkit/client/running-service.ts";
import { createServiceEnv, runPayments } from "../../../testkit/command/run-payments.ts";
import { createTemporaryHome } from "../../../testkit/temporary.ts";
import { openUntilFileEnds } from "../../../testkit/open-until-file-ends.ts";
import { command, cookieIn, openDashboard } from "../../../testkit/pages/open-dashboard.ts";

/** The text of an answer, with the mark at its beginning. */
const readWhole = async (answer: Response) => Buffer.from(await answer.arrayBuffer()).toString();

const today = () => new Date().toISOString().slice(0, 10);

describe("a download", () => {
  let url = "";
  let database = "";
  let account = "";
  let env: Record<string, string> = {};
  let signIn: (role: Role) => Promise<string>;

  beforeAll(async () => {
    database = `sqlite:${join(createTemporaryHome(), "payments.db")}`;
    const running = await serveBound({
      database,
      host: "127.0.0.1",
      port: 0,
      processingTimeMs: 50,
      dashboard: {},
    });
    openUntilFileEnds(() => void running.close());
    const { service } = running;
    url = running.url;
    account = (await service.listAccounts())[0]?.id ?? "";
    const { key } = await service.createKey({ account, mode: "test", name: "=ci" }, command);
    env = createServiceEnv(url, key);
    const scope = { accountId: account, livemode: false };
    const amounts = Array.from({ length: 120 }, (_, index) => index + 1);
    const description = "=SUM(A1;B1)";
    await Promise.all(
      amounts.map(async (amount) => service.createPayment(scope, { ...body, amount, description })),
    );
    const client = new PaymentsClient({ baseUrl: url, apiKey: key });
    const { payments } = client;
    await payments.settled(await payments.create({ ...body, currency: "usd", card: declining }));
    await client.close();
    await service.createHostedPayment(scope, { amount: 7, currency: "gbp" });
    signIn = async (role) => {
      const invited = { name: "Ada", role, accounts: [account] };
      const { token } = await service.inviteOperator(invited, command);
      const { secret } = (await service.acceptInvitation(token))!;
      return `payments_session=${secret}`;
    };
  });

  const get = async (path: string, cookie: string) =>
    fetch(`${url}/dashboard/${account}/test${path}`, { headers: { cookie }, redirect: "manual" });
  const printSheet = async (...args: string[]) => print("list", "--all", "--spreadsheet", ...args);
  const print = async (...args: string[]) =>
    (await runPayments(args, { env: { ...env, TZ: "UTC" } })).stdout;

  test("has all payments as filtered, as the command's sheet in UTC", async () => {
    const cookie = await signIn("viewer");
    const answer = await get("/payments.csv?currency=eur&search=a1", cookie);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-type": "text/csv; charset=utf-8; header=present",
      "content-disposition": `attachment; filename="payments-${account}-test-${today()}.csv"`,
      "cache-control": "no-store",
    });
    const csv = await readWhole(answer);
    expect(csv.split("\n")).toHaveLength(122);
    expect(csv).toContain("'=SUM(A1;B1)");
    const filters = ["--currency", "eur", "--search", "a1"];
    expect(csv).toBe(await printSheet(...filters));
    expect(csv).toMatch(/^\uFEFFid,amount,.*,created \(UTC\),.*\npay_[\w-]+,1\.20,eur,succeeded,/);
    for (const status of ["failed", "failed,refunded"]) {
      const failed = await readWhole(await get(`/payments.csv?status=${status}`, cookie));
      expect(failed.split("\n")).toHaveLength(3);
      expect(failed).toBe(await printSheet("--status", status));
    }
  });

  test("has no link with which a customer pays", async () => {
    const csv = await (await get("/payments.csv?amount=0.07", await signIn("admin"))).text();
    expect(csv).toMatch(/\npay_.*,pending,/);
    expect(csv).not.toContain("/pay/");
  });

  test("has the report of the overview's days, by day or month", async () => {
    const cookie = await signIn("viewer");
    const day = today();
    for (const by of ["day", "month"]) {
      const answer = await get(`/report.csv?from=${day}&by=${by}`, cookie);
      expect(await answer.text()).toBe(
        await print("report", "--from", day, "--by", by, "-o", "csv"),
      );
    }
    const lastDays = await (await get("/report.csv", cookie)).text();
    expect(lastDays).toBe(await print("report", "--from", "29d", "-o", "csv"));
  });

  test("has the whole activity of the account, for an admin", async () => {
    const answer = await get("/activity.csv", await signIn("admin"));
    const name = answer.headers.get("content-disposition");
    expect(name).toBe(`attachment; filename="activity-${account}-${today()}.csv"`);
    const args = ["activity", "list", "--all", "-o", "csv", "--database", database];
    const csv = await answer.text();
    expect(csv).toContain(",'=ci,");
    expect(csv).toBe((await runPayments(args)).stdout);
  });

  test("is refused where its page is", async () => {
    const cookie = await signIn("support");
    expect((await get("/activity.csv", cookie)).status).toBe(403);
    for (const path of ["/payments.csv", "/report.csv", "/activity.csv"]) {
      expect((await get(path, "payments_session=none")).status).toBe(303);
    }
    for (const path of ["/payments.csv?amount=x", "/report.csv?from=x"]) {
      const wrong = await get(path, cookie);
      expect([wrong.status, wrong.headers.get("content-type")]).toEqual([
        400,
        "text/html; charset=utf-8",
      ]);
      expect(await wrong.text()).toContain('class="mistake"');
    }
  });
});

/** A dashboard that listens, over a list without an end; `onPage` is called before each of its pages. */
async function openEndless(onPage?: () => Promise<void> | void) {
  let pages = 0;
  const full = new Map<string, string[]>();
  const opened = await openDashboard({
    store: (real) => ({
      ...real,
      listPayments: async ({ accountId }) => {
        pages++;
        await onPage?.();
        return { items: full.get(accountId) ?? [], hasMore: true };
      },
    }),
  });
  const { app, accountId, invite, submit, at, service } = opened;
  const { id: otherId } = await service.createAccount({ name: "Books & Co" }, command);
  for (const id of [accountId, otherId]) {
    const scope = { accountId: id, livemode: false };
    const made = await service.createPayment(scope, { ...body, description: "d".repeat(500) });
    // The columns of each download follow from the first thousand pages, so a page is small.
    full.set(id, Array(10).fill(made.body) as string[]);
  }
  await app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = app.server.address() as AddressInfo;
  const { operatorId, path } = await invite("viewer", { accounts: [accountId, otherId] });
  const cookie = cookieIn(await submit(path));
  const send = (method = "GET", ofAccount = accountId) => {
    const page = at("/payments.csv", "test", ofAccount);
    const sent = request({ port, method, path: page, headers: { cookie } });
    onTestFinished(() => void sent.destroy());
    sent.on("error", () => {}).end();
    return sent;
  };
  /** Asks for the payments, and reads nothing of the answer's body. */
  const start = async (method?: string, ofAccount?: string): Promise<IncomingMessage> => {
    const sent = send(method, ofAccount);
    const [answer] = (await once(sent, "response")) as [IncomingMessage];
    return answer;
  };
  /** Waits until no more pages are read, while others are answered. */
  const waitForRest = async () =>
    expect
      .poll(async () => {
        const before = pages;
        for (let turn = 0; turn < 20; turn++) await service.listAccounts();
        return pages - before;
      })
      .toBe(0);
  return {
    ...opened,
    accountId,
    otherId,
    operatorId,
    send,
    start,
    waitForRest,
    countPages: () => pages,
  };
}

/** Reads an answer to its end; returns whether it was whole. */
async function drain(answer: IncomingMessage): Promise<boolean> {
  answer.on("error", () => {}).resume();
  await new Promise((resolve) => answer.once("close", resolve));
  return answer.complete;
}

describe("a download of endless pages", () => {
  test("waits for its reader, and ends when the client leaves", async () => {
    const { start, waitForRest, countPages } = await openEndless();
    const answer = await start();
    await waitForRest();
    const unread = countPages();
    answer.resume();
    await expect.poll(countPages).toBeGreaterThan(unread + 10);
    answer.destroy();
    await waitForRest();
  });

  test("reads no page for HEAD but the first", async () => {
    const { start, countPages, waitForRest } = await openEndless();
    const answer = await start("HEAD");
    expect([answer.statusCode, answer.headers["content-type"]]).toEqual([
      200,
      "text/csv; charset=utf-8; header=present",
    ]);
    await waitForRest();
    expect(countPages()).toBe(1);
  });

  test("is refused while six others of its account are in progress, or eight of all", async () => {
    const { start, otherId } = await openEndless();
    const started = await Promise.all(Array.from({ length: 6 }, async () => start()));
    expect(started.map(({ statusCode }) => statusCode)).toEqual(Array(6).fill(200));
    const seventh = await start();
    expect([seventh.statusCode, await text(seventh)]).toEqual([
      503,
      expect.stringContaining("Not available at the moment"),
    ]);
    const ofOther = [await start("GET", otherId), await start("GET", otherId)];
    expect(ofOther.map(({ statusCode }) => statusCode)).toEqual([200, 200]);
    expect((await start("GET", otherId)).statusCode).toBe(503);
    started[0]?.destroy();
    ofOther[0]?.destroy();
    await expect.poll(async () => (await start()).statusCode).toBe(200);
  });

  test("makes room for others when its client leaves before the first page", async () => {
    const gate = Promise.withResolvers<void>();
    const { app, send, start, countPages } = await openEndless(async () => gate.promise);
    const sent = Array.from({ length: 6 }, () => send());
    await expect.poll(countPages).toBe(6);
    const connected = async () =>
      new Promise((resolve) => app.server.getConnections((_, count) => resolve(count)));
    for (const each of sent) each.destroy();
    await expect.poll(connected).toBe(0);
    gate.resolve();
    await expect.poll(async () => (await start()).statusCode).toBe(200);
  });

  test("breaks off when a page fails", async () => {
    let isBroken = false;
    const { start } = await openEndless(() => {
      if (isBroken) throw new Error("broken");
    });
    const answer = await start();
    isBroken = true;
    expect(await drain(answer)).toBe(false);
  });

  test("breaks off when the operator is removed", async () => {
    const { start, service, accountId, operatorId } = await openEndless();
    const answer = await start();
    await service.removeOperator(operatorId, command, accountId);
    expect(await drain(answer)).toBe(false);
    expect((await start()).statusCode).toBe(404); // a member of the other account still
  });
});
