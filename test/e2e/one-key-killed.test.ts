import { join } from "node:path";
import { expect, test } from "vitest";
import { newDatabase } from "../testkit/database/open-database.ts";
import { createTemporaryFolder } from "../testkit/command/installed-command.ts";
import { startReplicas, urlOf } from "../testkit/deployment/replicas.ts";
import { card, sender, sendWithRetries, type Outcome } from "../testkit/deployment/load.ts";

/** PAYMENTS_KILLS=20 runs it longer. */
const kills = Number(process.env["PAYMENTS_KILLS"] ?? 1);
const keysBetween = 40;
const requestsOfKey = 12;

/** Two payments, and a refund that is refused itself: there is no such payment. */
const bodies = [
  { body: { amount: 1000, currency: "eur", card } },
  { body: { amount: 2000, currency: "eur", card } },
  { path: "/v1/payments/pay_none/refund" },
];

type Answer = { which: number; outcome: Outcome };

test("one key has one answer in two processes that get three bodies with it at once, and are killed", async () => {
  const database = await newDatabase(join(createTemporaryFolder(), "payments.db"));
  const replicas = await startReplicas(2, database);
  const { key } = await replicas.createKey();
  const send = sender(key);
  const urlAt = (at: number) => urlOf(replicas.ports[at % 2] ?? 0);
  const atOnce = new Map<string, Answer[]>();
  for (let kill = 0; kill <= kills; kill++) {
    for (let each = 0; each < keysBetween; each++) {
      const idempotencyKey = `key-${kill}-${each}`;
      const sent = Array.from({ length: requestsOfKey }, async (_, nth): Promise<Answer> => {
        const which = nth % bodies.length;
        const url = urlAt(Math.floor(nth / bodies.length));
        return { which, outcome: await send(url, { idempotencyKey, ...bodies[which] }) };
      });
      const killed =
        kill < kills && each === keysBetween - 1 ? replicas.ports[kill % 2] : undefined;
      if (killed) await Promise.race(sent);
      if (killed) await replicas.end(killed, "SIGKILL");
      atOnce.set(idempotencyKey, await Promise.all(sent));
      if (killed) await replicas.start(killed);
    }
  }

  const faults: unknown[] = [];
  for (const [idempotencyKey, answers] of atOnce) {
    const last: Outcome[] = [];
    for (const body of bodies) {
      last.push(await sendWithRetries(send, urlAt(0), { idempotencyKey, ...body }));
    }
    const winner = last.findIndex(({ status }) => status === 201);
    const again = last.map((outcome, which) => ({ which, outcome }));
    const isRight = ({ which, outcome: { status, code, body } }: Answer) =>
      which === winner
        ? status === 201 && body === last[winner]?.body
        : code === "idempotency_key_reused";
    // A killed or busy process answers nothing; a request may be refused itself before another one is recorded.
    const isOpen = ({ which, outcome: { status, code } }: Answer) =>
      status === 0 ||
      status === 503 ||
      code === "idempotency_key_in_use" ||
      (which === 2 && status === 404);
    faults.push(
      ...again.filter((each) => !isRight(each)),
      ...answers.filter((each) => !isRight(each) && !isOpen(each)),
    );
  }
  expect(faults).toEqual([]);
});
