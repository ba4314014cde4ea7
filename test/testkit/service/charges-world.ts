import { setImmediate } from "node:timers/promises";
import type { Scheduler } from "fast-check";
import type { Payment } from "../../../src/contract/payment.ts";
import type { Scope } from "../../../src/service/database/scope.ts";
import type { CardNetwork, GuardedNetwork } from "../../../src/service/networks/card-network.ts";
import {
  createSimulatorNetwork,
  createTestNetwork,
} from "../../../src/service/networks/simulator.ts";
import type { ChallengeOutcome } from "../../../src/service/payments/payments-store.ts";
import type { Store } from "../../../src/service/service.ts";
import { ids } from "../../../src/service/database/ids.ts";
import { createBoundService } from "./bind-use-cases.ts";
import { webhookSchedule } from "../../../src/service/webhooks/delivery-state.ts";
import {
  type CardKind,
  type Networks,
  type Seen,
  cardNumbers,
  checkCharges,
  listPayments,
} from "./charges-network.ts";
import { bodyWith, cardWith, hostedBody, tokenOf, typedVisa } from "./open-test-service.ts";
import { deadSender } from "./webhooks.ts";

/** `at` picks one of those that are there. */
export type Command =
  | { do: "create"; replica: number; key: string; card: CardKind }
  | { do: "open page"; replica: number; card: CardKind | null; seconds: number | null }
  | { do: "pay"; replica: number; at: number; card: CardKind }
  | { do: "cancel" | "cancel for the merchant" | "return"; replica: number; at: number }
  | { do: "decide at the bank"; at: number; approves: boolean }
  | { do: "refund"; replica: number; at: number; key: string | null }
  | { do: "settle" | "kill"; replica: number }
  | { do: "arrive" }
  | { do: "wait"; ms: number };

/** The networks that the replicas are attached to. */
export const attachedTo = ["https://adapter.test", "https://adapter.test", "stripe"];

/** Replicas over one store, and what happens to them. */
export function createWorld(
  { store, scope, hppExpiryMs }: { store: Store; scope: Scope; hppExpiryMs: number },
  networks: Networks,
  scheduler: Scheduler,
) {
  let nowMs = Date.UTC(2026, 10, 15, 12);
  let isCalm = false;
  const tokens: string[] = [];
  const seen: Seen = { payments: [], responses: [], challenges: [] };
  const problems: unknown[] = [];
  const noteError = (error: unknown) => {
    if (!isAnswer(error)) problems.push(error);
  };
  const start = (name: string) =>
    startReplica(
      { name, network: networks.networkAt(name) },
      {
        store,
        clock: () => nowMs,
        hppExpiryMs,
        scheduler: () => (isCalm ? undefined : scheduler),
        observeChallenge: (outcome) => seen.challenges.push(outcome),
        broken: noteError,
      },
    );
  const replicas = attachedTo.map(start);
  const replicaAt = (at: number) => {
    const found = replicas[at];
    if (!found) throw new Error(`There is no replica ${at}.`);
    return found;
  };

  /** Runs a request in the background; refusals count as answers. */
  async function beginIn(at: number, work: (service: Service) => Promise<void>): Promise<void> {
    const { service, under } = replicaAt(at);
    const piece = Symbol("a piece of work");
    under.add(piece);
    await work(service).catch(noteError);
    under.delete(piece);
  }

  async function createPayment(service: Service, key: string, card: CardKind): Promise<void> {
    const number = cardNumbers[card];
    const body = bodyWith({ card: cardWith({ number }), metadata: { key } });
    const answer = await service.createPayment(scope, body, { key, fingerprint: card });
    seen.responses.push({ key, card, body: answer.body });
    seen.payments.push(JSON.parse(answer.body) as Payment);
  }

  /** Opens a page; with a card, its customer pays at once. */
  async function openPage(
    service: Service,
    { card, seconds }: Extract<Command, { do: "open page" }>,
  ): Promise<void> {
    const body = { ...hostedBody, expires_in: seconds };
    const answer = await service.createHostedPayment(scope, body);
    const token = tokenOf(JSON.parse(answer.body) as Payment);
    tokens.push(token);
    if (card !== null) await payPage(service, token, card);
  }

  async function payPage(service: Service, token: string, card: CardKind): Promise<void> {
    await service.payPage(token, { ...typedVisa, number: cardNumbers[card] });
    await seePage(service, token);
  }

  async function seePage(service: Service, token: string): Promise<void> {
    const page = await service.findPage(token);
    if (page.state === "gone") return;
    seen.payments.push(page.payment);
    const isAtBank = page.payment.status === "pending" && page.state !== "processing";
    if (page.challengeUrl !== null && !isAtBank)
      throw new Error(`${page.state}, with a bank's page`);
  }

  async function refundPayment(service: Service, at: number, key: string | null): Promise<void> {
    const { id = "pay_none" } = pick(await listPayments(store, scope), at) ?? {};
    const request = key === null ? undefined : { key, fingerprint: id };
    const answer = await service.refundPayment(scope, id, request);
    seen.payments.push(JSON.parse(answer.body) as Payment);
  }

  function begin(next: Command): void {
    switch (next.do) {
      case "create":
        void beginIn(next.replica, async (service) => createPayment(service, next.key, next.card));
        return;
      case "open page":
        void beginIn(next.replica, async (service) => openPage(service, next));
        return;
      case "pay":
        void beginIn(next.replica, async (service) =>
          payPage(service, pick(tokens, next.at) ?? "none", next.card),
        );
        return;
      case "cancel":
      case "return":
        void beginIn(next.replica, async (service) => {
          const token = pick(tokens, next.at) ?? "none";
          if (next.do === "cancel") await service.cancelPage(token);
          else await service.returnFromPage(token, { asks: true });
          await seePage(service, token);
        });
        return;
      case "cancel for the merchant":
        void beginIn(next.replica, async (service) => {
          const { id = "pay_none" } = pick(await listPayments(store, scope), next.at) ?? {};
          const answer = await service.cancelPayment(scope, id, { key: id, fingerprint: "cancel" });
          seen.payments.push(JSON.parse(answer.body) as Payment);
        });
        return;
      case "decide at the bank":
        networks.decideAtBank(next.at, next.approves);
        return;
      case "refund":
        void beginIn(next.replica, async (service) => refundPayment(service, next.at, next.key));
        return;
      case "settle":
        void beginIn(next.replica, async ({ settlePayments }) => {
          await Promise.all([settlePayments(), replicaAt(next.replica).settleCharges()]);
        });
        return;
      case "kill": {
        const killed = replicaAt(next.replica);
        killed.kill();
        replicas[next.replica] = start(killed.networkName);
        return;
      }
      case "arrive":
        networks.arrive();
        return;
      case "wait":
        nowMs += next.ms;
        return;
      default:
        next satisfies never;
    }
  }

  async function step(): Promise<void> {
    if (scheduler.count() > 0) await scheduler.waitOne();
    else await setImmediate();
  }

  /** Waits for all work under way. */
  async function finish(): Promise<void> {
    while (replicas.some(({ under }) => under.size > 0)) await step();
    while (scheduler.count() > 0) await scheduler.waitOne(); // of killed ones
  }

  /** A minute, an hour and hours later, with networks that answer. */
  async function settle(): Promise<void> {
    isCalm = true;
    networks.calmDown();
    const last = networks.names.map(start);
    const minutes = [1, 60, ...Array<number>(6).fill(120)];
    for (const each of minutes) {
      nowMs += each * 60_000 + 1_000;
      for (const { service, settleCharges } of last) {
        while ((await service.settlePayments()) > 0);
        await settleCharges();
      }
    }
  }

  async function check(): Promise<void> {
    if (problems.length > 0) throw problems[0];
    await checkCharges({ store, scope }, networks.listBooks(), seen);
  }

  return { begin, step, finish, settle, check };
}

