import { expect, test } from "vitest";
import { runPayments } from "../../testkit/command/run-payments.ts";

/** A plain password, and passwords with characters by which a URL splits them. */
const passwords = ["s3cr3t", "s3cr3t/s3cr3t", "s3cr3t?s3cr3t", "s3cr3t#s3cr3t", "12/s3cr3t"];

/** Unreachable databases, and malformed ones. */
const databases = [
  ...passwords.map((password) => `postgres://payments:${password}@127.0.0.1:1/payments`),
  "postgres://127.0.0.1:1/payments?user=payments&password=s3cr3t",
  "postgres://payments:s3cr3t@",
  "mysql://payments:s3cr3t@127.0.0.1/payments",
  "payments:s3cr3t@127.0.0.1/payments",
];

/** Every command that opens a database, or may. */
const commandLines = [
  ["serve", "--port", "0", "--log-level", "trace"],
  ["migrate"],
  ["backup", "backup.db"],
  ["keys", "list"],
  ["list", "--debug", "--max-retries", "0"],
  ["whoami", "--offline"],
].map((argv) => [argv.join(" "), argv] as const);

/** The output of two runs, one with the database in the flag, one with it in the variable. */
async function collectOutput(argv: readonly string[], database: string): Promise<string> {
  const [byFlag, byVariable] = await Promise.all([
    runPayments([...argv, "--database", database]),
    runPayments([...argv, "--json"], { env: { PAYMENTS_DATABASE: database } }),
  ]);
  return [byFlag, byVariable].map(({ stdout, stderr }) => stdout + stderr).join("\n");
}

test.concurrent.each(databases)(
  "payments migrate does not repeat the password in %s",
  async (database) => {
    expect(await collectOutput(["migrate"], database)).not.toContain("s3cr3t");
  },
);

test.concurrent.each(commandLines)(
  "payments %s does not repeat the password of its database",
  async (_, argv) => {
    expect(await collectOutput(argv, databases[1] ?? "")).not.toContain("s3cr3t");
  },
);

test.each([
  ["as an argument", ["migrate", databases[0] ?? ""]],
  ["after a mistyped flag", ["migrate", "--databse", databases[0] ?? ""]],
  ["with a mistyped flag", ["serve", `--databse=${databases[0]}`]],
  ["instead of a number", ["serve", "--port", databases[0] ?? ""]],
  ["as a base URL", ["list", "--base-url", databases[0] ?? ""]],
])("a database's password is not repeated where its URL is typed %s", async (_, argv) => {
  const { stdout, stderr, exitCode } = await runPayments(argv);
  expect(stdout + stderr).not.toContain("s3cr3t");
  expect(exitCode).toBe(2);
});
