import { randomUUID } from "node:crypto";
import type { Payment } from "../../contract/payment.ts";
import type { Statement } from "../database/driver.ts";
import { parseCreatedMs } from "../database/ids.ts";
import type { Scope } from "../database/scope.ts";
import { upsertWriter } from "./search-index-sql.ts";

/** A payment that is written. `announcement` belongs to its transaction. */
export type AnnouncedPayment = {
  scope: Scope;
  payment: Payment;
  json: string;
  announcement?: Statement<number> | undefined;
};

/** When this process has announced itself last, and how many payments it has begun to write since. */
type Announced = { atMs: number; payments: number; isUnderWay: boolean };

/** So often others learn how far this process has come, whichever is first. */
const [announcedEveryMs, announcedEveryPayments] = [10_000, 250];
/** From then on each payment announces it again: the row is deleted after a minute. */
const outdatedMs = 20_000;
/** A write whose connection was lost may still commit for as long. */
const inDoubtMs = 60_000;
const maxAnnounced = 10_000;

/**
 * Announces, in the transactions of new payments, that this process writes payments, and knows up to which id all of its
 * own have appeared. A search then looks for new ones from there on, instead of through a minute of them.
 */
export function createWriter(observer: {
  begun: (write: AnnouncedPayment) => void;
  written: (written: AnnouncedPayment) => void;
}) {
  const writer: string = randomUUID();
  const inFlight = new Map<string, Payment>();
  const announced = new Map<string, Announced>();
  /** The oldest of the writes that have failed lately. */
  let inDoubt: { id: string; untilMs: number } | undefined;
  let begun = 0;
  let last = "";

  function findOldestOpen(): string | undefined {
    if (inDoubt && inDoubt.untilMs < performance.now()) inDoubt = undefined;
    let oldest = inDoubt?.id;
    for (const id of inFlight.keys()) if (oldest === undefined || id < oldest) oldest = id;
    return oldest;
  }

  /** The id up to which the payments of this process have appeared, or never will. */
  const settledTo = () => findOldestOpen()?.slice(0, -1) ?? last;

  function announce({ scope, payment: { id } }: AnnouncedPayment): Statement<number> | undefined {
    const key = toScopeKey(scope);
    const atMs = parseCreatedMs(id);
    const known = announced.get(key);
    const ageMs = known ? atMs - known.atMs : Infinity;
    if (known) {
      known.payments += 1;
      const isDue = ageMs > announcedEveryMs || known.payments > announcedEveryPayments;
      if (!isDue || (known.isUnderWay && ageMs < outdatedMs)) return undefined;
      known.isUnderWay = true;
    }
    return upsertWriter(scope, { writer, settledTo: settledTo(), announcedBy: id });
  }

  function end(write: AnnouncedPayment, isWritten: boolean): void {
    const { scope, payment, announcement } = write;
    inFlight.delete(payment.id);
    if (isWritten) observer.written(write);
    if (!announcement) return;
    const key = toScopeKey(scope);
    const known = announced.get(key);
    if (known) known.isUnderWay = false;
    if (!isWritten) return;
    if (announced.size >= maxAnnounced) announced.clear();
    announced.set(key, { atMs: parseCreatedMs(payment.id), payments: 0, isUnderWay: false });
  }

  return {
    writer,
    /**
     * Begins a read. The returned function ends it: of the payments of this process all were there to be read up to the
     * ids that it returns; none where it has written nothing meanwhile.
     */
    beginRead: () => {
      const [idleAt, before] = [findOldestOpen() === undefined ? begun : undefined, settledTo()];
      return (): string[] => (begun === idleAt ? [] : [before, settledTo()]);
    },
    /** A payment of this process that is being written. */
    findInFlight: (id: string): Payment | undefined => inFlight.get(id),
    /** Begins a payment's write, before any of it is sent. */
    begin: <P extends AnnouncedPayment>(write: P): P => {
      const { id } = write.payment;
      begun += 1;
      if (id > last) last = id;
      inFlight.set(id, write.payment);
      observer.begun(write);
      const announcement = announce(write); // few have one
      return announcement ? { ...write, announcement } : write;
    },
    /** Ends a write when its promise is settled. */
    follow: async <O extends { outcome: string }>(
      written: Promise<O>,
      findWrite: () => AnnouncedPayment | undefined,
    ): Promise<O> => {
      try {
        const result = await written;
        const write = findWrite();
        if (write) end(write, result.outcome === "written");
        return result;
      } catch (error) {
        const write = findWrite();
        if (write) {
          end(write, false);
          const { id } = write.payment;
          const oldest = inDoubt && inDoubt.id < id ? inDoubt.id : id;
          inDoubt = { id: oldest, untilMs: performance.now() + inDoubtMs };
        }
        throw error;
      }
    },
  };
}

export function toScopeKey({ accountId, livemode }: Scope): string {
  return `${accountId} ${livemode}`;
}
