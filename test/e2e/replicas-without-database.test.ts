import { setTimeout as delay } from "node:timers/promises";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { endPostgres } from "../end-postgres.ts";
import { newSchema } from "../new-database.ts";
import { startPostgres, type Postgres } from "../start-postgres.ts";
import { startTcpProxy, type TcpProxy } from "../tcp-proxy.ts";
import { rowsOf, startReplicas } from "./replicas.ts";
import { card, isPassing, sender, type Outcome, type Sender } from "./sender.ts";

type Database = { postgres: Postgres; proxy: TcpProxy };
type Outage = {
  what: string;
  begin: (database: Database) => Promise<void>;
  end: (database: Database) => Promise<void>;
  forMs: number;
};

const outages: Outage[] = [
  {
    what: "is shut down and started again",
    begin: async ({ postgres }) => endPostgres(postgres, "SIGINT"),
    end: async ({ postgres }) => postgres.start(),
    forMs: 500,
  },
  {
    what: "crashes with all its processes and is started again",
    begin: async ({ postgres }) => endPostgres(postgres, "SIGKILL"),
    end: async ({ postgres }) => postgres.start(),
    forMs: 500,
  },
  {
    what: "answers nothing for 5 s, and then knows nothing of its connections",
    begin: async ({ proxy }) => {
      proxy.stall();
      proxy.forget();
    },
    end: async ({ proxy }) => proxy.resume(),
    forMs: 5_000,
  },
  {
    what: "refuses connections for 5 s",
    begin: async ({ proxy }) => proxy.refuse(),
    end: async ({ proxy }) => proxy.accept(),
    forMs: 5_000,
  },
];

const clients = 40;
const recoveryMs = 2_000;
/** A few seconds, on a machine that is busy with other things too. */
const longestAnswerMs = 10_000;

describe("two replicas under load, while their database", () => {
  let postgres: Postgres;
  beforeAll(async () => {
    postgres = await startPostgres(); // one whose commits are on disk
  });
  afterAll(async () => postgres.stop());

  it.each(outages)(
    "$what, say 503 in time, recover by themselves, and have each payment once",
    async ({ begin, end, forMs }) => {
      const database = await newSchema(postgres.url);
      const address = new URL(database);
      const proxy = await startTcpProxy({ host: address.hostname, port: Number(address.port) });
      onTestFinished(proxy.refuse);
      address.port = String(proxy.port);
      const replicas = await startReplicas(2, address.href);
      const { key } = await replicas.createKey();
      const load = startLoad(replicas.urls, sender(key));

      await delay(500);
      const beganAtMs = performance.now();
      await begin({ postgres, proxy });
      await delay(forMs);
      await end({ postgres, proxy });
      await isReachable(address.href);
      const reachableAtMs = performance.now();
      await load.isServedBy(replicas.urls, reachableAtMs);
      const { outcomes, acknowledged } = await load.end();

      expect(outcomes.filter((each) => each.status !== 201 && !isPassing(each))).toEqual([]);
      const during = outcomes.filter(
        ({ sentAtMs, endedAtMs }) => endedAtMs > beganAtMs && sentAtMs < reachableAtMs,
      );
      expect(during.filter(({ status }) => status === 503).length).toBeGreaterThan(0);
      expect(outcomes.filter(({ status }) => status === 0)).toEqual([]); // nobody crashed
      const longestMs = Math.max(
        ...outcomes.map(({ sentAtMs, endedAtMs }) => endedAtMs - sentAtMs),
      );
      expect(longestMs).toBeLessThan(longestAnswerMs);
      for (const url of replicas.urls) {
        const after = outcomes.filter((each) => each.url === url && isSuccess(each, reachableAtMs));
        const firstAtMs = Math.min(...after.map(({ endedAtMs }) => endedAtMs));
        expect(firstAtMs - reachableAtMs).toBeLessThan(recoveryMs);
      }
      const kept = await rowsOf<{ order: string; id: string }>(
        database,
        "SELECT payment::json->'metadata'->>'order' AS order, id FROM payments",
      );
      expect(kept).toHaveLength(acknowledged.size);
      expect(new Map(kept.map(({ order, id }) => [order, id]))).toEqual(acknowledged);
      expect(replicas.log()).not.toContain("internal_error");
    },
    90_000,
  );
});

type Answered = Outcome & { url: string };

/** Clients that each make one payment after the other, and send each until it is acknowledged. */
function startLoad(urls: string[], send: Sender) {
  const outcomes: Answered[] = [];
  const acknowledged = new Map<string, string>(); // order → id
  const ending = new AbortController();
  const running = Array.from({ length: clients }, async (_, client) => {
    for (let count = 0; !ending.signal.aborted; count++) {
      const order = `${client}-${count}`;
      const body = { amount: 4999, currency: "eur", card, metadata: { order } };
      const url = urls[client % urls.length] ?? "";
      for (let isDone = false; !isDone;) {
        const outcome = await send(url, { idempotencyKey: order, body });
        outcomes.push({ ...outcome, url });
        const isMade = outcome.status === 201;
        isDone = isMade || outcome.status === 0; // a replica that crashed
        if (isMade) acknowledged.set(order, (JSON.parse(outcome.body) as { id: string }).id);
        await delay(100);
      }
    }
  });
  return {
    /** Waits until each of them has been of use again, but not for ever. */
    isServedBy: async (all: string[], sinceMs: number) => {
      const isServing = (url: string) =>
        outcomes.some((each) => each.url === url && isSuccess(each, sinceMs));
      const untilMs = sinceMs + longestAnswerMs;
      while (!all.every(isServing) && performance.now() < untilMs) await delay(20);
    },
    end: async () => {
      ending.abort();
      await Promise.all(running);
      return { outcomes, acknowledged };
    },
  };
}

function isSuccess({ status, endedAtMs }: Outcome, sinceMs: number): boolean {
  return status === 201 && endedAtMs > sinceMs;
}

/** Waits until the database answers on the way that the service takes. */
async function isReachable(url: string): Promise<void> {
  for (;;) {
    const client = new Client({ connectionString: url, connectionTimeoutMillis: 500 });
    client.on("error", () => {});
    const answered = await client.connect().then(
      async () => client.query("SELECT 1").then(() => true),
      () => false,
    );
    void client.end().catch(() => {});
    if (answered) return;
    await delay(20);
  }
}
