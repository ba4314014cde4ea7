import { describe, expect, it } from "vitest";
import { newDatabase } from "../testkit/database/open-database.ts";
import {
  pickRandom,
  queryDatabase,
  startReplicas,
  urlOf,
  type Replicas,
} from "../testkit/deployment/replicas.ts";
import {
  card,
  isTransient,
  isUnsent,
  sender,
  type Outcome,
  type Sender,
  type Sent,
  sendWithRetries,
} from "../testkit/deployment/load.ts";

const amount = 4999;
const clients = 30;

describe("two replicas on one database, of which one after the other is killed and restarted,", () => {
  it("make exactly 80 payments of 80 keys that 30 clients send 6 times each", async () => {
    const database = await newDatabase();
    const replicas = await startReplicas(2, database);
    const send = sender((await replicas.createKey()).key);
    const orders = Array.from({ length: 80 }, (_, index) => `order-${index}`);
    const creations = orders.map((order) => ({
      idempotencyKey: order,
      body: { amount, currency: "eur", card, metadata: { order } },
    }));
    const outcomes = await sendUnderKills(replicas, send, repeat(creations, 6), 2);
    expect(findUnexpected(outcomes)).toEqual([]);

    // A retry has the same response as the first request.
    for (const creation of creations) {
      const last = await sendUntilAnswered(replicas, send, creation);
      outcomes.get(creation.idempotencyKey)?.push(last);
    }
    const bodies = [...outcomes].map(([order, of]) => [order, bodiesOf(of)] as const);
    expect(bodies.filter(([, different]) => different.size !== 1)).toEqual([]);
    const rows = await queryDatabase<{ order: string; payment: string }>(
      database,
      "SELECT payment::json->'metadata'->>'order' AS order, payment FROM payments",
    );
    expect(rows).toHaveLength(80);
    expect(new Map(rows.map(({ order, payment }) => [order, new Set([payment])]))).toEqual(
      new Map(bodies),
    );
    expect(await listIds(replicas, send)).toEqual(
      rows.map(({ payment }) => (JSON.parse(payment) as { id: string }).id).toSorted(),
    );
    expect(replicas.log()).not.toContain("internal_error");
  });
});

type Keyed = Sent & { idempotencyKey: string };

/** Sends all requests to random replicas, and kills and restarts one of them from time to time. */
async function sendUnderKills(replicas: Replicas, send: Sender, all: Keyed[], kills: number) {
  const outcomes = new Map<string, Outcome[]>(
    all.map(({ idempotencyKey }) => [idempotencyKey, []]),
  );
  let sent = 0;
  const marks = Array.from({ length: kills }, (_, index) => {
    const mark = Promise.withResolvers<void>();
    return { at: Math.floor((all.length * (index + 0.5)) / kills), ...mark };
  });
  const killing = (async () => {
    for (const { promise } of marks) {
      await promise;
      const port = pickRandom(replicas.ports);
      await replicas.end(port, "SIGKILL");
      await replicas.start(port);
    }
  })();
  const sending = Array.from({ length: clients }, async () => {
    for (let next = all[sent++]; next; next = all[sent++]) {
      marks.find(({ at }) => at === sent)?.resolve();
      outcomes.get(next.idempotencyKey)?.push(await sendToOne(replicas, send, next));
    }
  });
  await Promise.all([...sending, killing]);
  return outcomes;
}

/** Sends to a replica that listens. */
async function sendToOne(replicas: Replicas, send: Sender, sent: Sent): Promise<Outcome> {
  for (;;) {
    const outcome = await send(urlOf(pickRandom(replicas.ports)), sent);
    if (!isUnsent(outcome)) return outcome;
  }
}

/** Sends until there is a final response. */
async function sendUntilAnswered(replicas: Replicas, send: Sender, sent: Sent): Promise<Outcome> {
  const toAnyReplica: Sender = async (_, request) => sendToOne(replicas, send, request);
  return await sendWithRetries(toAnyReplica, "", sent);
}

/** The responses that no replica may ever give. */
function findUnexpected(outcomes: Map<string, Outcome[]>): Outcome[] {
  const all = [...outcomes.values()].flat();
  return all.filter((outcome) => outcome.status !== 201 && !isTransient(outcome));
}

function bodiesOf(outcomes: Outcome[]): Set<string> {
  const done = outcomes.filter(({ status }) => status === 201);
  return new Set(done.map(({ body }) => body));
}

async function listIds(replicas: Replicas, send: Sender): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor = "", more = true; more;) {
    const page = await send(pickRandom(replicas.urls), { path: `/v1/payments?limit=100${cursor}` });
    const { data, has_more } = JSON.parse(page.body) as {
      data: { id: string }[];
      has_more: boolean;
    };
    ids.push(...data.map(({ id }) => id));
    cursor = `&starting_after=${ids.at(-1)}`;
    more = has_more;
  }
  return ids.toSorted();
}

function repeat<T>(all: T[], times: number): T[] {
  const many = Array.from({ length: times }, () => all).flat();
  return many
    .map((one) => ({ one, order: Math.random() }))
    .toSorted((a, b) => a.order - b.order)
    .map(({ one }) => one);
}
