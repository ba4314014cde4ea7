import { expect } from "vitest";
import { listPaymentsQuery } from "../../../src/contract/list.ts";
import type { Payment } from "../../../src/contract/payment.ts";
import { ServiceError } from "../../../src/contract/service-error.ts";
import type { Scope } from "../../../src/service/database/scope.ts";
import { writeOf } from "../../service/database/contract/writes.ts";
import { parsePayment } from "../database/read.ts";
import { nextId, paymentIn } from "../payment-in.ts";
import { tokenOf, typedVisa } from "./open-page.ts";
import { openTestService, type TestService } from "./open-test-service.ts";
import { findPage, type SentQuery } from "./search-model.ts";
import type { AnyDraft } from "./searched-payments.ts";

/** A write commits within 20 s of its id, or never. */
const maxLateMs = 20_000;

export type SearchedService = ReturnType<typeof openSearched>;

/** A service with the payments that a test knows of, and the comparison of what it finds. */
export function openSearched({ service, store, test: testScope, live, time }: TestService) {
  const payments = new Map<Scope, Map<string, Payment>>([
    [testScope, new Map()],
    [live, new Map()],
  ]);
  const of = (isLive: boolean): Scope => (isLive ? live : testScope);
  const list = (isLive: boolean) => [...(payments.get(of(isLive))?.values() ?? [])];
  // Two replicas index in turn, by the same clock.
  const another = openTestService({ store, clock: () => time.nowMs });
  const indexing: Promise<unknown>[] = [];

  /** Reads the payments that may have changed by their ids, which asks no index. */
  async function refresh(): Promise<void> {
    for (const [scope, known] of payments) {
      const open = [...known.values()].filter(({ status }) => status === "pending");
      for (const { id } of open) known.set(id, parsePayment(await service.getPayment(scope, id)));
    }
  }

  return {
    list,
    time,
    refresh,
    /** Indexes what is due, by either replica; merging goes on behind it. */
    index: async ({
      isOther = false,
      signal,
    }: { isOther?: boolean; signal?: AbortSignal } = {}) => {
      const { service: replica } = isOther ? await another : { service };
      const { merged } = await replica.indexPayments(signal);
      indexing.push(
        merged.catch((error: unknown) => {
          if (!signal?.aborted) throw error;
        }),
      );
    },
    /** Resolves when nothing is merged any more. */
    idle: async () => Promise.all(indexing),
    create: async (draft: AnyDraft, on: "card" | "page", isLive: boolean) => {
      const scope = of(isLive);
      const { body } =
        on === "card"
          ? await service.createPayment(scope, draft.direct)
          : await service.createHostedPayment(scope, draft.hosted);
      const payment = JSON.parse(body) as Payment;
      payments.get(scope)?.set(payment.id, payment);
    },
    /**
     * Writes a payment whose id is some seconds old, as one that another replica commits late; perhaps of the same
     * millisecond and the same end as another payment.
     */
    createLate: async (
      { hosted: { customer, ...fields } }: AnyDraft,
      which: number,
      isLive: boolean,
    ) => {
      const recent = list(isLive).findLast(
        ({ created }) => created * 1_000 > time.nowMs - maxLateMs,
      );
      const twin = which % 2 === 0 ? recent : undefined;
      const atMs = twin ? parseMs(twin.id) : time.nowMs - (which % maxLateMs);
      const id = nextId(atMs);
      const payment = paymentIn(which % 3 === 0 ? "failed" : "succeeded", atMs, {
        ...fields,
        id: id.slice(0, 37) + (twin ?? { id }).id.slice(37),
        customer: { email: customer.email ?? "", name: customer.first_name },
        livemode: isLive,
      });
      await store.createPayment(() => writeOf(payment, { scope: of(isLive), nowMs: time.nowMs }));
      payments.get(of(isLive))?.set(payment.id, payment);
    },
    pay: async (payment: Payment, number: string) =>
      service.payPage(tokenOf(payment), { ...typedVisa, number }).catch(ignoreRefusal),
    cancel: async (payment: Payment) => service.cancelPage(tokenOf(payment)).catch(ignoreRefusal),
    refund: async ({ id }: Payment, isLive: boolean) => {
      const scope = of(isLive);
      await service.refundPayment(scope, id).catch(ignoreRefusal);
      payments.get(scope)?.set(id, parsePayment(await service.getPayment(scope, id)));
    },
    settle: async () => service.settlePayments(),
    /** Compares what the service finds with what the model finds in `all`. */
    compare: async (query: SentQuery, isLive: boolean) => {
      const { items, hasMore } = await service.listPayments(
        of(isLive),
        listPaymentsQuery.parse(query),
      );
      const found = items.map(parsePayment);
      const page = { ids: found.map(({ id }) => id), hasMore };
      expect({ query, ...page }).toEqual({ query, ...findPage(list(isLive), query) });
      const known = payments.get(of(isLive));
      expect(found).toEqual(page.ids.map((id) => known?.get(id)));
      return found.length;
    },
  };
}

function parseMs(id: string): number {
  return Number.parseInt(id.slice(4, 12) + id.slice(13, 17), 16);
}

function ignoreRefusal(error: unknown): void {
  if (!(error instanceof ServiceError)) throw error;
}
