import { chmodSync, chownSync, copyFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { Unavailable } from "../../../src/runtime/failures.ts";
import { queryRows, type Driver } from "../../../src/service/database/driver.ts";
import { openPostgres } from "../../../src/service/database/postgres.ts";
import {
  fastSettings,
  startPostgres,
  type Postgres,
} from "../../testkit/database/start-postgres.ts";
import { openPostgresForTest } from "../../testkit/database/open-database.ts";

// Made for these tests, for 127.0.0.1 and the next hundred years; it signs itself.
const certificate = fileURLToPath(new URL("tls/server-certificate.pem", import.meta.url));
const key = fileURLToPath(new URL("tls/server-key.pem", import.meta.url));

let postgres: Postgres;
beforeAll(async () => {
  postgres = await startPostgres([
    ...fastSettings,
    "ssl_cert_file=cert.pem",
    "ssl_key_file=key.pem",
  ]);
  const { uid, gid } = statSync(postgres.folder);
  for (const [from, name] of [
    [certificate, "cert.pem"],
    [key, "key.pem"],
  ] as const) {
    copyFileSync(from, join(postgres.folder, name));
    chmodSync(join(postgres.folder, name), 0o600); // PostgreSQL uses no key that others can read
    chownSync(join(postgres.folder, name), uid, gid);
  }
  const driver = openPostgres(postgres.url);
  for (const sql of ["ALTER SYSTEM SET ssl = on", "SELECT pg_reload_conf()"])
    await driver.read(() => queryRows(sql, []));
  await driver.close();
});
afterAll(async () => postgres.stop());

async function isEncrypted(driver: Driver): Promise<unknown> {
  const sql = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
  return (await driver.read(() => queryRows<{ ssl: unknown }>(sql, [])))[0]?.ssl;
}

describe("a connection to PostgreSQL", () => {
  const encrypted: Record<string, string>[] = [
    { sslmode: "verify-full", sslrootcert: certificate },
    { sslmode: "verify-ca", sslrootcert: certificate },
    { sslmode: "require" },
  ];
  test.each(encrypted)("is encrypted where the URL says so: %o", async (parameters) => {
    const { driver } = await openPostgresForTest(parameters, postgres.url);
    expect(await isEncrypted(driver)).toBe(true);
  });

  test("is not encrypted where the URL says nothing, or says so", async () => {
    for (const parameters of [{}, { sslmode: "disable" }]) {
      const { driver } = await openPostgresForTest(parameters, postgres.url);
      expect(await isEncrypted(driver)).toBe(false);
    }
  });

  test("is refused where the server cannot prove who it is", async () => {
    const elsewhere = postgres.url.replace("127.0.0.1", "localhost");
    for (const [url, parameters] of [
      [postgres.url, { sslmode: "verify-full" }],
      [elsewhere, { sslmode: "verify-full", sslrootcert: certificate }],
    ] as const) {
      const { driver } = await openPostgresForTest(parameters, url);
      const refused = isEncrypted(driver);
      await expect(refused).rejects.toThrow(Unavailable);
      await expect(refused).rejects.toThrow(/certificate|altnames/);
    }
  });

  test("to one of several servers asks that one for its own name", async () => {
    const { host } = new URL(postgres.url);
    const both = postgres.url.replace(host, `${host.replace("127.0.0.1", "localhost")},${host}`);
    const verified = `${both}?sslmode=verify-full&sslrootcert=${encodeURIComponent(certificate)}`;
    const driver = openPostgres(verified);
    onTestFinished(async () => driver.close());
    expect(await isEncrypted(driver)).toBe(true);
  });

  test("is refused where it must be encrypted and the server cannot", async () => {
    const { driver } = await openPostgresForTest({ sslmode: "require" });
    await expect(isEncrypted(driver)).rejects.toThrow("does not support SSL");
  });
});
