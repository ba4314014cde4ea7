import { once } from "node:events";
import { request, type ClientRequest } from "node:http";
import { connect, type AddressInfo } from "node:net";
import Fastify from "fastify";
import { describe, expect, test } from "vitest";
import { createRequestGate } from "../../../src/service/sandbox/request-gate.ts";
import { openUntilFileEnds } from "../../testkit/open-until-file-ends.ts";

/** An app behind a gate: a request to /slow waits before its work, and within it, until the test says so. */
async function openApp() {
  const gate = createRequestGate();
  const app = Fastify();
  const steps = {
    arrived: Promise.withResolvers<void>(),
    gone: Promise.withResolvers<void>(),
    beforeWork: Promise.withResolvers<void>(),
    working: Promise.withResolvers<void>(),
    work: Promise.withResolvers<void>(),
  };
  let worked = 0;
  app.addHook("onRequest", async ({ raw, url }, reply) => {
    if (url === "/quick" && raw.method === "POST") steps.arrived.resolve();
    if (url !== "/slow") return;
    reply.raw.once("close", steps.gone.resolve);
    raw.once("error", () => {});
    steps.arrived.resolve();
  });
  gate.watch(app, () => false);
  app.addHook("preHandler", async ({ url }) => (url === "/slow" ? steps.beforeWork.promise : null));
  app.get("/slow", async () => {
    steps.working.resolve();
    await steps.work.promise;
    worked++;
    return "worked";
  });
  app.get("/quick", async () => "quick");
  app.post("/quick", async () => "quick");
  app.get("/large", async () => {
    steps.working.resolve();
    return Buffer.alloc(64 * 1024 * 1024);
  });
  await app.listen({ port: 0 });
  openUntilFileEnds(async () => app.close());
  const { port } = app.server.address() as AddressInfo;
  const open = (text: string) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(text)).on("error", () => {});
    openUntilFileEnds(() => socket.destroy());
    return socket;
  };
  const send = (path: string): ClientRequest =>
    request({ port, path })
      .on("error", () => {})
      .end();
  const leave = async (client: ClientRequest) => {
    client.destroy();
    await steps.gone.promise;
  };
  const passQuickly = async () => once(send("/quick"), "response");
  return { gate, steps, open, send, leave, passQuickly, countWorked: () => worked };
}

/** A gate that is held up stays so. */
const heldUpMs = 60_000;

describe.concurrent("the gate", () => {
  test("waits for work that goes on where its client has gone", async () => {
    const { gate, steps, send, leave, countWorked } = await openApp();
    const client = send("/slow");
    steps.beforeWork.resolve();
    await steps.working.promise;
    await leave(client);
    const closed = gate.close().then(countWorked);
    steps.work.resolve();
    expect(await closed).toBe(1);
  });

  test("lets no work begin that a client asked for before, and left", async () => {
    const { gate, steps, send, leave, passQuickly, countWorked } = await openApp();
    const client = send("/slow");
    await steps.arrived.promise;
    await passQuickly();
    await leave(client);
    const open = await gate.close();
    open();
    steps.work.resolve();
    steps.beforeWork.resolve();
    await passQuickly();
    expect(countWorked()).toBe(0);
  });

  test(
    "is not held up by a client that sends no more of its request",
    { timeout: heldUpMs },
    async () => {
      const { gate, steps, open, passQuickly } = await openApp();
      const head = "host: a\r\ncontent-type: text/plain\r\ncontent-length: 9";
      const client = open(`POST /quick HTTP/1.1\r\n${head}\r\n\r\n1`);
      const cut = once(client.resume(), "close");
      await steps.arrived.promise;
      await passQuickly();
      const reopen = await gate.close();
      await cut;
      reopen();
      expect(await passQuickly()).toMatchObject([{ statusCode: 200 }]);
    },
  );

  test(
    "is not held up by a client that does not read its answer",
    { timeout: heldUpMs },
    async () => {
      const { gate, steps, open, passQuickly } = await openApp();
      open("GET /large HTTP/1.1\r\nhost: a\r\n\r\n").pause();
      await steps.working.promise;
      const reopen = await gate.close();
      reopen();
      expect(await passQuickly()).toMatchObject([{ statusCode: 200 }]);
    },
  );

  test("waits for work however long it takes, and lets it be answered", async () => {
    const { gate, steps, send, countWorked } = await openApp();
    const client = send("/slow");
    steps.beforeWork.resolve();
    await steps.working.promise;
    const answered = once(client, "response");
    const closed = gate.close().then(countWorked);
    setTimeout(steps.work.resolve, 1_000); // an idle client is cut before
    expect(await answered).toMatchObject([{ statusCode: 200 }]);
    expect(await closed).toBe(1);
  });

  test("is not held up by a client that left while it waited", async () => {
    const { gate, steps, send, leave, passQuickly } = await openApp();
    const open = await gate.close();
    const client = send("/slow");
    await steps.arrived.promise;
    await leave(client);
    open();
    await passQuickly();
    steps.beforeWork.resolve();
    steps.work.resolve();
    expect(await gate.close()).toBeTypeOf("function");
  });
});
