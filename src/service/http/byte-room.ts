import type { ServerResponse } from "node:http";
import { maxPageBytes } from "../../contract/page-limits.ts";

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

type Waiting = { bytes: number; settle: (hasRoom: boolean) => void };
export type ByteRoom = ReturnType<typeof byteRoom>;

/**
 * Room for what requests bring and what they are answered, in bytes. What may turn out large waits for
 * room, whoever needs the least first, and lets new connections pass: the event loop accepts one a turn, and
 * a turn in which pages are made is a long one. So those who ask for the most never keep everybody else
 * out. `isAccepting`: whether there was a new connection since this was last asked.
 */
export function byteRoom(limit: number, isAccepting: () => boolean) {
  const waiting: Waiting[] = []; // the least first
  let turnsGivenUp = 0;
  let taken = 0;
  let coming = 0;

  function hasRoomFor(bytes: number): boolean {
    return taken + coming + bytes <= limit * shareFor(bytes);
  }

  function mayCome(bytes: number): boolean {
    return coming + bytes <= maxComingBytes * shareFor(bytes) && hasRoomFor(bytes);
  }

  function admitWaiting(): void {
    if (turnsGivenUp > 0 || !waiting[0] || !mayCome(waiting[0].bytes)) return;
    letOthersPass();
  }

  function letOthersPass(): void {
    if (isAccepting() && turnsGivenUp < maxTurnsGivenUp) {
      turnsGivenUp++;
      setImmediate(letOthersPass);
      return;
    }
    turnsGivenUp = 0;
    for (let [first] = waiting; first && mayCome(first.bytes); [first] = waiting) {
      coming += first.bytes;
      first.settle(true);
    }
  }

  return {
    hasRoomFor,
    /** Bodies have half of the room: whoever announces many and sends nothing takes it from no answer. */
    hasRoomForBody: (bytes: number): boolean => taken + coming + bytes <= limit * shareOfBodies,
    /** Takes room, or gives it back where `bytes` is negative. */
    change: (bytes: number): void => {
      taken += bytes;
      admitWaiting();
    },
    /** Keeps room as soon as there is some; answers false where there was none in time, or nobody waits. */
    enter: async (bytes: number, response: ServerResponse): Promise<boolean> => {
      const isNext = !waiting[0] || bytes < waiting[0].bytes;
      if (isNext && mayCome(bytes)) {
        coming += bytes;
        return true;
      }
      return new Promise((resolve) => {
        const giveUp = () => entry.settle(false);
        const timer = setTimeout(giveUp, patienceMs);
        response.once("close", giveUp);
        const entry: Waiting = {
          bytes,
          settle: (hasRoom) => {
            clearTimeout(timer);
            response.off("close", giveUp);
            waiting.splice(waiting.indexOf(entry), 1);
            resolve(hasRoom);
          },
        };
        const behind = waiting.findIndex((other) => other.bytes > bytes);
        waiting.splice(behind === -1 ? waiting.length : behind, 0, entry);
        if (waiting.length > maxWaiting) waiting.at(-1)?.settle(false);
      });
    },
    /** What room was kept for has come: it takes `bytes` now. */
    came: (kept: number, bytes: number): void => {
      coming -= kept;
      taken += bytes;
      admitWaiting();
    },
  };
}

function shareFor(bytes: number): number {
  return bytes < maxPageBytes ? 1 : shareOfLargest;
}
