import { setTimeout as delay } from "node:timers/promises";
import { Client } from "pg";
import { expect, onTestFinished, test } from "vitest";
import { type Postgres, endPostgres, startPostgres } from "../testkit/database/start-postgres.ts";
import { newSchema } from "../testkit/database/open-database.ts";
import { startTcpProxy, type TcpProxy } from "../testkit/sockets/tcp-proxy.ts";
import {
  isDone,
  isTransient,
  readPayments,
  sender,
  startLoad,
} from "../testkit/deployment/load.ts";
import { startReplicas } from "../testkit/deployment/replicas.ts";

type Database = { postgres: Postgres; proxy: TcpProxy };
/** An outage of a database, and its end. */
type Outage = {
  begin: (database: Database) => Promise<void>;
  end: (database: Database) => Promise<void>;
};

const outages: Outage[] = [
  {
    // It crashes with all its processes and is restarted.
    begin: async ({ postgres }) => endPostgres(postgres, "SIGKILL"),
    end: async ({ postgres }) => postgres.start(),
  },
  {
    // It is fenced, so that it only reads.
    begin: async ({ postgres }) => fence(postgres, "on"),
    end: async ({ postgres }) => fence(postgres, "off"),
  },
  {
    // It answers nothing for a while, and then knows nothing of its connections.
    begin: async ({ proxy }) => {
      proxy.stall();
      proxy.drop();
    },
    end: async ({ proxy }) => proxy.resume(),
  },
];

/** Generous: it only proves that requests end, on a busy machine too. */
const maxResponseMs = 30_000;

test("two replicas under load, while their database is lost in several ways, say 503, recover by themselves, and have each payment and refund once", async () => {
  const postgres = await startPostgres(); // one whose commits are on disk
  onTestFinished(postgres.stop);
  const database = await newSchema(postgres.url);
  const address = new URL(database);
  const proxy = await startTcpProxy({ host: address.hostname, port: Number(address.port) });
  onTestFinished(proxy.refuse);
  address.port = String(proxy.port);
  const replicas = await startReplicas(2, address.href);
  const { key } = await replicas.createKey();
  const load = startLoad(replicas.urls, sender(key));

  await load.untilServed(replicas.urls, 0);
  for (const { begin, end } of outages) {
    const beganAtMs = performance.now();
    await begin({ postgres, proxy });
    await load.untilRefused(replicas.urls, beganAtMs);
    await end({ postgres, proxy });
    await waitUntilReachable(address.href);
    await load.untilServed(replicas.urls, performance.now());
  }
  const { outcomes, acknowledged } = await load.end();

  expect(outcomes.filter((each) => !isDone(each) && !isTransient(each))).toEqual([]);
  expect(outcomes.filter(({ status }) => status === 0)).toEqual([]); // no replica crashed
  const longestMs = Math.max(...outcomes.map(({ sentAtMs, endedAtMs }) => endedAtMs - sentAtMs));
  expect(longestMs).toBeLessThan(maxResponseMs);
  expect(await readPayments(database)).toEqual(acknowledged);
  expect(replicas.log()).not.toContain("internal_error");
});

async function fence({ url }: Postgres, readOnly: "on" | "off"): Promise<void> {
  const client = new Client(url);
  await client.connect();
  await client.query(`ALTER SYSTEM SET default_transaction_read_only = ${readOnly}`);
  await client.query("SELECT pg_reload_conf()");
  await client.end();
}

/** Waits until the database answers through the proxy. */
async function waitUntilReachable(url: string): Promise<void> {
  for (;;) {
    const client = new Client({ connectionString: url, connectionTimeoutMillis: 500 });
    client.on("error", () => {});
    const isAnswering = await client.connect().then(
      async () => client.query("SELECT 1").then(() => true),
      () => false,
    );
    void client.end().catch(() => {});
    if (isAnswering) return;
    await delay(20);
  }
}
