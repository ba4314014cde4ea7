import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { openAppForTest } from "../../testkit/app/open-app.ts";
import { rawConnection } from "../../testkit/sockets/raw-connection.ts";

const newcomers = 80; // fewer than the turns for which requests are put off

test("connections that wait are accepted before requests are worked on", async () => {
  const { app } = await openAppForTest();
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  const busy = await rawConnection(url);
  onTestFinished(busy.close);
  const accepted: unknown[] = [];
  let answeredMeanwhile = 0;
  app.server.on("connection", (socket) => accepted.push(socket));

  // The system takes them as they are made; the event loop accepts one a turn.
  const connecting = Array.from({ length: newcomers }, async () => rawConnection(url));
  onTestFinished(async () => {
    for (const connection of await Promise.all(connecting)) connection.close();
  });
  while (accepted.length < newcomers) {
    busy.send("GET /docs/nothing HTTP/1.1\r\nHost: x\r\n\r\n");
    expect((await busy.answer()).status).toBe(404);
    if (accepted.length > 0 && accepted.length < newcomers) answeredMeanwhile++;
  }
  expect(answeredMeanwhile).toBeLessThan(newcomers / 10);
});

test("requests get their turn while connections come without end", async () => {
  const { app } = await openAppForTest();
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  const busy = await rawConnection(url);
  onTestFinished(busy.close);
  const over = new AbortController();
  const coming = (async () => {
    while (!over.signal.aborted) {
      void rawConnection(url).then((connection) => connection.close());
      await nextTurn();
    }
  })();
  for (let asked = 0; asked < 5; asked++) {
    busy.send("GET /docs/nothing HTTP/1.1\r\nHost: x\r\n\r\n");
    expect((await busy.answer()).status).toBe(404);
  }
  over.abort();
  await coming;
});
