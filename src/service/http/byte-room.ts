import type { ServerResponse } from "node:http";
import { maxPageBytes } from "../domain/list-range.ts";
import { isWithinShare } from "../../runtime/fair-semaphore.ts";
import { startWait } from "../../runtime/timeouts.ts";

const MiB = 1024 * 1024;
/** How long whoever needs room waits for it, and how many may. */
const patienceMs = 2_000;
const maxWaiting = 1_000;
/** What may be on its way into memory at the same time: more of it would only wait for the processor. */
const maxComingBytes = 8 * MiB;
/** Whoever asks for the largest page leaves a share to all who ask for less, and so do large bodies. */
const shareOfLargest = 0.75;
const shareOfBodies = 0.5;
/** For how many turns of the event loop new connections come before those who wait. */
const maxTurnsGivenUp = 100;

type Waiting = { owner: string; bytes: number; settle: (hasRoom: boolean) => void };
export type ByteBudget = ReturnType<typeof createByteBudget>;

/**
 * Room for what requests bring and what they are answered, in bytes, shared by their owners: an account leaves a
 * quarter to others. What may turn out large waits for room, whose owner holds the least with it first, and lets new
 * connections pass: the event loop accepts one a turn, and a turn in which pages are made is a long one. So those who
 * ask for the most never keep everybody else out. `isAccepting`: whether there was a new connection since this was
 * last asked.
 */
export function createByteBudget(limit: number, isAccepting: () => boolean) {
  /** By owner, the least first: of one owner nobody comes before its first. */
  const lines = new Map<string, Waiting[]>();
  let waitingCount = 0;
  const held = new Map<string, number>();
  let turnsGivenUp = 0;
  let taken = 0;
  let coming = 0;

  function hasRoomFor(bytes: number): boolean {
    return taken + coming + bytes <= limit * shareFor(bytes);
  }

  const heldBy = (owner: string) => held.get(owner) ?? 0;

  function hold(owner: string, bytes: number): void {
    if (heldBy(owner) + bytes === 0) held.delete(owner);
    else held.set(owner, heldBy(owner) + bytes);
  }

  /** Whether an owner may take more of what is left of a share of the room. */
  function isOwn(owner: string, share: number): boolean {
    return isWithinShare(heldBy(owner), limit * share - taken - coming);
  }

  function mayCome({ owner, bytes }: Pick<Waiting, "owner" | "bytes">): boolean {
    const share = shareFor(bytes);
    return coming + bytes <= maxComingBytes * share && hasRoomFor(bytes) && isOwn(owner, share);
  }

  function come({ owner, bytes }: Pick<Waiting, "owner" | "bytes">): void {
    coming += bytes;
    hold(owner, bytes);
  }

  /** The one that may come whose owner holds the least with it; of equals the first. */
  function nextWaiting(): Waiting | undefined {
    let next: Waiting | undefined;
    for (const [first] of lines.values()) {
      if (!first || (next && need(first) >= need(next))) continue;
      if (mayCome(first)) next = first;
    }
    return next;
  }

  function need({ owner, bytes }: Pick<Waiting, "owner" | "bytes">): number {
    return heldBy(owner) + bytes;
  }

  /** The largest of the owner for whom the most waits. */
  function lastWaiting(): Waiting | undefined {
    let last: Waiting | undefined;
    let mostBytes = 0;
    for (const line of lines.values()) {
      const bytes = line.reduce((sum, entry) => sum + entry.bytes, 0);
      if (bytes <= mostBytes) continue;
      mostBytes = bytes;
      last = line.at(-1);
    }
    return last;
  }

  function addToLine(entry: Waiting): void {
    const line = lines.get(entry.owner) ?? [];
    const behind = line.findIndex(({ bytes }) => bytes > entry.bytes);
    line.splice(behind === -1 ? line.length : behind, 0, entry);
    lines.set(entry.owner, line);
    waitingCount++;
  }

  function leaveLine(entry: Waiting): void {
    const line = lines.get(entry.owner) ?? [];
    line.splice(line.indexOf(entry), 1);
    if (line.length === 0) lines.delete(entry.owner);
    waitingCount--;
  }

  function admitWaiting(): void {
    if (turnsGivenUp === 0 && nextWaiting()) letOthersPass();
  }

  function letOthersPass(): void {
    if (isAccepting() && turnsGivenUp < maxTurnsGivenUp) {
      turnsGivenUp++;
      setImmediate(letOthersPass);
      return;
    }
    turnsGivenUp = 0;
    for (let next = nextWaiting(); next; next = nextWaiting()) {
      come(next);
      next.settle(true);
    }
  }

  return {
    hasRoomFor,
    /** Bodies have half of the room: whoever announces many and sends nothing takes it from no answer. */
    hasRoomForBody: (bytes: number, owner: string): boolean =>
      taken + coming + bytes <= limit * shareOfBodies && isOwn(owner, shareOfBodies),
    /** Takes room, or gives it back where `bytes` is negative. */
    change: (bytes: number, owner: string): void => {
      taken += bytes;
      hold(owner, bytes);
      admitWaiting();
    },
    /** Keeps room as soon as there is some; answers false where there was none in time, or nobody waits. */
    enter: async (bytes: number, owner: string, response: ServerResponse): Promise<boolean> => {
      const next = nextWaiting();
      if (mayCome({ owner, bytes }) && (!next || need({ owner, bytes }) < need(next))) {
        come({ owner, bytes });
        return true;
      }
      const wait = startWait<boolean>(patienceMs, () => {
        response.off("close", giveUp);
        leaveLine(entry);
      });
      const giveUp = () => wait.end(false);
      const entry: Waiting = { owner, bytes, settle: wait.end };
      response.once("close", giveUp);
      addToLine(entry);
      if (waitingCount > maxWaiting) lastWaiting()?.settle(false);
      return (await wait.promise) ?? false;
    },
    /** What room was kept for has come: it takes `bytes` now. */
    came: (kept: number, bytes: number, owner: string): void => {
      coming -= kept;
      taken += bytes;
      hold(owner, bytes - kept);
      admitWaiting();
    },
  };
}

function shareFor(bytes: number): number {
  return bytes < maxPageBytes ? 1 : shareOfLargest;
}
