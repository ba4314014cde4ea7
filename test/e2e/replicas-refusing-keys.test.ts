import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { newDatabase } from "../new-database.ts";
import { startReplicas } from "./replicas.ts";
import { card, isPassing, sender, type Outcome } from "./sender.ts";

const validMs = 1_000;
const clients = 5;

describe("a key that is revoked while three replicas work for it", () => {
  it("is refused by each of them within a second, and the other key of the account is not", async () => {
    const replicas = await startReplicas(3, await newDatabase());
    const [lost, kept] = [await replicas.createKey("lost"), await replicas.createKey("kept")];
    const over = new AbortController();
    const use = async (key: string) => {
      const send = sender(key);
      const outcomes = replicas.urls.map((): Outcome[] => []);
      const using = replicas.urls.flatMap((url, replica) =>
        Array.from({ length: clients }, async () => {
          while (!over.signal.aborted) {
            const body = { amount: 4999, currency: "eur", card };
            outcomes[replica]?.push(await send(url, { body }));
          }
        }),
      );
      await Promise.all(using);
      return outcomes;
    };
    const using = Promise.all([use(lost.key), use(kept.key)]);
    await replicas.revokeKey(lost.id);
    const revokedAtMs = performance.now();
    await delay(validMs + 500);
    over.abort();
    const [ofLost, ofKept] = await using;

    for (const outcomes of ofLost) {
      const since = outcomes.filter(
        (each) => each.sentAtMs > revokedAtMs + validMs && !isPassing(each),
      );
      expect(outcomes[0]?.status).toBe(201);
      expect(new Set(since.map(({ status, code }) => `${status} ${code}`))).toEqual(
        new Set(["401 invalid_api_key"]),
      );
    }
    const others = ofKept.flat().flatMap((each) => (isPassing(each) ? [] : [each.status]));
    expect(new Set(others)).toEqual(new Set([201]));
  }, 60_000);
});
