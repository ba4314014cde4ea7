import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import type { Event } from "../../../src/contract/event.ts";
import { body, requestJson } from "../../testkit/client/running-service.ts";
import { scriptedServer, silence, text } from "../../testkit/client/scripted-server.ts";
import { startService } from "../../../src/service/server/start-service.ts";
import { openUntilFileEnds } from "../../testkit/open-until-file-ends.ts";
import { startTcpProxy } from "../../testkit/sockets/tcp-proxy.ts";
import { createTemporaryHome } from "../../testkit/temporary.ts";
import {
  hasTerminals,
  runInTerminal,
  keys,
  noTerminals,
} from "../../testkit/command/in-terminal.ts";
import { listenPayments } from "../../testkit/command/running-commands.ts";
import {
  createServiceEnv,
  parseError,
  runInShell,
  parsePrinted,
  runPayments,
} from "../../testkit/command/run-payments.ts";
import {
  readSecret,
  startListening,
  startReceiver,
  startShop,
  type Shop,
} from "../../testkit/command/listening-shop.ts";

/** A proxy to the service that fails as networks do. */
async function startProxy({ url, options }: Pick<Shop, "url" | "options">) {
  const proxy = await startTcpProxy({ host: "127.0.0.1", port: Number(new URL(url).port) });
  openUntilFileEnds(proxy.refuse);
  const env = { ...options.env, PAYMENTS_BASE_URL: `http://127.0.0.1:${proxy.port}` };
  return { proxy, options: { ...options, env } };
}

const ok = text(200, "ok");

describe.concurrent("payments listen", () => {
  test("shows each event as it happens, on a line", async () => {
    const { options, pay, decline, url } = await startShop();
    const command = listenPayments([], options);
    await command.says(/^Listening to +http:.+, test mode$/);
    const paid = await pay();
    expect(await command.shows(/payment\.succeeded/)).toMatch(
      new RegExp(`^[-\\d]{10} [:\\d]{8}  payment.succeeded  evt_\\S+  ${paid.id} +49.99 EUR$`),
    );
    const { id } = await decline();
    await command.shows(new RegExp(`payment.pending .+${id}`));
    await command.shows(new RegExp(`payment.failed .+${id}`));
    const { stdout, stderr, exitCode } = await command.end("SIGINT");
    expect(exitCode).toBe(0);
    expect(stdout.split("\n")).toHaveLength(4);
    expect(stderr.split("\n")).toEqual([
      `Listening to  ${url}, test mode`,
      "Events        all",
      expect.stringMatching(/^Secret {8}whsec_\S{44}$/),
      "",
    ]);
  });

  test("prints only the API's event on each line as JSON, and responses on standard error", async () => {
    const { options, pay, ask } = await startShop();
    await readSecret(options);
    const { url } = await startReceiver(ok);
    const flags = ["-o", "ndjson", "--forward-to", url, "--print-response"];
    const command = listenPayments(flags, options);
    const payment = await pay();
    const line = await command.shows(/./);
    const event = JSON.parse(line) as Event;
    expect(event).toMatchObject({ type: "payment.succeeded", data: { object: payment } });
    expect(line).toBe(await (await ask(`/v1/events/${event.id}`, "GET")).text());
    await command.says(/^ {2}ok$/);
    const { stdout, exitCode } = await command.end("SIGTERM");
    expect({ stdout, exitCode }).toEqual({ stdout: `${line}\n`, exitCode: 0 });
  });

  test("shows the types in --events, also of what was queued before, and all types in a later run without it", async () => {
    const { options, pay, decline, listener, deliveries } = await startShop();
    await readSecret(options);
    await pay();
    const some = listenPayments(["--events", "payment.failed,payment.refunded"], options);
    await some.says(/^Events +payment\.failed, payment\.refunded$/);
    await pay();
    await decline();
    await some.shows(/payment\.failed/);
    await expect.poll(deliveries).toMatchObject({
      data: [{ status: "delivered" }, { type: "payment.succeeded", status: "delivered" }],
    });
    expect((await some.end("SIGINT")).stdout).not.toMatch(/succeeded|pending/);
    const all = listenPayments([], options);
    await all.says(/^Events +all$/);
    expect((await listener()).events).toEqual(["*"]);
    await pay();
    await all.shows(/payment\.succeeded/);
  });

  test("works on the embedded service, and shows the events of other commands", async () => {
    const home = createTemporaryHome();
    const command = listenPayments([], { home });
    await command.says(/^Listening to +the embedded service, test mode$/);
    const { id } = parsePrinted(
      await runPayments(["trigger", "payment.failed", "--json"], { home }),
    );
    await command.shows(new RegExp(`payment.pending .+${String(id)}`));
    await command.shows(new RegExp(`payment.failed .+${String(id)}`));
    const create = ["--amount", "1", "--currency", "eur", "--test-card", "expired-card"];
    await runPayments(["create", ...create], { home });
    await command.shows(/payment\.pending/);
    await command.shows(/payment\.failed/); // which it settles itself
    expect(await command.end("SIGINT")).toMatchObject({ exitCode: 0 });
  });

  test("is readable in a terminal of 80 columns, and ends by Ctrl-C", async ({ skip }) => {
    skip(!hasTerminals, noTerminals);
    const { options, pay } = await startShop();
    const { url } = await startReceiver(ok);
    const terminal = runInTerminal(["listen", "--forward-to", url], { ...options, columns: 80 });
    await terminal.appears("whsec_");
    const { id } = await pay();
    await terminal.appears("succeeded");
    await terminal.appears("200 in ");
    await terminal.appears(`  ${id}`);
    terminal.type(keys.controlC);
    expect(await terminal.exitCode).toBe(0);
  });

  test("ends when its reader closes the pipe", async (context) => {
    const { options, pay } = await startShop();
    const shell = runInShell("payments listen --json | head -1", options);
    let isOver = false;
    void shell.finally(() => (isOver = true));
    await context.expect.poll(async () => (await pay(), isOver), { interval: 100 }).toBe(true);
    const { stdout, ...ended } = await shell;
    expect(ended).toEqual({ stderr: "", exitCode: 0 });
    expect(stdout.split("\n")).toHaveLength(2);
  });
});

