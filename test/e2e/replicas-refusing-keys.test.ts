import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { newDatabase } from "../testkit/database/new-database.ts";
import { startReplicas } from "../testkit/deployment/replicas.ts";
import { card, isPassing, sender, type Outcome } from "../testkit/deployment/sender.ts";

const validMs = 1_000;
const clients = 2;

const isAccepted = (outcomes: Outcome[]) => outcomes.some(({ status }) => status === 201);

describe("a key that is revoked while three replicas work for it", () => {
  it("is refused by each of them within a second, and the other key of the account is not", async () => {
    const replicas = await startReplicas(3, await newDatabase());
    const [lost, kept] = [await replicas.createKey("lost"), await replicas.createKey("kept")];
    const over = new AbortController();
    const use = (key: string) => {
      const send = sender(key);
      const outcomes = replicas.urls.map((): Outcome[] => []); // of each replica
      const ended = replicas.urls.flatMap((url, replica) =>
        Array.from({ length: clients }, async () => {
          while (!over.signal.aborted) {
            const body = { amount: 4999, currency: "eur", card };
            outcomes[replica]?.push(await send(url, { body }));
            await delay(10);
          }
        }),
      );
      return { outcomes, ended: Promise.all(ended) };
    };
    const [ofLost, ofKept] = [use(lost.key), use(kept.key)];
    await expect.poll(() => ofLost.outcomes.every(isAccepted)).toBe(true);
    await replicas.revokeKey(lost);
    const revokedAtMs = performance.now();
    const sinceThen = (outcomes: Outcome[]) =>
      outcomes.filter((each) => each.sentAtMs > revokedAtMs + validMs && !isPassing(each));
    await expect.poll(() => ofLost.outcomes.every((each) => sinceThen(each).length > 3)).toBe(true);
    over.abort();
    await Promise.all([ofLost.ended, ofKept.ended]);

    for (const outcomes of ofLost.outcomes) {
      const since = sinceThen(outcomes);
      expect(new Set(since.map(({ status, code }) => `${status} ${code}`))).toEqual(
        new Set(["401 invalid_api_key"]),
      );
    }
    const others = ofKept.outcomes.flat().flatMap((each) => (isPassing(each) ? [] : [each.status]));
    expect(new Set(others)).toEqual(new Set([201]));
  });
});
