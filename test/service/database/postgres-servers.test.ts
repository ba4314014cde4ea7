import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test, onTestFinished } from "vitest";
import { ConfigError, Unavailable } from "../../../src/runtime/failures.ts";
import { queryRows, type Driver } from "../../../src/service/database/driver.ts";
import { createPoolOptions } from "../../../src/service/database/postgres-options.ts";
import { openPostgres } from "../../../src/service/database/postgres.ts";
import { openStore } from "../../../src/service/server/open-service.ts";
import {
  type Postgres,
  endPostgres,
  fastSettings,
  startPostgres,
  startStandby,
} from "../../testkit/database/start-postgres.ts";
import { newAccount, paymentIn } from "../../testkit/database/records.ts";
import { atMs, writeOf } from "./contract/writes.ts";

let primary: Postgres;
let standby: Postgres;
beforeAll(async () => {
  primary = await startPostgres(fastSettings);
  standby = await startStandby(primary, fastSettings);
});
afterAll(async () => {
  await standby.stop();
  await primary.stop();
});

const hostOf = ({ url }: Postgres) => new URL(url).host;

function openOn(hosts: string[], parameters = "?target_session_attrs=read-write"): Driver {
  const driver = openPostgres(`postgres://postgres:password@${hosts.join()}/postgres${parameters}`);
  onTestFinished(async () => driver.close());
  return driver;
}

/** The port of the server that a write has come to. */
async function writesTo(driver: Driver): Promise<unknown> {
  const [row] = await driver.write(() =>
    queryRows<{ port: number }>("SELECT inet_server_port() AS port FROM pg_current_xact_id()", []),
  );
  return row?.port;
}

/** A store on a primary whose commits wait for a missing standby until a test ends the wait. */
async function waitingStore() {
  const admin = openOn([hostOf(primary)]);
  const ask = async (sql: string) => admin.read(() => queryRows(sql, []));
  await openStore(admin, newAccount());
  await ask("ALTER SYSTEM SET synchronous_standby_names = 'nobody'");
  await endPostgres(primary, "SIGINT"); // reloading its settings would take effect at an unknown time
  await primary.start();
  const waiting = openOn([hostOf(primary)], "?options=-c%20synchronous_commit=on");
  const letGo = async () => {
    await ask("ALTER SYSTEM RESET synchronous_standby_names");
    await ask("SELECT pg_reload_conf()");
  };
  onTestFinished(letGo);
  return { store: await openStore(waiting, newAccount()), ask, letGo };
}

/** A server that accepts connections, and never answers. */
async function startSilent() {
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.on("error", () => socket.destroy());
    onTestFinished(() => void socket.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { host: `127.0.0.1:${port}`, connections: () => connections };
}

describe("of several servers, the primary is written to", () => {
  test.each(["read-write", "primary"])("after a standby: %s", async (parameters) => {
    const driver = openOn(
      [hostOf(standby), hostOf(primary)],
      `?target_session_attrs=${parameters}`,
    );
    expect(await writesTo(driver)).toBe(Number(new URL(primary.url).port));
  });

  test("after a server that is down", async () => {
    const driver = openOn(["127.0.0.1:1", hostOf(primary)]);
    expect(await writesTo(driver)).toBe(Number(new URL(primary.url).port));
  });

  test("after a silent server, which only one connection waits for", async () => {
    const silent = await startSilent();
    const driver = openOn([silent.host, hostOf(primary)]);
    await writesTo(driver);
    expect(silent.connections()).toBe(1);
    const many = Array.from({ length: 10 }, async () => writesTo(driver));
    expect(new Set(await Promise.all(many))).toEqual(new Set([Number(new URL(primary.url).port)]));
    expect(driver.pool?.().total).toBeGreaterThan(1);
    expect(silent.connections()).toBe(1);
  });

  test("unless any role is accepted: then the first one that answers is used", async () => {
    for (const parameters of ["", "?target_session_attrs=any"]) {
      const driver = openOn(["127.0.0.1:1", hostOf(standby), hostOf(primary)], parameters);
      await expect(writesTo(driver)).rejects.toThrow("read-only");
    }
  });
});

test("without a primary the error has each server's reason, and no password", async () => {
  const driver = openOn(["127.0.0.1:1", hostOf(standby)]);
  const writing = writesTo(driver);
  await expect(writing).rejects.toThrow(Unavailable);
  await expect(writing).rejects.toThrow("ECONNREFUSED");
  await expect(writing).rejects.toThrow(`the server ${hostOf(standby)} is read-only`);
  await expect(writing).rejects.not.toThrow("password");
});

test("the servers share the time for connecting", () => {
  expect(sharesOf("one")).toEqual([["one", undefined, 2_000]]);
  expect(sharesOf("one:5433,[::1]:5434")).toEqual([
    ["one", 5433, 1_000],
    ["::1", 5434, 1_000],
  ]);
});

function sharesOf(hosts: string): unknown[] {
  const all = createPoolOptions(`postgres://${hosts}/db`);
  return all.map(({ host, port, connectionTimeoutMillis }) => [
    host,
    port,
    connectionTimeoutMillis,
  ]);
}

test.each(["standby", "read-only", "prefer-standby", "", "READ-WRITE"])(
  "target_session_attrs=%s is refused at once",
  (parameters) => {
    const open = () =>
      openPostgres(`postgres://u:secret@one,two/d?target_session_attrs=${parameters}`);
    expect(open).toThrow(ConfigError);
    expect(open).toThrow("target_session_attrs");
    expect(open).not.toThrow("secret");
  },
);

describe("a commit that waits for a standby", () => {
  test("is not acknowledged, and a retry finds it after the wait", async () => {
    const { store, letGo } = await waitingStore();
    const payment = paymentIn("succeeded", atMs);
    const create = async (made: typeof payment) =>
      store.createPayment(() => writeOf(made, { key: "waits" }));
    await expect(create(payment)).rejects.toThrow(Unavailable);
    await letGo();
    expect(await create(paymentIn("succeeded", atMs))).toMatchObject({
      outcome: "replayed",
      response: { body: payment.id },
    });
  });

  test("is not acknowledged where an operator ends its waiting", async () => {
    const { store, ask } = await waitingStore();
    const payment = paymentIn("succeeded", atMs);
    const creating = store.createPayment(() => writeOf(payment, { key: "ended" }));
    const refusal = creating.catch((error: unknown) => error);
    const ended = async () =>
      ask("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
    await expect.poll(ended).toHaveLength(1);
    expect(await refusal).toBeInstanceOf(Unavailable);
  });
});
