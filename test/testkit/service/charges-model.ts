import { webhookSchedule } from "../../../src/service/domain/delivery-schedule.ts";
import { setImmediate } from "node:timers/promises";
import * as fc from "fast-check";
import type { CardInput, Payment } from "../../../src/contract/payment.ts";
import { ids } from "../../../src/service/server/ids.ts";
import {
  createSimulatorNetwork,
  createTestNetwork,
} from "../../../src/service/networks/simulator.ts";
import type { Unknown } from "../../../src/service/domain/charge-state.ts";
import type {
  CardNetwork,
  Charge,
  GuardedNetwork,
} from "../../../src/service/ports/card-network.ts";
import { createService } from "../../../src/service/use-cases/service.ts";
import type { Scope } from "../../../src/service/ports/idempotency-record.ts";
import type { Store } from "../../../src/service/ports/ports.ts";
import { bodyWith, cardWith } from "./open-test-service.ts";
import { hostedBody, tokenOf, typedVisa } from "./open-page.ts";

// Three replicas over one store, two of them attached to one network and one to another. Any step may fail.
// fast-check draws the commands and faults; once all work is settled, the networks' records and the service's must
// agree.

/** The fault of one network call. `late`: its outcome is unknown, and the request arrives at the end. */
const faults = ["none", "none", "none", "not arrived", "answer lost", "late", "slow"] as const;
type Fault = (typeof faults)[number];

const replica = fc.constantFrom(0, 0, 1, 1, 2);
const attachedTo = ["https://adapter.test", "https://adapter.test", "stripe"];
const key = fc.constantFrom("k1", "k2", "k3");
const card = fc.constantFrom("good", "bad");
const command = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant("create"), replica, key, card }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("open page"), replica }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("pay"), replica, card, at: fc.nat(3) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("cancel"), replica, at: fc.nat(3) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("refund"),
      replica,
      at: fc.nat(5),
      key: fc.option(fc.constantFrom("r1", "r2")),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("settle"), replica }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("kill"), replica }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("arrive") }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("wait"),
      ms: fc.constantFrom(500, 3_000, 16_000, 31_000, 61_000, 90_000, -30_000),
    }),
  },
);
/** The number of steps after each command: often none, so that much work runs concurrently. */
const stepsAfter = fc.oneof(fc.constant(0), fc.nat(12));
export const story = fc.array(fc.tuple(command, stepsAfter), { minLength: 4, maxLength: 24 });
export const fates = fc.infiniteStream(fc.constantFrom(...faults));

type Command = {
  do: string;
  replica?: number;
  key?: string | null;
  card?: string;
  at?: number;
  ms?: number;
};
type Book = { state: "approved" | "declined" | "canceled"; refunds: number; calls: number };

export async function play(
  store: Store,
  commands: [Command, number][],
  nextFault: () => Fault,
  scheduler: fc.Scheduler,
): Promise<void> {
  const accountId = (await store.listAccounts())[0]?.id ?? "";
  const world = createWorld(store, { accountId, livemode: true }, nextFault, scheduler);
  for (const [each, steps] of commands) {
    world.begin(each);
    for (let step = 0; step < steps; step++) await world.step();
  }
  await world.finish();
  await world.settle();
  await world.check();
  world.arrive(); // what comes when all is over changes nothing
  await world.check();
}

