import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "undici";
import { createApp } from "../src/service/http/app.ts";
import { loadPages } from "../src/service/server/open-front.ts";
import { openBoundService } from "../test/testkit/service/bind-use-cases.ts";
import { countAll } from "./count-all.ts";
import { type Figure, median } from "./figure.ts";
import { loadPayments } from "./load-payments.ts";
import { createSearchedPayments, type SearchedPayments } from "./searched-payments.ts";

/** PAYMENTS_DASHBOARD_SIZE=1000000 tries it with fewer. */
const many = Number(process.env["PAYMENTS_DASHBOARD_SIZE"] ?? 10_000_000);
const sizes = [10_000, many];
const rounds = 200;
const actor = { type: "command", id: null, name: "bench" } as const;
const dayMs = 24 * 60 * 60 * 1_000;

/**
 * The time to the first byte of each page of the dashboard with many payments against that with few, of the same days.
 * The service runs without its jobs, so that nothing is indexed meanwhile; `search` measures what searches.
 */
export async function measureDashboardPages(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "payments-bench-"));
  const opened = [];
  for (const count of sizes)
    opened.push(await open(`sqlite:${join(folder, `${count}.db`)}`, count));
  const figures: Figure[] = [];
  for (const what of Object.keys(opened[0]?.paths ?? {})) {
    const timesMs = new Map<object, number[]>(opened.map((each) => [each, []]));
    for (let round = -10; round < rounds; round++) {
      // Each is first in turn: what one request leaves behind, the next one cleans up.
      for (const each of round % 2 === 0 ? opened : opened.toReversed()) {
        const ms = await each.request(each.paths[what] ?? "");
        if (round >= 0) timesMs.get(each)?.push(ms); // the first ones warm up
      }
    }
    const [fewMs = 0, manyMs = 0] = opened.map((each) => median(timesMs.get(each) ?? []));
    figures.push({
      what,
      ours: `of ${many}: ${manyMs.toFixed(2)} ms`,
      compared: `of ${sizes[0]}: ${fewMs.toFixed(2)} ms`,
      ratio: manyMs / fewMs,
      floor: "≤ 1.5",
    });
  }
  for (const { close } of opened) await close();
  rmSync(folder, { recursive: true });
  return figures;
}

/** The dashboard over a new database with payments, all of which are counted, and an admin who has signed in. */
async function open(database: string, count: number) {
  const startMs = performance.now();
  const payments = createSearchedPayments(count, Date.now());
  await loadPayments(database, payments);
  await countAll(database);
  console.log(`${count} payments in ${Math.round((performance.now() - startMs) / 1_000)} s`);
  let url = "";
  const { service, close } = await openBoundService({ database }, { publicUrl: () => url });
  const publicUrl = () => url;
  const app = createApp(service, {
    docsUrl: publicUrl,
    publicUrl,
    pages: await loadPages(service, publicUrl, {}),
  });
  url = await app.listen({ host: "127.0.0.1", port: 0 });
  const client = new Client(url, { pipelining: 1 });
  const [account] = await service.listAccounts();
  const accountId = account?.id ?? "";
  const invited = { name: "Ada", role: "admin", accounts: [accountId] } as const;
  const { operator, token } = await service.inviteOperator(invited, actor);
  const { headers } = await client.request({
    method: "POST",
    path: `/dashboard/invitations/${token}`,
    headers: { "sec-fetch-site": "same-origin" },
  });
  const cookie = String(headers["set-cookie"]).split(";", 1).join("");
  const endpoint = await service.createEndpoint(
    { accountId, livemode: false },
    { url: "https://shop.example/hooks" },
    undefined,
    actor,
  );
  const key = await service.createKey({ account: accountId, mode: "test", name: "shop" }, actor);
  const at = `/dashboard/${accountId}/test`;
  return {
    paths: listPaths(at, payments, {
      endpoint: (JSON.parse(endpoint.body) as { id: string }).id,
      key: key.id,
      operator: operator.id,
    }),
    /** The milliseconds to the head of an answer, which comes with the first byte of its page. */
    request: async (path: string): Promise<number> => {
      const startedMs = performance.now();
      const { statusCode, body } = await client.request({
        method: "GET",
        path,
        headers: { cookie },
      });
      const ms = performance.now() - startedMs;
      const text = await body.text();
      if (statusCode !== 200) throw new Error(`${path}: ${statusCode} ${text.slice(0, 300)}`);
      return ms;
    },
    close: async () => {
      await client.close();
      await app.close();
      await close();
    },
  };
}

function listPaths(
  at: string,
  payments: SearchedPayments,
  ids: { endpoint: string; key: string; operator: string },
): Record<string, string> {
  const middle = Math.floor(payments.count / 2);
  const refundable = findSucceeded(payments, middle);
  return {
    overview: at,
    "overview of 7 days": `${at}?days=7`,
    "overview of 90 days": `${at}?days=90`,
    "overview in another currency": `${at}?currency=usd`,
    payments: `${at}/payments`,
    "payments, in the middle": `${at}/payments?starting_after=${payments.createId(middle)}`,
    "payments by status": `${at}/payments?status=failed`,
    "payments of a year ago": `${at}/payments?from=${formatDaysAgo(370)}&to=${formatDaysAgo(360)}`,
    "a payment": `${at}/payments/${refundable}`,
    "a refund": `${at}/payments/${refundable}/refund`,
    requests: `${at}/requests`,
    keys: `${at}/keys`,
    "a key to roll": `${at}/keys/${ids.key}/roll`,
    webhooks: `${at}/webhooks`,
    "a webhook endpoint": `${at}/webhooks/${ids.endpoint}`,
    team: `${at}/team`,
    "an operator": `${at}/team/${ids.operator}`,
    activity: `${at}/activity`,
    settings: `${at}/settings`,
  };
}

function findSucceeded({ create }: SearchedPayments, from: number): string {
  for (let index = from; ; index++) {
    const { id, status } = create(index);
    if (status === "succeeded") return id;
  }
}

function formatDaysAgo(daysAgo: number): string {
  return new Date(Date.now() - daysAgo * dayMs).toISOString().slice(0, "2026-11-01".length);
}
