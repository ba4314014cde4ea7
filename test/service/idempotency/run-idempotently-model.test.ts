import { setTimeout as delay } from "node:timers/promises";
import * as fc from "fast-check";
import { expect, inject, test } from "vitest";
import type { Payment } from "../../../src/contract/payment.ts";
import type { Response } from "../../../src/service/idempotency/run-idempotently.ts";
import type { Scope } from "../../../src/service/database/scope.ts";
import type { StoredRecord } from "../../../src/service/idempotency/idempotency-store.ts";
import { openStore } from "../../../src/service/server/open-service.ts";
import { newAccount } from "../../testkit/database/records.ts";
import { openEmptyDatabase } from "../../testkit/database/open-database.ts";
import { type Fault, createNetworks, listPayments } from "../../testkit/service/charges-network.ts";
import { startReplica, type Service } from "../../testkit/service/charges-world.ts";
import { bodyWith } from "../../testkit/service/open-test-service.ts";

// Two processes on one database get many requests of three bodies with one idempotency key, and are killed at any
// step. Whatever their order, the record that is stored in the end says how each should have been answered: the same
// body with the one response, or that its key is in use, another body with a refusal. A request that is refused itself
// is not recorded, and refuses no other.

// PAYMENTS_MODEL_RUNS=10000 runs more cases. A failure prints its seed and path for fc.assert.
const defaultRuns = inject("postgresUrl") === undefined ? 150 : 40;
const runs = Number(process.env["PAYMENTS_MODEL_RUNS"] ?? defaultRuns);

const kinds = ["create", "create another", "refund", "refund nothing"] as const;
type Kind = (typeof kinds)[number];

const at = fc.constantFrom(0, 1);
const body = fc.constantFrom(0, 1, 2);
const command = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant("send"),
      at,
      body,
      times: fc.integer({ min: 1, max: 4 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("kill", "settle"), at }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("wait"), ms: fc.constantFrom(500, 31_000) }),
  },
);
const story = fc.record({
  bodies: fc.shuffledSubarray([...kinds], { minLength: 3, maxLength: 3 }),
  /** In live mode a network is asked, and the record is stored before. */
  livemode: fc.boolean(),
  /** After many a command comes no step, so that requests run at once. */
  commands: fc.array(fc.tuple(command, fc.oneof(fc.constant(0), fc.nat(6))), {
    minLength: 3,
    maxLength: 16,
  }),
});
const fates = fc.infiniteStream(fc.constantFrom<Fault>("none", "none", "answer lost", "slow"));

test(
  "one key has one answer, whatever two processes are sent with it at once, until they are killed",
  { timeout: 300_000 + runs * 500 },
  async () => {
    const property = fc.asyncProperty(story, fates, fc.scheduler(), async (drawn, faults, s) => {
      const opened = await openEmptyDatabase();
      await play(opened, drawn, () => faults.next().value, s).finally(opened.giveBack);
    });
    await expect(fc.assert(property, { numRuns: runs })).resolves.toBeUndefined();
  },
);

type Opened = Awaited<ReturnType<typeof openEmptyDatabase>>;
type Story = typeof story extends fc.Arbitrary<infer T> ? T : never;
type Answer = {
  kind: Kind;
  /** The record that was stored before the request was sent. */
  before: StoredRecord | undefined;
  /** When nothing was in flight. */
  isLast: boolean;
  response?: Response;
  error?: unknown;
};

const key = "one-key";
const network = "https://adapter.test";

