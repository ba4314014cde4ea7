import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { openAppForTest } from "../../testkit/app/open-app.ts";
import { rawConnection } from "../../testkit/sockets/raw-connection.ts";

const newConnections = 80; // fewer than the turns for which requests are deferred

test("waiting connections are accepted before requests are handled", async () => {
  const { app } = await openAppForTest();
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  const busy = await rawConnection(url);
  onTestFinished(busy.close);
  const accepted: unknown[] = [];
  let answeredMeanwhile = 0;
  app.server.on("connection", (socket) => accepted.push(socket));

  // The system queues them at once; the event loop accepts one a turn.
  const connecting = Array.from({ length: newConnections }, async () => rawConnection(url));
  onTestFinished(async () => {
    for (const connection of await Promise.all(connecting)) connection.close();
  });
  while (accepted.length < newConnections) {
    busy.send("GET /docs/nothing HTTP/1.1\r\nHost: x\r\n\r\n");
    expect((await busy.answer()).status).toBe(404);
    if (accepted.length > 0 && accepted.length < newConnections) answeredMeanwhile++;
  }
  expect(answeredMeanwhile).toBeLessThan(newConnections / 10);
});

test("requests are handled while new connections keep coming", async () => {
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
  for (let count = 0; count < 5; count++) {
    busy.send("GET /docs/nothing HTTP/1.1\r\nHost: x\r\n\r\n");
    expect((await busy.answer()).status).toBe(404);
  }
  over.abort();
  await coming;
});