function createWorld(store: Store, scope: Scope, nextFault: () => Fault, scheduler: fc.Scheduler) {
  let nowMs = Date.UTC(2026, 10, 15, 12);
  let isCalm = false;
  const booksOf = new Map(attachedTo.map((name) => [name, new Map<string, Book>()]));
  const late: (() => void)[] = [];
  const tokens: string[] = [];
  const responses: { key: string; card: string; body: string }[] = [];
  const promised: { id: string; statuses: string[] }[] = [];

  const travel = async (arrives: () => object) => {
    const fate = isCalm ? "none" : nextFault();
    if (fate === "not arrived") return lost;
    if (fate === "late") {
      late.push(arrives);
      return lost;
    }
    const answer = arrives();
    return fate === "answer lost" ? lost : fate === "slow" ? slow : answer;
  };

  /** Starts a replica. The scheduler orders its calls, and the calls of a killed one never resolve. */
  function startReplica(networkName: string) {
    const network = networkOver(booksOf.get(networkName) ?? new Map<string, Book>(), travel);
    const life = { isOver: false };
    const inTurn =
      <A extends unknown[], R>(call: (...args: A) => Promise<R>) =>
      async (...args: A): Promise<R> => {
        if (!isCalm) await scheduler.schedule(Promise.resolve());
        if (life.isOver) return await never();
        const result = await call(...args);
        if (life.isOver) return await never();
        return result;
      };
    const own = Object.fromEntries(
      Object.entries(store).map(([name, method]) => [
        name,
        inTurn(method as () => Promise<unknown>),
      ]),
    ) as unknown as Store;
    const calls: CardNetwork = {
      ...network,
      charge: inTurn(network.charge.bind(network)),
      lookUp: inTurn(network.lookUp.bind(network)),
      cancel: inTurn(network.cancel.bind(network)),
      refund: inTurn(network.refund.bind(network)),
    };
    const attached: GuardedNetwork = {
      countryOf: (of) => network.countryOf(of),
      name: networkName,
      isLocal: false,
      isFailing: () => false,
      admit: async () => ({ network: calls, [Symbol.dispose]: () => {} }),
    };
    const service = createService({
      store: own,
      networkOf: ({ livemode }) =>
        livemode ? attached : createTestNetwork({ processingTimeMs: 1 }),
      simulator: createSimulatorNetwork({ processingTimeMs: 1 }),
      clock: () => nowMs,
      ids,
      publicUrl: () => "https://payments.test",
      hppExpiryMs: 60_000,
      webhooks: { schedule: webhookSchedule, eventRetentionMs: 60_000, allowsPrivate: true },
      timeouts: { keyMs: 0, refundMs: 0 },
    });
    const settler = service.createChargeSettler({
      wake: () => {},
      broken: (error) => {
        if (!isAnswer(error)) problems.push(error);
      },
    });
    const settleCharges = async () => {
      await settler.settle();
      await settler.idle();
    };
    return { networkName, service, settleCharges, life, under: new Set<symbol>() };
  }
  const replicas = attachedTo.map(startReplica);
  const replicaAt = (at: number) => replicas[at] ?? fault("no replica", at);

  /** Runs a request in the background; refusals count as answers. */
  async function beginIn(
    at: number,
    work: (service: ReturnType<typeof createService>) => Promise<void>,
  ): Promise<void> {
    const { service, under } = replicaAt(at);
    const piece = Symbol("a piece of work");
    under.add(piece);
    try {
      await work(service);
    } catch (error) {
      if (!isAnswer(error)) problems.push(error);
    }
    under.delete(piece);
  }
  const isBusy = () => replicas.some(({ under }) => under.size > 0);
  const problems: unknown[] = [];

  async function payments(): Promise<Payment[]> {
    const page = { below: "pay_g", above: "", status: undefined, limit: 100 };
    const { items: found } = await store.listPayments(scope, { ...page, direction: "forward" });
    return found.map((json) => JSON.parse(json) as Payment);
  }

  function begin(next: Command): void {
    const { replica: at = 0 } = next;
    const numberOf =
      { good: "4242424242424242", bad: "4000000000000002" }[next.card ?? "good"] ?? "";
    switch (next.do) {
      case "create":
        void beginIn(at, async (service) => {
          const own = next.key ?? "k1";
          const body = bodyWith({ card: cardWith({ number: numberOf }), metadata: { key: own } });
          const request = { key: own, fingerprint: next.card ?? "" };
          const answer = await service.createPayment(scope, body, request);
          const payment = JSON.parse(answer.body) as Payment;
          responses.push({ key: own, card: next.card ?? "", body: answer.body });
          if (payment.status === "succeeded")
            promised.push({ id: payment.id, statuses: ["succeeded", "refunded"] });
        });
        return;
      case "open page":
        void beginIn(at, async (service) => {
          const answer = await service.createHostedPayment(scope, hostedBody);
          tokens.push(tokenOf(JSON.parse(answer.body) as Payment));
        });
        return;
      case "pay":
      case "cancel":
        void beginIn(at, async (service) => {
          const token = tokens[(next.at ?? 0) % Math.max(1, tokens.length)] ?? "none";
          if (next.do === "cancel") await service.cancelPage(token);
          else await service.payPage(token, { ...typedVisa, number: numberOf });
          const page = await service.findPage(token);
          if (page.state === "canceled")
            promised.push({ id: page.payment.id, statuses: ["failed"] });
        });
        return;
      case "refund":
        void beginIn(at, async (service) => {
          const all = await payments();
          const { id = "pay_none" } = all[(next.at ?? 0) % Math.max(1, all.length)] ?? {};
          const request = next.key ? { key: next.key, fingerprint: id } : undefined;
          const answer = await service.refundPayment(scope, id, request);
          const refunded = JSON.parse(answer.body) as Payment;
          promised.push({ id: refunded.id, statuses: ["refunded"] });
        });
        return;
      case "settle":
        void beginIn(at, async ({ settlePayments }) => {
          await Promise.all([settlePayments(), replicaAt(at).settleCharges()]);
        });
        return;
      case "kill": {
        const killed = replicaAt(at);
        killed.life.isOver = true;
        replicas[at] = startReplica(killed.networkName);
        return;
      }
      case "arrive":
        arrive();
        return;
      case "wait":
        nowMs += next.ms ?? 0;
        return;
      default:
        throw new Error(`There is no ${next.do}.`);
    }
  }

  function arrive(): void {
    for (const request of late.splice(0)) request();
  }

  async function step(): Promise<void> {
    if (scheduler.count() > 0) await scheduler.waitOne();
    else await setImmediate();
  }

  /** Waits for all work under way. */
  async function finish(): Promise<void> {
    while (isBusy()) await step();
    while (scheduler.count() > 0) await scheduler.waitOne(); // of killed ones
  }

  /** Hours later, with networks that answer. */
  async function settle(): Promise<void> {
    isCalm = true;
    const last = [...booksOf.keys()].map(startReplica);
    for (let round = 0; round < 8; round++) {
      nowMs += 2 * 60 * 60 * 1_000;
      for (const { service, settleCharges } of last) {
        while ((await service.settlePayments()) > 0);
        await settleCharges();
      }
    }
  }

  async function check(): Promise<void> {
    if (problems.length > 0) throw problems[0];
    const all = await payments();
    for (const payment of all) {
      const [book, other] = booksOf
        .values()
        .map((books) => books.get(payment.id))
        .filter((found) => found !== undefined);
      if (other) fault("two networks were called", payment);
      const balance =
        book?.state === "approved" ? (book.refunds === 0 ? "charged" : "refunded") : "none";
      const expected = {
        succeeded: "charged",
        refunded: "refunded",
        failed: "none",
        pending: "none",
      };
      const isRight = balance === expected[payment.status] && (book?.refunds ?? 0) <= 1;
      const isOpen = payment.status === "pending";
      if (!isRight || isOpen)
        fault(`${payment.status}, the network: ${JSON.stringify(book)}`, payment);
      const charge = await store.findCharge(scope, payment.id);
      if (charge && charge.pendingAction !== "none")
        fault(`still ${charge.pendingAction}`, payment);
    }
    for (const id of booksOf.values().flatMap((books) => books.keys()))
      if (!all.some((payment) => payment.id === id)) fault("unknown", id);
    for (const { id, statuses } of promised) {
      const status = all.find((payment) => payment.id === id)?.status ?? "none";
      if (!statuses.includes(status))
        fault(`was answered as ${statuses.join(" or ")}`, { id, status });
    }
    for (const own of ["k1", "k2", "k3"]) {
      const made = all.filter(({ metadata }) => metadata["key"] === own);
      if (made.length > 1) fault("two payments under one key", made);
      const [first, ...others] = responses.filter((answer) => answer.key === own);
      for (const other of others)
        if (other.body !== first?.body || other.card !== first.card)
          fault("two answers under one key", { first, other });
    }
  }

  return { begin, step, finish, settle, check, arrive };
}

