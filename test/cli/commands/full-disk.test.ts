import { join } from "node:path";
import { expect, test } from "vitest";
import { fillDisk } from "../../testkit/database/fill-disk.ts";
import { createTemporaryHome } from "../../testkit/command/temporary-home.ts";
import { parseError, parseList, runPayments } from "../../testkit/command/run-payments.ts";

const visa = ["create", "--amount", "1", "--currency", "eur", "--test-card", "visa"];

test("a full disk under the embedded service is exit 9 without retries, and the outcome is known", async () => {
  const home = createTemporaryHome();
  const database = `sqlite:${join(home, "full.db")}`;
  const at = ["--database", database];
  await runPayments(["migrate", ...at], { home });
  await runPayments([...visa, ...at], { home });
  fillDisk(database);
  const ran = await runPayments([...visa, ...at, "--json"], { home });
  expect(ran.exitCode).toBe(9);
  expect(parseError(ran)).toMatchObject({
    code: "unavailable",
    message: "The database refuses: the disk is full; nothing was written.",
    hint: "Make room on its disk, or name another database with --database.",
    retryable: false,
    idempotency_key: null,
  });
  const { stderr } = await runPayments([...visa, ...at, "--debug"], { home });
  expect(stderr.match(/^> POST /gm)).toHaveLength(1);
  expect(parseList(await runPayments(["list", "--json", ...at], { home })).data).toHaveLength(1);
});
