import * as fc from "fast-check";
import { expect, test } from "vitest";
import { webhookSchedule } from "../../../src/service/webhooks/delivery-state.ts";
import { declining, openSandbox, visa } from "../../testkit/client/running-service.ts";
import { openRecordingReceiver } from "../../testkit/service/webhooks.ts";

// PAYMENTS_MODEL_RUNS=1000 runs more years. A failure prints its seed and path for fc.assert.
const runs = Number(process.env["PAYMENTS_MODEL_RUNS"] ?? 12);

const hourMs = 3_600_000;
const durations = {
  "999ms": 999,
  "1s": 1_000,
  "3s": 3_000,
  "5m": 300_000,
  "3h": 3 * hourMs,
  "25h": 25 * hourMs,
  "12d": 12 * 24 * hourMs,
  "90d": 90 * 24 * hourMs,
};

const step = fc.oneof(
  fc.constantFrom(...(Object.keys(durations) as (keyof typeof durations)[])).map((by) => ({
    advance: by,
  })),
  fc.constantFrom("approved" as const, "declined" as const, "page" as const).map((create) => ({
    create,
  })),
  fc.constantFrom("a", "b").map((key) => ({ key })),
);

/** The end of a payment: its last status, and when, in Unix milliseconds. */
type Fate = { status: string; atMs: number };

/**
 * A year by a manual clock: each thing happens at its own time, and in order. Two endpoints receive each event; the
 * second one refuses each up to three times, by the number of its payment.
 */
test("each thing that is due happens at its own time, in order", async () => {
  const refusals = new Map<string, number>();
  const receiver = await openRecordingReceiver(({ path, event }, earlier) =>
    path === "/refusing" && earlier < (refusals.get(event.data.object.id) ?? 0) ? 500 : 200,
  );
  const { sandbox, client } = await openSandbox({ clock: "manual", seed: "model" });
  const startMs = sandbox.now() * 1000;

  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
      await sandbox.reset();
      receiver.arrivals.length = 0;
      refusals.clear();
      for (const path of ["/good", "/refusing"]) {
        await client.webhookEndpoints.create({ url: receiver.url(path) });
      }
      let nowMs = startMs;
      const fates = new Map<string, Fate>();
      const made = new Map<string, number>();
      const keys = new Map<string, { id: string; untilMs: number }>();
      const did = { settled: 0, expired: 0, delivered: 0, delivery_attempts: 0 };

      /** The response of each step, and the expected one. */
      const seen: unknown[] = [];
      const foreseen: unknown[] = [];
      const note = (id: string, fate: Fate) => {
        fates.set(id, fate);
        made.set(id, nowMs);
        refusals.set(id, fates.size % 4);
      };
      for (const each of steps) {
        if ("advance" in each) {
          const moved = await sandbox.advance(each.advance);
          nowMs += durations[each.advance];
          seen.push(moved.now);
          foreseen.push(Math.floor(nowMs / 1000));
          for (const name of Object.keys(did) as (keyof typeof did)[]) did[name] += moved.did[name];
        } else if ("key" in each) {
          const known = keys.get(each.key);
          const created = await client.payments.create(
            { amount: 100, currency: "eur", card: visa },
            { idempotencyKey: each.key },
          );
          const isReplayed = known !== undefined && nowMs < known.untilMs;
          seen.push(created.id === known?.id);
          foreseen.push(isReplayed);
          if (isReplayed) continue;
          keys.set(each.key, { id: created.id, untilMs: nowMs + 24 * hourMs });
          note(created.id, { status: "succeeded", atMs: nowMs });
        } else if (each.create === "page") {
          const { id } = await client.payments.createHosted({ amount: 200, currency: "usd" });
          note(id, { status: "failed", atMs: nowMs + 24 * hourMs });
        } else {
          const isDeclined = each.create === "declined";
          const card = isDeclined ? declining : visa;
          const { id } = await client.payments.create({ amount: 300, currency: "gbp", card });
          note(id, {
            status: isDeclined ? "failed" : "succeeded",
            atMs: isDeclined ? nowMs + 1_000 : nowMs,
          });
        }
      }
      // Webhooks that are due now go out at once, in the background: an advance of a moment waits for them.
      const last = await sandbox.advance("1ms");
      nowMs++;
      for (const name of Object.keys(did) as (keyof typeof did)[]) did[name] += last.did[name];

      expect(seen).toEqual(foreseen);
      const found = new Map<string, { status: string; at: number | null }>();
      for await (const page of client.payments.pages({}, Infinity)) {
        for (const { id, status, failed_at, succeeded_at } of page.data) {
          found.set(id, { status, at: failed_at ?? succeeded_at });
        }
      }
      const expected = [...fates].map(([id, { status, atMs }]) => {
        const isOver = atMs <= nowMs;
        const at = isOver ? Math.floor(atMs / 1000) : null;
        return [id, { status: isOver ? status : "pending", at }] as const;
      });
      expect(found).toEqual(new Map(expected));

      const times = receiver.arrivals.map(({ at }) => at);
      expect(times).toEqual(times.toSorted((one, other) => one - other));
      for (const [id, { status, atMs }] of fates) {
        const madeMs = made.get(id) ?? 0;
        const happened = [{ type: status, atMs }];
        if (atMs > madeMs) happened.unshift({ type: "pending", atMs: madeMs });
        for (const { type, atMs: eventMs } of happened) {
          const of = (path: string) =>
            receiver.arrivals.filter(
              (arrival) =>
                arrival.path === path &&
                arrival.event.data.object.id === id &&
                arrival.event.type === `payment.${type}`,
            );
          const isDue = eventMs <= nowMs;
          expect(of("/good").map(({ at }) => at)).toEqual(
            isDue ? [Math.floor(eventMs / 1000)] : [],
          );
          checkRetries(
            of("/refusing").map(({ at }) => at),
            {
              eventMs,
              nowMs,
              refused: refusals.get(id) ?? 0,
            },
          );
        }
      }
      const due = [...fates.entries()].filter(
        ([id, { atMs }]) => atMs <= nowMs && atMs > (made.get(id) ?? 0),
      );
      const pages = due.filter(([id]) => fates.get(id)!.atMs - made.get(id)! > 1_000).length;
      expect({ settled: did.settled, expired: did.expired }).toEqual({
        settled: due.length - pages,
        expired: pages,
      });
    }),
    { numRuns: runs },
  );
});

/** Each attempt comes as long after the one before as the schedule says, a tenth more or less; none is missing. */
function checkRetries(
  times: number[],
  { eventMs, nowMs, refused }: { eventMs: number; nowMs: number; refused: number },
): void {
  let before = { min: eventMs, max: eventMs };
  const expected = times.map((time, attempt) => {
    const stepMs = webhookSchedule[attempt] ?? 0;
    const min = Math.floor((before.min + stepMs * 0.9) / 1000);
    const max = Math.floor((before.max + stepMs * 1.1) / 1000);
    before = { min: time * 1000, max: time * 1000 + 999 };
    return [min, max];
  });
  expect(expected.map(([min = 0, max = 0], at) => min <= times[at]! && times[at]! <= max)).toEqual(
    times.map(() => true),
  );
  const isOver = times.length === refused + 1;
  const nextMs = before.max + (webhookSchedule[times.length] ?? 0) * 1.1;
  expect(isOver || (times.length <= refused && nextMs + 1 > nowMs)).toBe(true);
}