/** Refusals and 503 are answers; any other error is a fault of the program. */
function isAnswer(error: unknown): boolean {
  return error instanceof Error && ["ServiceError", "Unavailable"].includes(error.name);
}

function pick<T>(all: T[], at: number): T | undefined {
  return all[at % Math.max(1, all.length)];
}

export type Service = ReturnType<typeof createBoundService>;

export type ReplicaOptions = {
  store: Store;
  clock: () => number;
  hppExpiryMs: number;
  timeouts?: { keyMs: number; refundMs: number };
  /** Orders the calls; undefined: each is made at once. */
  scheduler: () => Scheduler | undefined;
  observeChallenge: (outcome: ChallengeOutcome) => void;
  broken: (error: unknown) => void;
};

/** Starts a replica attached to a network. The scheduler orders its calls, and those of a killed one never resolve. */
export function startReplica(
  { name, network }: { name: string; network: CardNetwork },
  options: ReplicaOptions,
) {
  const { store, clock, hppExpiryMs, scheduler, observeChallenge, broken } = options;
  const { timeouts = { keyMs: 0, refundMs: 0 } } = options;
  let isKilled = false;
  const inTurn =
    <A extends unknown[], R>(call: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      await scheduler()?.schedule(Promise.resolve());
      if (isKilled) return await never();
      const result = await call(...args);
      if (isKilled) return await never();
      return result;
    };
  const own = Object.fromEntries(
    Object.entries(store).map(([method, call]) => [method, inTurn(call as () => Promise<unknown>)]),
  ) as unknown as Store;
  const calls: CardNetwork = {
    ...network,
    charge: inTurn(network.charge.bind(network)),
    lookUp: inTurn(network.lookUp.bind(network)),
    cancel: inTurn(network.cancel.bind(network)),
    refund: inTurn(network.refund.bind(network)),
  };
  const attached: GuardedNetwork = {
    countryOf: (card) => network.countryOf(card),
    name,
    isLocal: false,
    isFailing: () => false,
    admit: async () => ({ network: calls, [Symbol.dispose]: () => {} }),
  };
  const service = createBoundService({
    store: own,
    networkOf: ({ livemode }) => (livemode ? attached : createTestNetwork({ processingTimeMs: 1 })),
    simulator: createSimulatorNetwork({ processingTimeMs: 1 }),
    clock,
    ids,
    publicUrl: () => "https://payments.test",
    hppExpiryMs,
    webhooks: { schedule: webhookSchedule, eventRetentionMs: 60_000, allowsPrivate: true },
    sender: deadSender,
    timeouts,
    observeChallenge,
  });
  const settler = service.createChargeSettler({ wake: () => {}, broken });
  return {
    networkName: name,
    service,
    settleCharges: async () => {
      await settler.settle();
      await settler.idle();
    },
    kill: () => {
      isKilled = true;
    },
    /** The requests that it works on. */
    under: new Set<symbol>(),
  };
}

async function never(): Promise<never> {
  return await new Promise<never>(() => {});
}
