import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { PaymentList } from "../../src/contract/list-object.ts";
import type { Payment } from "../../src/contract/payment.ts";
import { newDatabase } from "../testkit/database/new-database.ts";
import { oneOf, startReplicas, type Replicas } from "../testkit/deployment/replicas.ts";
import { card, sender, untilAnswered, type Sender } from "../testkit/deployment/sender.ts";

const declined = { ...card, number: "4000000000000002" };

describe("payments listed page by page, each page by any of three replicas that go on making payments,", () => {
  it("are each there once if they were at the start, both ways, whatever the filters", async () => {
    const replicas = await startReplicas(3, await newDatabase(), "--processing-time", "1h");
    const send = sender((await replicas.createKey()).key, 20);
    const before: Payment[] = [];
    for (let second = 0; second < 3; second++) {
      if (second > 0) await delay(1_001); // so that a range of creation times can tell them apart
      const creating = Array.from({ length: 60 }, async (_, index) =>
        create(replicas, send, index % 3 === 0 ? declined : card),
      );
      before.push(...(await Promise.all(creating)));
    }
    before.sort((a, b) => (a.id < b.id ? 1 : -1)); // newest first
    const oldest = before.at(-1) as Payment;
    const times = [...new Set(before.map(({ created }) => created))].toSorted((a, b) => a - b);
    const [gte = 0, lt = 0] = [times[1], times.at(-1)];
    const inRange = ({ created }: Payment) => created >= gte && created < lt;

    const inserting = startInserting(replicas, send);
    const cases: [filter: string, holds: (payment: Payment) => boolean][] = [
      ["", () => true],
      ["&status=pending", ({ status }) => status === "pending"],
      [`&created[gte]=${gte}&created[lt]=${lt}`, inRange],
      [
        `&status=succeeded&created[gte]=${gte}&created[lt]=${lt}`,
        (payment) => payment.status === "succeeded" && inRange(payment),
      ],
    ];
    for (const [filter, holds] of cases) {
      const expected = before.filter(holds).map(({ id }) => id);
      expect(expected.length).toBeGreaterThan(20);
      const isOld = (id: string) => id <= (before[0]?.id ?? "");
      const forward = await travel(replicas, send, filter, undefined);
      expect(forward.filter(isOld)).toEqual(expected);
      const backward = await travel(replicas, send, filter, { from: oldest.id, isOld });
      const passed = expected.filter((id) => id !== oldest.id).toReversed();
      expect(backward.filter(isOld)).toEqual(passed);
    }
    await expect.poll(inserting.count).toBeGreaterThan(20);
    await inserting.end();
  });
});

async function create(replicas: Replicas, send: Sender, of: object): Promise<Payment> {
  const body = { amount: 4999, currency: "eur", card: of };
  const { status, body: answer } = await untilAnswered(send, oneOf(replicas.urls), {
    idempotencyKey: randomUUID(),
    body,
  });
  expect(status).toBe(201);
  return JSON.parse(answer) as Payment;
}

/** Makes payments of both kinds on every replica until it is ended, and counts them. */
function startInserting(replicas: Replicas, send: Sender) {
  let count = 0;
  const over = new AbortController();
  const inserting = Array.from({ length: 6 }, async () => {
    while (!over.signal.aborted) {
      await create(replicas, send, oneOf([card, declined]));
      count++;
    }
  });
  return {
    count: () => count,
    end: async () => {
      over.abort();
      await Promise.all(inserting);
    },
  };
}

/** The ids met on the way from the newest to the oldest, or from an old one to all newer ones. */
async function travel(
  replicas: Replicas,
  send: Sender,
  filter: string,
  backward: { from: string; isOld: (id: string) => boolean } | undefined,
): Promise<string[]> {
  const met: string[] = [];
  let cursor = backward ? `&ending_before=${backward.from}` : "";
  for (;;) {
    const { status, body } = await untilAnswered(send, oneOf(replicas.urls), {
      path: `/v1/payments?limit=10${filter}${cursor}`,
    });
    expect(status).toBe(200);
    const { data, has_more } = JSON.parse(body) as PaymentList;
    const ids = data.map(({ id }) => id);
    met.push(...(backward ? ids.toReversed() : ids));
    const last = met.at(-1);
    if (!has_more || (backward && last && !backward.isOld(last))) return met;
    cursor = backward ? `&ending_before=${last}` : `&starting_after=${last}`;
  }
}
