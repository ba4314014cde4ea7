import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "vitest";
import { runReceiverCheck } from "../../src/client/check-receiver.ts";
import { openSandbox } from "../testkit/client/running-service.ts";
import { documentedCode, startExample } from "../testkit/documented-examples.ts";
import { needs } from "../testkit/runner/needs.ts";
import { freePort } from "../testkit/sockets/tcp-proxy.ts";
import { createProgramFolder } from "../testkit/service/webhooks.ts";

const { client, sandbox } = await openSandbox();
const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

/** PHP's server says nothing of its address. */
const php = "echo http://127.0.0.1:$PORT/hooks; exec php -q -S 127.0.0.1:$PORT $0";

const receivers = [
  { name: "receiver.mjs", language: "js", runs: [process.execPath], probe: ["--version"] },
  { name: "receiver.py", language: "py", runs: ["python3"], probe: ["--version"] },
  { name: "receiver.go", language: "go", runs: ["go", "run"], probe: ["version"] },
  { name: "receiver.php", language: "php", runs: ["sh", "-c", php], probe: ["-c", "php -v"] },
  { name: "receiver.rb", language: "rb", runs: ["ruby"], probe: ["-rwebrick", "-e", "1"] },
  { name: "Receiver.java", language: "java", runs: ["java"], probe: ["--version"] },
] as const;

describe.concurrent.each(receivers)(
  "$name of docs/webhooks.md",
  ({ name, language, runs, probe }) => {
    needs(spawnSync(runs[0], probe).status === 0, `what runs ${language}`);

    test("keeps all promises of a receiver", async ({ expect }) => {
      const folder = createProgramFolder();
      const env = {
        PATH: process.env["PATH"] ?? "",
        HOME: folder,
        PORT: String(await freePort()),
        PAYMENTS_WEBHOOK_SECRET: secret,
        PHP_CLI_SERVER_WORKERS: "4",
      };
      const code = documentedCode("webhooks.md", language, name);
      const { url, lines } = await startExample(code, { env, folder, name, runs });
      await expect.poll(async () => fetch(url).then(() => true, String)).toBe(true);
      const about = { client, url, secret, effect: () => lines.length };
      const { promises } = await runReceiverCheck(about, { stillMs: 100 });
      expect(promises.filter(({ result }) => result !== "ok")).toEqual([]);
    });
  },
);

test.concurrent("a test suite grades a receiver as docs/webhooks.md shows", async ({ expect }) => {
  const graded = `
    process.env.PAYMENTS_WEBHOOK_SECRET = "${secret}";
    process.env.PORT = "${await freePort()}";
    const { url, keys } = ${JSON.stringify({ url: sandbox.url, keys: sandbox.keys })};
    const [secret, sandbox, shop] = ["${secret}", { url, keys }, { orders: [] }];
    const print = console.log;
    const { promise: listening, resolve } = Promise.withResolvers();
    console.log = (line) => (line.startsWith("http") ? resolve(line) : shop.orders.push(line));
    await import("./receiver.mjs");
    print(await listening);`;
  const snippet = documentedCode("webhooks.md", "ts", "checkWebhookReceiver");
  const ported = snippet.replace("3000", `\${process.env.PORT}`).replace(/"(http.*)"/, "`$1`");
  const folder = createProgramFolder();
  writeFileSync(join(folder, "receiver.mjs"), documentedCode("webhooks.md", "js"));
  const code = `${graded}${ported}; print(JSON.stringify({ failed, promises })); process.exit();`;
  const { lines } = await startExample(code, { env: {}, folder });
  await expect.poll(() => JSON.parse(lines[0] ?? "{}") as unknown).toMatchObject({ failed: 0 });
  const { promises } = JSON.parse(lines[0] ?? "") as { promises: { result: string }[] };
  expect(promises.filter(({ result }) => result !== "ok")).toEqual([]);
});

test.concurrent("the shop of the examples keeps all promises of a receiver", async ({ expect }) => {
  const code = readFileSync(new URL("../../examples/shop.mjs", import.meta.url), "utf8");
  const env = {
    PAYMENTS_API_KEY: sandbox.keys.test,
    PAYMENTS_BASE_URL: sandbox.url,
    PAYMENTS_WEBHOOK_SECRET: secret,
  };
  const { url, lines } = await startExample(code, { env, folder: createProgramFolder() });
  const about = { client, url: `${url}/hooks`, secret, effect: () => lines.length };
  const { promises } = await runReceiverCheck(about, { stillMs: 100 });
  expect(promises.filter(({ result }) => result !== "ok")).toEqual([]);
});
