import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import type { Role } from "../../../src/contract/administration.ts";
import { bodyWith } from "../../testkit/api-objects.ts";
import { rawConnection } from "../../testkit/sockets/raw-sockets.ts";
import { command, cookieIn, openDashboard } from "../../testkit/pages/open-dashboard.ts";

// Rights are checked when the headers have arrived, and once more when the body has, which may be seconds later.

afterEach(() => {
  vi.useRealTimers();
});

/** Lets the time since the headers pass. */
function wait(): void {
  vi.advanceTimersByTime(500);
}

/** A service that listens, and a request to it whose body is held back until `finish`. */
async function openHolding() {
  vi.useFakeTimers({ toFake: ["performance"] });
  const opened = await openDashboard();
  const url = await opened.app.listen({ host: "127.0.0.1", port: 0 });
  const hold = async (head: string[], body: string) => {
    const connection = await rawConnection(url);
    onTestFinished(connection.close);
    const lines = [...head, "Host: x", "Expect: 100-continue", `Content-Length: ${body.length}`];
    connection.send(`${lines.join("\r\n")}\r\n\r\n`);
    expect((await connection.answer()).status).toBe(100);
    await opened.call({}); // its headers have been checked meanwhile
    return {
      finish: async () => {
        connection.send(body);
        return await connection.answer();
      },
    };
  };
  return { ...opened, hold };
}

test("a payment whose key was revoked while its body was held back is refused", async () => {
  const { service, call, hold } = await openHolding();
  const issued = await service.createKey({ mode: "test", name: "leaving" });
  const authorization = `Bearer ${issued.key}`;
  const held = await hold(
    [
      "POST /v1/payments HTTP/1.1",
      "Content-Type: application/json",
      `Authorization: ${authorization}`,
    ],
    JSON.stringify(bodyWith({})),
  );
  wait();
  await service.revokeKey(issued);
  const status = async () => (await call({ key: null, headers: { authorization } })).status;
  await expect.poll(status).toBe(401);
  expect((await held.finish()).status).toBe(401);
  expect(JSON.parse((await call({})).text)).toMatchObject({ data: [] });
});

test("a late body is taken where the key still works", async () => {
  const { keys, hold } = await openHolding();
  const held = await hold(
    [
      "POST /v1/payments HTTP/1.1",
      "Content-Type: application/json",
      `Authorization: Bearer ${keys.test}`,
    ],
    JSON.stringify(bodyWith({})),
  );
  wait();
  expect((await held.finish()).status).toBe(201);
});

test.each<{ change: string; role: Role | undefined }>([
  { change: "was removed", role: undefined },
  { change: "became a viewer", role: "viewer" },
])("the form of an operator who $change meanwhile changes nothing", async ({ role }) => {
  const { service, hold, at, accountId, invite, submit, signIn } = await openHolding();
  await signIn("admin", { name: "Grace" }); // an account keeps an admin
  const { operatorId: id, path } = await invite();
  const held = await hold(
    [
      `POST ${at("/keys", "live")} HTTP/1.1`,
      "Content-Type: application/x-www-form-urlencoded",
      "Sec-Fetch-Site: same-origin",
      `Cookie: ${cookieIn(await submit(path))}`,
    ],
    "key=k1&name=backdoor",
  );
  await (role ? service.changeRole({ id, role }, command) : service.removeOperator(id, command));
  expect((await held.finish()).status).toBe(403);
  const names = (await service.listKeys(accountId)).map(({ name }) => name);
  expect(names).not.toContain("backdoor");
});