describe.concurrent("payments listen --until", () => {
  const until = ["--until", "payment.failed"];

  test("ends with 0 once such an event has come, and leaves it to no later run", async () => {
    const { options, pay, decline, deliveries } = await startShop();
    const command = await startListening(until, options);
    await pay();
    await decline();
    const { stdout, exitCode } = await command.ended;
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/succeeded[^]+pending[^]+payment\.failed/);
    expect(await deliveries()).toMatchObject({ data: [{ status: "delivered" }, {}, {}] });
  });

  test("ends only once the address has taken the event, and shows each attempt", async () => {
    const { options, pay, deliveries } = await startShop();
    const { url, taken } = await startReceiver(text(500, "no"), ok);
    const to = ["--forward-to", url, "--until", "payment.succeeded"];
    const command = await startListening(to, options);
    await pay();
    const { stdout, exitCode } = await command.ended;
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/ → 500 in \d+ ms\n.* → 200 in \d+ ms\n$/);
    expect(taken()).toHaveLength(2);
    expect(new Set(taken().map(({ id }) => id)).size).toBe(1);
    expect(await deliveries()).toMatchObject({
      data: [{ status: "delivered", attempts: 2, last_status: 200, last_error: null }],
    });
  });

  test("ends with 8 when the time is over", async () => {
    const { options, pay } = await startShop();
    await pay();
    const waits = [...until, "--since", "1h", "--timeout", "100ms"];
    const ran = await runPayments(["listen", ...waits, "--json"], options);
    expect(ran.exitCode).toBe(8);
    expect(ran.stderr).toContain("No payment.failed event has come within 100ms");
  });

  test("ends with 8 if the address never takes the event", async () => {
    const { options, pay } = await startShop();
    await pay();
    const { url } = await startReceiver(text(500, "no"));
    const to = ["--forward-to", url, "--since", "1h", "--until", "payment.succeeded"];
    const ran = await runPayments(["listen", ...to, "--timeout", "1s"], options);
    expect(ran.exitCode).toBe(8);
  });

  test.each([
    ["--until", "payment.failed", "--events", "payment.refunded"],
    ["--timeout", "1s"],
    ["--until", "payment.lost"],
    ["--header", "a: b"],
    ["--print-response"],
    ["--forward-to", "http://127.0.0.1:1", "--header", "webhook-id: 1"],
  ])("is exit 2 with %s %s %s %s, before anything is sent", async (...flags) => {
    const { requests, url } = await scriptedServer(ok);
    const ran = await runPayments(["listen", ...flags], { env: createServiceEnv(url) });
    expect(ran).toMatchObject({ stdout: "", exitCode: 2 });
    expect(requests).toEqual([]);
  });
});

