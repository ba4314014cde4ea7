import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { beforeAll, expect, test } from "vitest";
import { verifyWebhook } from "../../../../src/client/verify-webhook.ts";
import { receiverPromiseNames } from "../../../../src/client/receiver-promises.ts";
import { startService } from "../../../../src/service/server/start-service.ts";
import { listenPayments } from "../../../testkit/command/running-commands.ts";
import {
  parsePrinted,
  runInNewProcess,
  runPayments,
} from "../../../testkit/command/run-payments.ts";
import { openUntilFileEnds } from "../../../testkit/open-until-file-ends.ts";
import { createTemporaryHome, temporaryFile } from "../../../testkit/temporary.ts";

const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

/** A receiver that verifies, and otherwise acts on everything. */
let url = "";
let received = 0;
beforeAll(async () => {
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    try {
      verifyWebhook(body, request.headers, secret);
      received++;
      response.writeHead(204).end();
    } catch {
      response.writeHead(400).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  openUntilFileEnds(async () => server.close());
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
});

async function check(
  args: string[],
  options: { home?: string; env?: object; stdin?: string } = {},
) {
  const { env = { PAYMENTS_WEBHOOK_SECRET: secret }, ...more } = options;
  return await runPayments(["webhooks", "check", ...args], { ...more, env: { ...env } });
}

test("prints a line for each promise, and a sentence", async () => {
  const { stdout, stderr, exitCode } = await check([url]);
  const lines = stdout.trimEnd().split("\n");
  expect(lines).toHaveLength(receiverPromiseNames.length);
  expect(lines[0]).toMatch(/^ok {8}accepts-event {2,}a payment\.succeeded → 204, \d+ ms$/);
  expect(lines[11]).toMatch(/^not seen {2}once-when-repeated .*: accepted; effect not seen$/);
  expect(stderr).toBe(
    "Nothing failed, but 4 of 16 promises were not seen: --effect shows what the receiver does.\n",
  );
  expect(exitCode).toBe(0);
});

test("exits with 1 where a promise is broken, and names the section that helps", async () => {
  const file = temporaryFile();
  writeFileSync(file, "0");
  const args = [url, "--effect", `cat ${file}`, "--only", "accepts-event,once-when-repeated"];
  const { stdout, stderr, exitCode } = await check(args);
  expect(stdout.split("\n")[1]).toMatch(
    /^failed {4}once-when-repeated .* → 204, \d+ ms: 0 effects instead of 1; see docs\/webhooks\.md#process-it-once-and-in-order$/,
  );
  expect([stderr, exitCode]).toEqual(["Error: The receiver breaks 1 of 2 promises.\n", 1]);
});

test("prints one object as JSON, of the promises that were chosen", async () => {
  const ran = await check([url, "--json", "--skip", receiverPromiseNames.slice(1, -1).join(",")]);
  const duration_ms = expect.any(Number) as number;
  expect(parsePrinted(ran)).toEqual({
    object: "receiver_check",
    url,
    failed: 0,
    promises: [
      { name: "accepts-event", result: "ok", status: 204, duration_ms, detail: "" },
      { name: "answers-in-time", result: "ok", status: null, duration_ms, detail: "" },
    ],
  });
  expect([ran.stderr, ran.exitCode]).toEqual(["", 0]);
});

test("says so where there is no shell for the effect's command", async () => {
  const env = { PAYMENTS_WEBHOOK_SECRET: secret, PATH: "/nowhere" };
  const { stderr, exitCode } = await runInNewProcess(
    ["webhooks", "check", url, "--effect", "echo 1"],
    { env },
  );
  expect(stderr).toContain("It was “nothing; spawn sh ENOENT”.");
  expect(exitCode).toBe(2);
});

test("lists the promises without an address", async () => {
  const { stdout, exitCode } = await check(["--list"]);
  expect(stdout.split("\n", 1)[0]).toMatch(/^accepts-event +a payment\.succeeded +2xx$/);
  const listed = parsePrinted(await check(["--list", "--json"]))["data"] as { name: string }[];
  expect(listed.map(({ name }) => name)).toEqual(receiverPromiseNames);
  expect(exitCode).toBe(0);
});

test("takes the secret from a file, from standard input, or from this home's listener", async () => {
  const file = temporaryFile();
  writeFileSync(file, `${secret}\n`);
  const once = [url, "--only", "accepts-event"];
  expect(await check([...once, "--secret-file", file], { env: {} })).toMatchObject({ exitCode: 0 });
  const piped = await check([...once, "--secret-file", "-"], { env: {}, stdin: `${secret}\n` });
  expect(piped.exitCode).toBe(0);

  const home = createTemporaryHome();
  const unknown = await check(once, { home, env: {} });
  expect(unknown.stderr).toContain("The receiver's secret is not known here. Nothing was sent.");
  expect(unknown.exitCode).toBe(2);
  await runPayments(["listen", "--print-secret"], { home });
  const refused = await check(once, { home, env: {} });
  expect(refused.stdout).toContain("answered 400; see docs/webhooks.md#verify-it; it probably");
  expect(refused.exitCode).toBe(1);
});

test("signs as the sandbox does that it uses", async () => {
  const sandbox = await startService({ sandbox: true, clock: "manual", signAt: "wall" });
  openUntilFileEnds(async () => sandbox.close());
  await sandbox.advance("30d");
  const env = {
    PAYMENTS_BASE_URL: sandbox.url,
    PAYMENTS_API_KEY: sandbox.keys.test,
    PAYMENTS_WEBHOOK_SECRET: secret,
  };
  const once = [url, "--only", "accepts-event"];
  expect(await check(once, { env })).toMatchObject({ exitCode: 0 });
  expect(await check([...once, "--sign-at", "service"], { env })).toMatchObject({ exitCode: 1 });
});

test("does not check while a listener of this home is running, also a named one", async () => {
  const home = createTemporaryHome();
  await runPayments(["create", "--amount", "1", "--currency", "eur", "--test-card", "visa"], {
    home,
  });
  const listening = listenPayments(["--name", "ci"], { home });
  await listening.says(/whsec_/);
  const { stderr, exitCode } = await check([url], { home });
  expect(stderr).toContain("The listener “ci” is running here");
  expect(exitCode).toBe(2);
});

test.for([
  [[], 2, "Missing the receiver's address."],
  [["localhost:3000"], 2, "<url> must be an http or https address"],
  [["http://127.0.0.1:1/", "--only", "accept-event"], 2, "Did you mean accepts-event?"],
  [["http://127.0.0.1:1/", "--mode", "live"], 2, "This makes test payments, but the mode is live."],
  [["http://127.0.0.1:1/", "--effect", "echo no"], 2, "The effect is no integer."],
  [["http://127.0.0.1:1/"], 9, "Nobody answers at http://127.0.0.1:1: "],
] as const)("%j is exit %i, and sends nothing", async ([args, code, why]) => {
  const before = received;
  const { stdout, stderr, exitCode } = await check([...args]);
  expect(stderr).toContain(why);
  expect([stdout, exitCode, received]).toEqual(["", code, before]);
});