function fault(what: string, of: unknown): never {
  throw new Error(`${what}: ${JSON.stringify(of)}`);
}

const lost: Unknown = { outcome: "unknown", reason: "conflict" };
const slow = { outcome: "processing", retryAfterMs: 1_000 } as const;

async function never(): Promise<never> {
  return await new Promise<never>(() => {});
}

/** Refusals and 503 are answers; any other error is a fault of the program. */
function isAnswer(error: unknown): boolean {
  return error instanceof Error && ["ServiceError", "Unavailable"].includes(error.name);
}

/** A network that decides correctly, whatever happens to requests and answers. */
function networkOver(
  books: Map<string, Book>,
  travel: (arrives: () => object) => Promise<object>,
): CardNetwork {
  const toOutcome = (book: Book) =>
    book.state === "approved"
      ? { outcome: "approved", reference: "ch" }
      : book.state === "declined"
        ? { outcome: "declined", code: "generic_decline" }
        : { outcome: "canceled" };
  const ask = async <T>(arrives: () => object) => (await travel(arrives)) as T;
  return {
    countryOf: () => "US",
    charge: async ({ id }: Charge, { number }: CardInput) =>
      ask(() => {
        const state = number.startsWith("4242") ? "approved" : "declined";
        const book = books.get(id) ?? { state, refunds: 0, calls: 0 };
        books.set(id, book);
        return book.state === "canceled"
          ? { outcome: "declined", code: "processing_error" }
          : toOutcome(book);
      }),
    lookUp: async ({ id }) =>
      ask(() => {
        const book = books.get(id);
        return book ? toOutcome(book) : { outcome: "not_found" };
      }),
    cancel: async ({ id }) =>
      ask(() => {
        const book = books.get(id);
        if (book?.state !== "declined") books.set(id, { state: "canceled", refunds: 0, calls: 0 });
        return { outcome: "canceled" };
      }),
    refund: async ({ id }) =>
      ask(() => {
        const book = books.get(id) ?? fault("a refund of what was never charged", id);
        if (book.state !== "approved") return { outcome: "declined", code: "generic_decline" };
        if (book.refunds === 0) book.refunds = 1;
        return { outcome: "refunded", reference: "re" };
      }),
  };
}