describe.concurrent("events while no listener runs", () => {
  test("are shown once by the next one, signed with the same secret, unless it says --only-new", async () => {
    const { options, pay } = await startShop();
    const early = await pay();
    const before = await readSecret(options);
    const first = listenPayments(["--json", "--since", "1h"], options);
    expect(await first.shows(/./)).toContain(early.id); // from before the first start
    await pay();
    await first.shows(/./);
    expect((await first.end("SIGINT")).stderr).toBe("");
    const missed = [await pay(), await pay()];
    const second = listenPayments(["--json"], options);
    const lines = [await second.shows(/./), await second.shows(/./)];
    const events = lines.map((line) => (JSON.parse(line) as Event).data.object.id);
    expect(events.toSorted()).toEqual(missed.map(({ id }) => id).toSorted());
    const last = await pay();
    expect(await second.shows(/./)).toContain(last.id);
    await second.end("SIGINT");
    expect(await readSecret(options)).toBe(before);
    const skipped = await pay();
    const onlyNew = await startListening(["--only-new"], options);
    const fresh = await pay();
    await onlyNew.shows(new RegExp(fresh.id));
    expect((await onlyNew.end("SIGINT")).stdout).not.toContain(skipped.id);
  });

  test("are delivered again by the next one if SIGINT came before the response", async () => {
    const { options, pay } = await startShop();
    const { url, requests } = await startReceiver(silence, ok);
    const first = await startListening(["--forward-to", url], options);
    const { id } = await pay();
    await expect.poll(() => requests.length).toBe(1);
    expect(await first.end("SIGINT")).toMatchObject({ exitCode: 0, stdout: "" });
    const second = listenPayments(["--forward-to", url], options);
    await second.shows(new RegExp(`${id} .+ → 200 in`));
  });
});

describe.concurrent("a second listener", () => {
  test("of the same name is refused until the first process has ended, even if that is suspended", async () => {
    const { options, pay } = await startShop();
    const first = await startListening([], options);
    const refused = async () => runPayments(["listen", "--json"], options);
    expect(parseError(await refused())).toMatchObject({
      code: "conflict",
      message: expect.stringContaining("already running here") as unknown,
      hint: expect.stringContaining("--name") as unknown,
    });
    first.kill("SIGSTOP");
    expect(await refused()).toMatchObject({ exitCode: 6 });
    const payment = await pay();
    first.kill("SIGCONT");
    await first.shows(new RegExp(payment.id));
    await first.end("SIGKILL");
    await startListening([], options);
  });

  test("of another name, or of another home, receives every event too", async () => {
    const { options, pay } = await startShop();
    const commands = [
      listenPayments(["--until", "payment.failed"], options),
      listenPayments(["--name", "second"], options),
      listenPayments([], { ...options, home: createTemporaryHome() }),
    ];
    const secrets = await Promise.all(commands.map(async ({ says }) => says(/^Secret/)));
    expect(new Set(secrets).size).toBe(3);
    const { id } = await pay();
    await Promise.all(commands.map(async ({ shows }) => shows(new RegExp(id))));
    const ended = await Promise.all(commands.map(async ({ end }) => end("SIGINT")));
    expect(ended.map(({ exitCode }) => exitCode)).toEqual([130, 0, 0]); // --until was not met
  });
});

