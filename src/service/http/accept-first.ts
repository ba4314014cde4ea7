import type { Server } from "node:http";

/** For how many turns of the event loop connections are accepted before requests get theirs. */
const maxTurns = 100;
/** How many of those that were put off begin in one turn: as many as SQLite commits together. */
const requestsATurn = 256;

/**
 * Has a server accept the connections that wait in the system's queue before it works on requests. The event
 * loop accepts one a turn, and a turn in which hundreds of connections ask takes 100 ms: a queue of new ones
 * would wait for minutes. While one comes a turn, requests are put off, and turns are short. The function that
 * it gives does some work at once, or then.
 */
export function acceptFirst(server: Server): (work: () => void) => void {
  const putOff: (() => void)[] = [];
  let hasAccepted = false;
  let isWaiting = false;
  let turns = 0;

  function wait(): void {
    hasAccepted = true;
    if (isWaiting) return;
    isWaiting = true;
    setImmediate(lookAgain);
  }

  function lookAgain(): void {
    if (hasAccepted && turns < maxTurns) {
      turns++;
    } else {
      turns = 0;
      for (const work of putOff.splice(0, requestsATurn)) work();
    }
    isWaiting = hasAccepted || putOff.length > 0;
    hasAccepted = false;
    if (isWaiting) setImmediate(lookAgain);
  }

  server.on("connection", wait);
  server.on("drop", wait);
  return (work) => {
    if (isWaiting) putOff.push(work);
    else work();
  };
}
