import type { ServerResponse } from "node:http";
import { FairShares, isWithinShare } from "../../runtime/fair-semaphore.ts";
import { startWait } from "../../runtime/timeouts.ts";
import { maxPageBytes } from "../domain/list-range.ts";

const MiB = 1024 * 1024;
const maxWaitMs = 2_000;
/** Shared by the owners, as the bytes are. */
const maxWaiting = 1_000;
/** For lists that are read at the same time: more would only wait for the processor. */
const maxReservedBytes = 8 * MiB;
/** Requests for the largest lists leave a share to all smaller ones, and so do large bodies. */
const shareOfLargest = 0.75;
const shareOfBodies = 0.5;

type Reservation = { owner: string; bytes: number };
type Waiting = Reservation & { resolve: (hasRoom: boolean) => void };
export type ByteBudget = ReturnType<typeof createByteBudget>;

/**
 * A budget of bytes for the bodies and responses of requests, shared fairly by their owners: one account leaves
 * a quarter to others. A response that may be large reserves its bytes before it is read, and waits until there
 * is room. The owner with the lowest use goes first, so that an owner of large lists never blocks the others.
 * Waiting requests let new connections pass: `defer` runs its work when these are accepted.
 */
export function createByteBudget(limit: number, defer: (work: () => void) => void) {
  const waiting = new Set<Waiting>();
  const waitingShares = new FairShares(maxWaiting);
  const bytesByOwner = new Map<string, number>();
  let usedBytes = 0;
  let reservedBytes = 0;
  let isAdmitting = false;

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
    for (const entry of waiting) {
      if (next && computeTotalWith(entry) >= computeTotalWith(next)) continue;
      if (canReserve(entry)) next = entry;
    }
    return next;
  }

  function admitWaiting(): void {
    if (isAdmitting || !findNext()) return;
    isAdmitting = true;
    defer(() => {
      isAdmitting = false;
      for (let next = findNext(); next; next = findNext()) {
        addReservation(next);
        next.resolve(true);
      }
    });
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
      if (!waitingShares.canTake([owner])) return false;
      const wait = startWait<boolean>(maxWaitMs, () => {
        response.off("close", giveUp);
        waiting.delete(entry);
        waitingShares.change([owner], -1);
      });
      const giveUp = () => wait.end(false);
      const entry: Waiting = { ...reservation, resolve: wait.end };
      response.once("close", giveUp);
      waiting.add(entry);
      waitingShares.change([owner], 1);
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