describe.concurrent("the listener's endpoint at the service", () => {
  test("is created anew if it was deleted, and if it is deleted while it listens, with the same secret: what was shown is not shown again", async () => {
    const { options, ask, pay, listener } = await startShop();
    const remove = async () => ask(`/v1/webhook_endpoints/${(await listener()).id}`, "DELETE");
    const note = /^The listener was no longer at the service: .+ with the same secret\.$/;
    const before = await readSecret(options);
    await remove();
    const command = listenPayments([], options);
    await command.says(note);
    expect(await command.says(/^Secret/)).toContain(before);
    const shown = await pay();
    await command.shows(new RegExp(shown.id));
    await remove();
    await command.says(note);
    const paid = await pay();
    await command.shows(new RegExp(paid.id));
    const { stdout, exitCode } = await command.end("SIGINT");
    expect([stdout.match(/pay_\S+/g), exitCode]).toEqual([[shown.id, paid.id], 0]);
  });

  test("is enabled again if it was disabled, until the service rejects the key: exit 4", async () => {
    const { options, ask, pay, listener, service, key } = await startShop();
    await readSecret(options);
    const { id } = await listener();
    await ask(`/v1/webhook_endpoints/${id}`, "POST", { status: "disabled" });
    const command = await startListening(["--request-timeout", "2s"], options); // so long it does not ask
    const payment = await pay();
    await command.shows(new RegExp(payment.id));
    expect((await listener()).status).toBe("enabled");
    const used = (await service.listKeys()).find(({ last4 }) => key.endsWith(last4));
    await service.revokeKey({ id: used?.id ?? "", account: used?.account ?? "" });
    expect(await command.ended).toMatchObject({ exitCode: 4 });
  });
});

test("survives that its sandbox is reset and restarted, and signs at the sandbox's time", async () => {
  const receiver = await startReceiver(ok, ok, ok, ok);
  const started = await startService({ sandbox: true, clock: "manual", seed: "1" });
  openUntilFileEnds(async () => started.close());
  const options = {
    home: createTemporaryHome(),
    env: createServiceEnv(started.url, started.keys.test),
  };
  const routes = ["--route", "payment.succeeded=/paid"];
  // An event of a type without a route ends it once it has come.
  const forwarding = ["--forward-to", receiver.url, ...routes, "--until", "payment.refunded"];
  const command = listenPayments(forwarding, options);
  const secret = /whsec_\S+/.exec(await command.says(/^Secret/))?.[0] ?? "";
  const pay = async ({ url, keys: { test: key } }: typeof started) =>
    requestJson({ url, key }, "/v1/payments", body);
  const signedAt = () => {
    const { body: sent = "", headers = {} } = receiver.requests.at(-1) ?? {};
    const { "webhook-timestamp": at, "webhook-signature": signature } = headers;
    const id = String(headers["webhook-id"]);
    const expected = new Webhook(secret).sign(id, new Date(Number(at) * 1000), sent);
    return [Number(at), signature === expected];
  };

  await started.advance("400d");
  const before = await pay(started);
  await command.shows(new RegExp(before.id));
  expect(signedAt()).toEqual([1_800_000_000 + 400 * 86_400, true]);

  await started.reset();
  const [early] = [await pay(started)]; // perhaps before the command knows
  await command.says(/^The listener was no longer at the service: .+ with the same secret\.$/);
  await command.shows(new RegExp(early.id));
  expect(signedAt()).toEqual([1_800_000_000, true]);

  await started.close();
  await command.says(/^The service cannot be reached; trying again\.$/);
  const port = Number(new URL(started.url).port);
  const again = await startService({ sandbox: true, port });
  openUntilFileEnds(async () => again.close());
  const { id } = await pay(again);
  await command.says(/^The service is back\.$/);
  await command.says(/^The listener was no longer at the service/);
  await command.shows(new RegExp(id));
  const refund = await fetch(`${again.url}/v1/payments/${id}/refund`, {
    method: "POST",
    headers: { authorization: `Bearer ${again.keys.test}` },
  });
  expect(refund.status).toBe(200);
  expect((await command.ended).exitCode).toBe(0);
  expect(await readSecret(options)).toBe(secret);
});

test.concurrent("a lost connection is noted once and retried, no event is missing afterwards, and the listener can end meanwhile", async () => {
  const { pay, ...server } = await startShop();
  const { proxy, options } = await startProxy(server);
  const command = await startListening(["--max-retries", "0"], options);
  const lost = /^The service cannot be reached; trying again\.$/;
  await proxy.refuse();
  await command.says(lost);
  const missed = await pay();
  await proxy.accept();
  await command.says(/^The service is back\.$/);
  await command.shows(new RegExp(missed.id));
  await proxy.refuse();
  await command.says(lost);
  const { stderr, exitCode } = await command.end("SIGINT");
  expect(exitCode).toBe(0);
  expect(stderr.match(/trying again/g)).toHaveLength(2);
});
