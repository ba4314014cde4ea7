import type { ServerResponse } from "node:http";
import { isWithinShare } from "../../runtime/fair-semaphore.ts";
import { startWait } from "../../runtime/promises.ts";
import { maxPageBytes } from "../database/list-range.ts";

const MiB = 1024 * 1024;
const defaultMaxWaitMs = 2_000;
const maxWaiting = 1_000;
/** For lists that are read at the same time: more would only wait for the processor. */
const maxReservedBytes = 8 * MiB;
/** Requests for the largest lists leave a share to all smaller ones, and so do large bodies. */
const shareOfLargest = 0.75;
const shareOfBodies = 0.5;
/** For how many turns of the event loop new connections come before waiting requests. */
const maxDeferredTurns = 100;

type Reservation = { owner: string; bytes: number };
type Waiting = Reservation & { resolve: (hasRoom: boolean) => void };
export type ByteBudget = ReturnType<typeof createByteBudget>;

/**
 * A budget of bytes for the bodies and responses of requests, shared fairly by their owners: one account leaves
 * a quarter to others. A response that may be large reserves its bytes before it is read, and waits until there
 * is room. The owner with the lowest use goes first, so that an owner of large lists never blocks the others.
 * Waiting requests let new connections pass (`isAccepting`: whether one came since the last call): the event
 * loop accepts one a turn, and a turn in which lists are read is a long one.
 */
export function createByteBudget(
  limit: number,
  isAccepting: () => boolean,
  maxWaitMs = defaultMaxWaitMs,
) {
  /** By owner, each queue from the smallest to the largest. */
  const queues = new Map<string, Waiting[]>();
  let waitingCount = 0;
  const bytesByOwner = new Map<string, number>();
  let usedBytes = 0;
  let reservedBytes = 0;
  let deferredTurns = 0;

  const bytesOf = (owner: string) => bytesByOwner.get(owner) ?? 0;

  function changeOwner(owner: string, bytes: number): void {
    const sum = bytesOf(owner) + bytes;
    if (sum === 0) bytesByOwner.delete(owner);
    else bytesByOwner.set(owner, sum);
  }

  function isFree(bytes: number, share: number): boolean {
    return usedBytes + reservedBytes + bytes <= limit * share;
  }

  function isOwnerWithinShare(owner: string, share: number): boolean {
    return isWithinShare(bytesOf(owner), limit * share - usedBytes - reservedBytes);
  }

  function canReserve({ owner, bytes }: Reservation): boolean {
    const share = chooseShare(bytes);
    return (
      reservedBytes + bytes <= maxReservedBytes * share &&
      isFree(bytes, share) &&
      isOwnerWithinShare(owner, share)
    );
  }

  function addReservation({ owner, bytes }: Reservation): void {
    reservedBytes += bytes;
    changeOwner(owner, bytes);
  }

  /** The bytes that an owner would use with a reservation. */
  const computeTotalWith = ({ owner, bytes }: Reservation) => bytesOf(owner) + bytes;

  /** Of the requests that can be admitted now, the first whose owner would use the fewest bytes. */
  function findNext(): Waiting | undefined {
    let next: Waiting | undefined;
    for (const [first] of queues.values()) {
      if (!first || (next && computeTotalWith(first) >= computeTotalWith(next))) continue;
      if (canReserve(first)) next = first;
    }
    return next;
  }

  /** The largest request of the owner whose queue is the largest. */
  function findLast(): Waiting | undefined {
    let last: Waiting | undefined;
    let maxBytes = 0;
    for (const queue of queues.values()) {
      const bytes = queue.reduce((sum, entry) => sum + entry.bytes, 0);
      if (bytes <= maxBytes) continue;
      maxBytes = bytes;
      last = queue.at(-1);
    }
    return last;
  }

  function enqueue(entry: Waiting): void {
    const queue = queues.get(entry.owner) ?? [];
    const behind = queue.findIndex(({ bytes }) => bytes > entry.bytes);
    queue.splice(behind === -1 ? queue.length : behind, 0, entry);
    queues.set(entry.owner, queue);
    waitingCount++;
  }

  function dequeue(entry: Waiting): void {
    const queue = queues.get(entry.owner) ?? [];
    queue.splice(queue.indexOf(entry), 1);
    if (queue.length === 0) queues.delete(entry.owner);
    waitingCount--;
  }

  function admitWaiting(): void {
    if (deferredTurns === 0 && findNext()) admitAfterAccepting();
  }

  function admitAfterAccepting(): void {
    if (isAccepting() && deferredTurns < maxDeferredTurns) {
      deferredTurns++;
      setImmediate(admitAfterAccepting);
      return;
    }
    deferredTurns = 0;
    for (let next = findNext(); next; next = findNext()) {
      addReservation(next);
      next.resolve(true);
    }
  }

  return {
    hasRoomFor: (bytes: number): boolean => isFree(bytes, chooseShare(bytes)),
    /** Bodies have half of the budget, so that clients that announce bodies and send nothing block no response. */
    hasRoomForBody: (bytes: number, owner: string): boolean =>
      isFree(bytes, shareOfBodies) && isOwnerWithinShare(owner, shareOfBodies),
    /** Uses so many bytes more, or fewer where `bytes` is negative. */
    change: (bytes: number, owner: string): void => {
      usedBytes += bytes;
      changeOwner(owner, bytes);
      admitWaiting();
    },
    /** Resolves with true when the bytes are reserved, with false if there was no room in time or the client left. */
    reserve: async (bytes: number, owner: string, response: ServerResponse): Promise<boolean> => {
      const reservation = { owner, bytes };
      const next = findNext();
      if (
        canReserve(reservation) &&
        (!next || computeTotalWith(reservation) < computeTotalWith(next))
      ) {
        addReservation(reservation);
        return true;
      }
      const wait = startWait<boolean>(maxWaitMs, () => {
        response.off("close", giveUp);
        dequeue(entry);
      });
      const giveUp = () => wait.end(false);
      const entry: Waiting = { ...reservation, resolve: wait.end };
      response.once("close", giveUp);
      enqueue(entry);
      if (waitingCount > maxWaiting) findLast()?.resolve(false);
      return (await wait.promise) ?? false;
    },
    /** Turns a reservation into `bytes` that are used. */
    settle: (reserved: number, bytes: number, owner: string): void => {
      reservedBytes -= reserved;
      usedBytes += bytes;
      changeOwner(owner, bytes - reserved);
      admitWaiting();
    },
  };
}

function chooseShare(bytes: number): number {
  return bytes < maxPageBytes ? 1 : shareOfLargest;
}