async function play(
  { openAnother }: Opened,
  { bodies, livemode, commands }: Story,
  nextFault: () => Fault,
  scheduler: fc.Scheduler,
): Promise<void> {
  const stores = [await openAnother(), await openAnother()].map(async (driver) =>
    openStore(driver, newAccount()),
  );
  const store = await stores[0]!;
  const scope = { accountId: (await store.listAccounts())[0]?.id ?? "", livemode };
  let isCalm = true;
  let nowMs = Date.UTC(2026, 10, 15, 12);
  const networks = createNetworks([network], () => (isCalm ? "none" : nextFault()));
  const problems: unknown[] = [];
  const start = async (which: number) =>
    startReplica(
      { name: network, network: networks.networkAt(network) },
      {
        store: await stores[which]!,
        clock: () => nowMs,
        hppExpiryMs: 60_000,
        timeouts: { keyMs: 100, refundMs: 0 },
        scheduler: () => (isCalm ? undefined : scheduler),
        observeChallenge: () => {},
        broken: (error) => problems.push(error),
      },
    );
  const processes = [await start(0), await start(1)];
  const processAt = (which: number) => processes[which]!;
  const settle = async (which: number) => {
    const { service, settleCharges } = processAt(which);
    await Promise.all([service.settlePayments(), settleCharges()]).catch((error: unknown) =>
      problems.push(error),
    );
  };
  const paid = await processAt(0).service.createPayment(scope, bodyWith());
  const { id: paidId } = JSON.parse(paid.body) as Payment;
  isCalm = false;

  const answers: Answer[] = [];
  const send = async (which: number, kind: Kind) => {
    const { service } = processAt(which);
    const isLast = isCalm;
    const before = await store.findStoredResponse(scope, key, nowMs);
    const outcome = await ask(service, { scope, kind, paidId }).then(
      (response) => ({ response }),
      (error: unknown) => ({ error }),
    );
    answers.push({ kind, before, isLast, ...outcome });
  };
  const begin = (which: number, work: () => Promise<void>) => {
    const { under } = processAt(which);
    const piece = Symbol("a piece of work");
    under.add(piece);
    void work().finally(() => under.delete(piece));
  };
  for (const [each, steps] of commands) {
    switch (each.do) {
      case "send":
        for (let time = 0; time < each.times; time++)
          begin(each.at, async () => send(each.at, bodies[each.body]!));
        break;
      case "settle":
        begin(each.at, async () => settle(each.at));
        break;
      case "kill":
        processAt(each.at).kill();
        processes[each.at] = await start(each.at);
        break;
      default:
        nowMs += each.ms;
    }
    for (let step = 0; step < steps; step++) await stepOf(scheduler);
  }
  while (processes.some(({ under }) => under.size > 0)) await stepOf(scheduler);
  while (scheduler.count() > 0) await scheduler.waitOne(); // of killed ones

  isCalm = true;
  for (let minute = 0; minute < 3; minute++) {
    nowMs += 61_000;
    await settle(minute % 2);
  }
  for (const kind of [...bodies, ...bodies]) for (const which of [0, 1]) await send(which, kind);
  if (problems.length > 0) throw problems[0];
  const record = await store.findStoredResponse(scope, key, nowMs);
  for (const answer of answers) checkAnswer(answer, record);
  const winner = record?.fingerprint;
  const payments = await listPayments(store, scope);
  expect(payments).toHaveLength(winner?.startsWith("create") ? 2 : 1);
  const isRefunded = payments.find(({ id }) => id === paidId)?.status === "refunded";
  expect(isRefunded).toBe(winner === "refund");
}

async function stepOf(scheduler: fc.Scheduler): Promise<void> {
  if (scheduler.count() > 0) await scheduler.waitOne();
  else await delay(1);
}

async function ask(
  service: Service,
  { scope, kind, paidId }: { scope: Scope; kind: Kind; paidId: string },
): Promise<Response> {
  const request = { key, fingerprint: kind };
  switch (kind) {
    case "create":
      return await service.createPayment(scope, bodyWith(), request);
    case "create another":
      return await service.createPayment(scope, bodyWith({ amount: 1 }), request);
    case "refund":
      return await service.refundPayment(scope, paidId, request);
    case "refund nothing":
      return await service.refundPayment(scope, "pay_none", request);
    default:
      return kind satisfies never;
  }
}

/** Checks what a request was answered against the record that is stored in the end. */
function checkAnswer(answer: Answer, record: StoredRecord | undefined): void {
  const { kind, before, isLast, response, error } = answer;
  const { name, code } = (error ?? {}) as { name?: string; code?: string };
  const isSame = record?.fingerprint === kind;
  const isRight = () => {
    if (before && !isSame) return code === "idempotency_key_reused";
    if (response) return isSame && response.body === record.response.body;
    if (code === "idempotency_key_reused") return record !== undefined && !isSame;
    if (kind === "refund nothing" && code === "resource_missing") return true;
    const isUnanswered = kind === "refund" && name === "Unavailable"; // by the network
    return !isLast && (isUnanswered || code === "idempotency_key_in_use");
  };
  if (!isRight()) throw new Error(`Not the answer of this record: ${show({ ...answer, record })}`);
}

function show(value: object): string {
  return JSON.stringify(value, (_, each: unknown) =>
    each instanceof Error ? `${each.name}: ${each.message}` : each,
  );
}
