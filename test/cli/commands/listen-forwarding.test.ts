import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseEnv } from "node:util";
import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import type { Event } from "../../../src/contract/event.ts";
import { body, requestJson } from "../../testkit/client/running-service.ts";
import { startService } from "../../../src/service/server/start-service.ts";
import { openUntilFileEnds } from "../../testkit/open-until-file-ends.ts";
import { scriptedServer, text } from "../../testkit/client/scripted-server.ts";
import { openRecordingReceiver } from "../../testkit/service/webhooks.ts";
import { newCertificate, serveOverTls } from "../../testkit/sockets/certificates.ts";
import { freePort } from "../../testkit/sockets/tcp-proxy.ts";
import { createTemporaryHome } from "../../testkit/temporary.ts";
import { listenPayments } from "../../testkit/command/running-commands.ts";
import { createServiceEnv, runPayments } from "../../testkit/command/run-payments.ts";
import {
  readSecret,
  startListening,
  startReceiver,
  startShop,
} from "../../testkit/command/listening-shop.ts";

const ok = text(200, "ok");

describe.concurrent("payments listen --forward-to", () => {
  test("forwards each event, signed with the printed secret, and again when it is resent", async () => {
    const { options, pay, ask } = await startShop();
    const { url, requests, taken } = await startReceiver(ok);
    const command = listenPayments(["--forward-to", url], options);
    await command.says(new RegExp(`^Forwarding to +${url}$`));
    const secret = /whsec_\S+/.exec(await command.says(/^Secret/))?.[0] ?? "";
    const payment = await pay();
    expect(await command.shows(/ → 200 in \d+ ms$/)).toContain(payment.id);
    const forwarded = requests.at(-1);
    const event = new Webhook(secret).verify(
      forwarded?.body ?? "",
      forwarded?.headers as Record<string, string>,
    ) as Event;
    expect(event.data.object).toEqual(payment);
    expect(forwarded?.body).toBe(await (await ask(`/v1/events/${event.id}`, "GET")).text());
    expect(forwarded?.headers["user-agent"]).toMatch(/^payments\/\d/);
    expect(await readSecret(options)).toBe(secret);
    await ask(`/v1/events/${event.id}/resend`, "POST", {});
    await command.shows(new RegExp(`${payment.id} .+ → 200`));
    expect(taken().map(({ id }) => id)).toEqual([event.id, event.id]);
  });

  test("forwards one event at a time, in the order in which they happened", async () => {
    const { options, pay } = await startShop();
    let [underWay, most] = [0, 0];
    const { url, taken } = await startReceiver(async (response) => {
      most = Math.max(most, ++underWay);
      await delay(20);
      underWay--;
      response.end();
    });
    const paid = [];
    for (let count = 0; count < 10; count++) paid.push((await pay()).id);
    const command = await startListening(["--forward-to", url, "--since", "1h"], options);
    for (const id of paid) await command.shows(new RegExp(`${id} .+ → 200`));
    expect(taken().map(({ data }) => data.object.id)).toEqual(paid);
    expect(most).toBe(1);
  });

  test("while nobody answers, lets later events wait, also for the next start", async (context) => {
    const { options, pay, deliveries } = await startShop();
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/hooks`;
    const command = await startListening(["--forward-to", url], options);
    const paid = [];
    for (let count = 0; count < 3; count++) paid.push((await pay()).id);
    expect(await command.shows(/ → refused$/)).toContain(paid[0]);
    const { stdout, exitCode } = await command.end("SIGINT");
    expect([stdout.match(/pay_\S+/g), exitCode]).toEqual([paid.slice(0, 1), 0]);

    const again = await startListening(["--forward-to", url], options);
    expect(await again.shows(/ → refused$/)).toContain(paid[0]);
    const { arrivals } = await openRecordingReceiver(undefined, port);
    for (const id of paid) await again.shows(new RegExp(`${id} .+ → 200 in`));
    expect(arrivals.map(({ event }) => event.data.object.id)).toEqual(paid);
    const delivered = { status: "delivered", attempts: 1, last_status: 200 };
    const ofThisTest = context.expect; // others run meanwhile
    await ofThisTest.poll(deliveries).toMatchObject({ data: [delivered, delivered, delivered] });
  });

  test("lets an event that was answered with an error wait for its next try alone", async () => {
    const { options, pay } = await startShop();
    const { url, taken } = await startReceiver(text(500, "no"), ok);
    const [first, second] = [(await pay()).id, (await pay()).id];
    const command = await startListening(["--forward-to", url, "--since", "1h"], options);
    await command.shows(new RegExp(`${first} .+ → 500`));
    await command.shows(new RegExp(`${second} .+ → 200`));
    await command.shows(new RegExp(`${first} .+ → 200`));
    expect(taken().map(({ data }) => data.object.id)).toEqual([first, second, first]);
  });

  test("signs at the real time where its sandbox does, however far its clock was moved", async () => {
    const sandbox = await startService({
      sandbox: true,
      clock: "manual",
      seed: "1",
      signAt: "wall",
    });
    openUntilFileEnds(async () => sandbox.close());
    const { url, requests } = await startReceiver(ok);
    const key = sandbox.keys.test;
    const options = { home: createTemporaryHome(), env: createServiceEnv(sandbox.url, key) };
    const command = await startListening(["--forward-to", url], options);
    await sandbox.advance("400d");
    const before = Math.floor(Date.now() / 1000);
    await requestJson({ url: sandbox.url, key }, "/v1/payments", body);
    await command.shows(/ → 200 in/);
    const signed = Number(requests[0]?.headers["webhook-timestamp"]);
    expect(signed).toBeGreaterThanOrEqual(before);
    expect(signed).toBeLessThanOrEqual(Date.now() / 1000);
  });

  test("trusts an authority for https that NODE_EXTRA_CA_CERTS names", async () => {
    const { options, pay } = await startShop();
    const authority = newCertificate("Authority", { isAuthority: true });
    const port = await serveOverTls(
      newCertificate("localhost", { issuer: authority }),
      (_, response) => response.end(),
    );
    const file = join(options.home, "authority.pem");
    writeFileSync(file, authority.certificate);
    const args = ["--forward-to", `https://localhost:${port}/hooks`];
    const refused = await startListening(args, options);
    const { id } = await pay();
    await refused.shows(
      / → unable to .+; NODE_EXTRA_CA_CERTS names a file of authorities to trust$/,
    );
    await refused.end("SIGINT");
    const env = { ...options.env, NODE_EXTRA_CA_CERTS: file };
    const trusting = listenPayments(args, { ...options, env });
    expect(await trusting.shows(/ → 200 in/)).toContain(id);
  });

  test("sends --header, and shows the response with --print-response, whose control characters stay out of the terminal", async () => {
    const { options, pay } = await startShop();
    const { url, requests } = await startReceiver(text(200, "one\u001b[2J\ntwo"));
    const flags = ["--header", "Authorization: Bearer abc", "--print-response"];
    const command = await startListening(["--forward-to", url, ...flags], options);
    await pay();
    await command.shows(/ → 200 in/);
    await command.shows(/^ {2}HTTP\/1\.1 200 OK$/);
    await command.shows(/^ {2}one\ufffd\[2J$/);
    await command.shows(/^ {2}two$/);
    expect(requests[0]?.headers.authorization).toBe("Bearer abc");
  });
});

describe.concurrent("payments listen --route", () => {
  test("sends each type to its address, the rest elsewhere, and shows what has no route", async () => {
    const { options, pay, decline } = await startShop();
    const [hooks, own] = [await startReceiver(ok), await startReceiver(ok)];
    const routes = ["--route", "payment.failed=/failed", "--route", `payment.pending=${own.url}`];
    const command = listenPayments(["--forward-to", hooks.url, ...routes], options);
    await command.says(new RegExp(`^Forwarding to +${hooks.url}/failed \\(payment.failed\\)$`));
    await command.says(new RegExp(`^Forwarding to +${own.url} \\(payment.pending\\)$`));
    await command.says(/^Secret/);
    const paid = await pay();
    expect(await command.shows(new RegExp(`payment.succeeded .+${paid.id}`))).toMatch(/EUR$/);
    await decline();
    await command.shows(/payment.pending .+ → 200/);
    await command.shows(/payment.failed .+ → 200/);
    const listSent = ({ requests }: typeof hooks) =>
      requests.map(({ path, body: sent }) => `${path} ${(JSON.parse(sent) as Event).type}`);
    expect(listSent(hooks)).toEqual(["/hooks/failed payment.failed"]);
    expect(listSent(own)).toEqual(["/hooks payment.pending"]);
  });

  test("is exit 2 with what is wrong in it, before anything is sent", async () => {
    const { requests, url } = await scriptedServer(ok);
    const run = async (...flags: string[]) =>
      runPayments(["listen", ...flags], { env: createServiceEnv(url) });
    for (const flags of [
      ["--route", "payment.lost=http://127.0.0.1:1"],
      ["--route", "payment.failed=/failed"],
      ["--route", "*=http://127.0.0.1:1", "--route", "*=http://127.0.0.1:2"],
      ["--events", "payment.failed", "--route", "payment.pending=http://127.0.0.1:1"],
    ]) {
      expect(await run(...flags)).toMatchObject({ stdout: "", exitCode: 2 });
    }
    expect(requests).toEqual([]);
  });
});

describe.concurrent("payments listen --write-env", () => {
  test("writes what a program needs, and deletes it at the end", async () => {
    const { options, pay, url, key } = await startShop();
    const file = join(options.home, ".env.payments");
    const command = listenPayments(["--write-env", file], options);
    const secret = /whsec_\S+/.exec(await command.says(/^Secret/))?.[0];
    expect(readFileSync(file, "utf8")).toMatch(/^# payments listen, process \d+\n/);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(parseEnv(readFileSync(file, "utf8"))).toEqual({
      PAYMENTS_BASE_URL: url,
      PAYMENTS_MODE: "test",
      PAYMENTS_API_KEY: key,
      PAYMENTS_WEBHOOK_SECRET: secret,
    });
    const other = ["listen", "--name", "other", "--write-env", file];
    expect(await runPayments(other, options)).toMatchObject({ exitCode: 2 });
    const { id } = await pay();
    await command.shows(new RegExp(id));
    expect(await command.end("SIGTERM")).toMatchObject({ exitCode: 0 });
    expect(existsSync(file)).toBe(false);
  });

  test("never writes a live key, and says so", async () => {
    const { options, service, url } = await startShop();
    const { key } = await service.createKey({ mode: "live", name: "live" });
    const file = join(options.home, ".env.payments");
    const env = createServiceEnv(url, key);
    const command = listenPayments(["--write-env", file], { ...options, env });
    await command.says(/^The file has no PAYMENTS_API_KEY: a live key is never written\.$/);
    await command.says(/^Secret/);
    const variables = parseEnv(readFileSync(file, "utf8"));
    expect(Object.keys(variables).toSorted()).toEqual([
      "PAYMENTS_BASE_URL",
      "PAYMENTS_MODE",
      "PAYMENTS_WEBHOOK_SECRET",
    ]);
    expect(readFileSync(file, "utf8")).not.toContain(key);
    await command.end("SIGINT");
  });

  test("leads to the embedded service, with its own key", async () => {
    const home = createTemporaryHome();
    const file = join(home, ".env.payments");
    const command = await startListening(["--write-env", file], { home });
    const { PAYMENTS_BASE_URL: base, PAYMENTS_API_KEY: key } = parseEnv(readFileSync(file, "utf8"));
    expect([base, key]).toEqual(["embedded", expect.stringMatching(/^svc_test_sk_/)]);
    await command.end("SIGINT");
  });
});
