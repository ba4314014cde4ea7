import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { sandboxKeys } from "../../../src/contract/field-values.ts";
import { openSandbox, runningService } from "../../testkit/client/running-service.ts";
import {
  createServiceEnv,
  parseList,
  runInShell,
  runPayments,
  startPayments,
  waitForEnd,
} from "../../testkit/command/run-payments.ts";
import { createTemporaryHome } from "../../testkit/temporary.ts";
import { freePort } from "../../testkit/sockets/tcp-proxy.ts";

const service = runningService();

describe("the commands that control a sandbox", () => {
  const startOne =
    "  hint: Start one with payments sandbox, then payments login --sandbox; or name one that runs with --base-url.\n";

  test("use its published key where there is no other", async () => {
    const { sandbox } = await openSandbox({ clock: "manual", seed: "1" });
    const argv = ["sandbox", "clock", "--advance", "90s", "--base-url", sandbox.url, "--json"];
    const { stdout, stderr, exitCode } = await runPayments(argv);
    expect([exitCode, stderr]).toEqual([0, ""]);
    expect(JSON.parse(stdout)).toMatchObject({ now: 1_800_000_090, mode: "manual" });
  });

  test("say what to do where there is none: exit 2", async () => {
    const env = createServiceEnv(service.url, service.keys.test);
    expect(await runPayments(["sandbox", "reset"], { env })).toEqual({
      stdout: "",
      stderr: `Error: There is no sandbox at ${service.url}. Nothing was done.\n${startOne}`,
      exitCode: 2,
    });
    expect(await runPayments(["sandbox", "faults"])).toMatchObject({
      stdout: "",
      stderr: `Error: There is no sandbox at the embedded service. Nothing was done.\n${startOne}`,
      exitCode: 2,
    });
  });

  test("login --sandbox stores nothing for another service: exit 4", async () => {
    const ran = await runPayments(["login", "--sandbox", "--base-url", service.url]);
    expect(ran).toMatchObject({ stdout: "", exitCode: 4 });
    expect(ran.stderr).toContain("does not accept the key of a sandbox: it is none.");
  });
});

test("a sandbox on all interfaces says so, and takes values for its fixtures", async () => {
  const home = createTemporaryHome();
  const file = join(home, "fixtures.json");
  const create = {
    amount: 4200,
    currency: "eur",
    description: "${var.order}",
    test_card: "visa",
  };
  writeFileSync(file, JSON.stringify({ fixtures: [{ create }] }));
  const flags = ["--host", "0.0.0.0", "--port", "0", "--fixtures", file, "--var", "order=1001"];
  const sandbox = startPayments(["sandbox", ...flags, "--json"], { home });
  const [line] = (await once(sandbox.stdout, "data")) as [Buffer];
  const { url, all_interfaces } = JSON.parse(String(line)) as Record<string, unknown>;
  expect(all_interfaces).toBe(true);
  const env = createServiceEnv(String(url), sandboxKeys.test);
  expect(parseList(await runPayments(["list", "--json"], { env })).data).toMatchObject([
    { description: "1001" },
  ]);
  sandbox.kill("SIGTERM");
  await waitForEnd(sandbox);
});

test.each(["sandbox", "serve --database sqlite::memory: --log-level silent"])(
  "%s ends where its line cannot be printed: exit 9",
  async (command) => {
    const ran = await runInShell(`payments ${command} --port ${await freePort()} > /dev/full`);
    expect(ran.exitCode).toBe(9);
    expect(ran.stderr).toContain("The output cannot be written");
  },
);
