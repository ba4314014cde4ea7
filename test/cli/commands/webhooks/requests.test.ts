import { describe, expect, test, vi } from "vitest";
import {
  drop,
  json,
  refusal,
  scriptedServer,
  text,
} from "../../../testkit/client/scripted-server.ts";
import {
  deliveryWith,
  endpointWith,
  eventWith,
  listWith,
  triedDeliveryWith,
  webhookTestWith,
} from "../../../testkit/api-objects.ts";
import {
  createServiceEnv,
  parsePrinted,
  runPayments,
  startPayments,
  waitForEnd,
  type Ran,
} from "../../../testkit/command/run-payments.ts";
import { runInTerminal, keys, requireTerminals } from "../../../testkit/command/in-terminal.ts";

// The request of each command; responses are in every-command.test.ts.

const { id } = endpointWith();
const event = eventWith().id;
const url = "https://shop.example/hooks";
const secret = "whsec_c2VjcmV0";
const queued = listWith(`/v1/events/${event}/resend`, deliveryWith());
/** Asked where an age counts back from the service's time, and before a recovery that is waited for. */
const account = json(200, { id: "acct_1", object: "account", name: "Shop" });
const newest = json(200, listWith("/v1/events", eventWith({ id: event })));
const recoveryOf = (count: number) => ({ object: "recovery", queued: count, has_more: false });
const path = `/v1/webhook_endpoints/${id}`;

type Write = [line: string, path: string, body: object, answer: object];
const writes: Write[] = [
  [
    `webhooks create --url ${url} --description Orders`,
    "/v1/webhook_endpoints",
    { url, description: "Orders" },
    endpointWith({ secret }),
  ],
  [
    `webhooks create --url ${url} --events payment.failed,payment.pending`,
    "/v1/webhook_endpoints",
    { url, events: ["payment.pending", "payment.failed"] },
    endpointWith({ secret }),
  ],
  [
    `webhooks update ${id} --events payment.failed --events payment.refunded`,
    path,
    { events: ["payment.failed", "payment.refunded"] },
    endpointWith(),
  ],
  [
    `webhooks update ${id} --url ${url} --description= --events *`,
    path,
    { url, events: ["*"], description: null },
    endpointWith(),
  ],
  [`webhooks enable ${id}`, path, { status: "enabled" }, endpointWith()],
  [`webhooks disable ${id}`, path, { status: "disabled" }, endpointWith({ status: "disabled" })],
  [`webhooks roll ${id}`, `${path}/roll`, { overlap_hours: 24 }, endpointWith({ secret })],
  [
    `webhooks roll ${id} --overlap 0h`,
    `${path}/roll`,
    { overlap_hours: 0 },
    endpointWith({ secret }),
  ],
  [
    `webhooks recover ${id} --since 1700000000 --no-wait`,
    `${path}/recover`,
    { since: 1_700_000_000 },
    { object: "recovery", queued: 12, has_more: false },
  ],
  [`events resend ${event}`, `/v1/events/${event}/resend`, {}, queued],
  [
    `events resend ${event} --endpoint ${id}`,
    `/v1/events/${event}/resend`,
    { endpoint: id },
    queued,
  ],
];

describe.concurrent.each(writes)("%s", (line, asked, body, answer) => {
  test("sends its request with the given idempotency key, and prints the response", async () => {
    const server = await scriptedServer(json(200, answer));
    const named = `${line} --idempotency-key k-1 --json`.split(" ");
    expect(parsePrinted(await runPayments(named, { env: createServiceEnv(server.url) }))).toEqual(
      answer,
    );
    expect(server.requests).toHaveLength(1);
    const [request] = server.requests;
    expect(request).toMatchObject({ method: "POST", path: asked });
    expect(request?.headers["idempotency-key"]).toBe("k-1");
    expect(JSON.parse(request?.body ?? "")).toEqual(body);
  });
});

test.concurrent("webhooks recover goes on while there are more, under keys that follow from the first", async () => {
  const server = await scriptedServer(
    json(200, { object: "recovery", queued: 10_000, has_more: true }),
    json(200, { object: "recovery", queued: 2, has_more: false }),
  );
  const line = `webhooks recover ${id} --since 1700000000 --no-wait --idempotency-key k --json`;
  const ran = await runPayments(line.split(" "), { env: createServiceEnv(server.url) });
  expect(parsePrinted(ran)).toEqual({ object: "recovery", queued: 10_002, has_more: false });
  const keysSent = server.requests.map(({ headers }) => headers["idempotency-key"]);
  expect(keysSent).toEqual(["k", "k-2"]);
});

test.concurrent("webhooks recover that queues nothing says what still waits for its next try", async () => {
  const at = 1_794_744_000; // 2026-11-15 12:00 UTC
  const waiting = [at + 300, at].map((next) => deliveryWith({ next_attempt_at: next }));
  const list = json(200, listWith(`${path}/deliveries`, ...waiting));
  const line = `webhooks recover ${id} --since 1700000000 --no-wait`.split(" ");
  const run = async (answer: typeof list, ...more: string[]) => {
    const server = await scriptedServer(json(200, recoveryOf(0)), answer);
    const env = { ...createServiceEnv(server.url), TZ: "UTC" };
    return { ...(await runPayments([...line, ...more], { env })), requests: server.requests };
  };
  const { stdout, requests } = await run(list);
  expect(stdout).toBe(
    `Queued 0 events. Waiting for their next try: 2, the first at 2026-11-15 12:00:00 (payments webhooks deliveries ${id} --status pending).\n`,
  );
  const more = { ...listWith(`${path}/deliveries`, ...waiting), has_more: true };
  expect((await run(json(200, more))).stdout).toContain(
    " more than 2 (payments webhooks deliveries ",
  );
  expect(requests[1]?.path).toContain("/deliveries?status=pending&created%5Bgte%5D=17");
  const mayNotRead = refusal(403, "permission_denied");
  expect(await run(mayNotRead)).toMatchObject({ stdout: "Queued 0 events.\n", exitCode: 0 });
  const asJson = await run(list, "--json");
  expect([JSON.parse(asJson.stdout), asJson.requests.length]).toEqual([recoveryOf(0), 1]);
});

test.concurrent("webhooks recover since an age names the time that repeats it", async () => {
  const server = await scriptedServer(account, drop, json(200, recoveryOf(1)));
  const env = createServiceEnv(server.url);
  const line = `webhooks recover ${id} --no-wait --max-retries 0`;
  const lost = await runPayments([...line.split(" "), "--since", "24h"], { env });
  const [, flags = ""] = /Run the same command with (.*): nothing/.exec(lost.stderr) ?? [];
  expect(await runPayments(`${line} ${flags}`.split(" "), { env })).toMatchObject({ exitCode: 0 });
  const [, first, second] = server.requests;
  expect(second?.body).toBe(first?.body);
  expect(second?.headers["idempotency-key"]).toBe(first?.headers["idempotency-key"]);
});

test.concurrent("webhooks recover refuses an age with an idempotency key, which belongs to one time", async () => {
  const server = await scriptedServer(json(200, recoveryOf(1)));
  const line = `webhooks recover ${id} --since 24h --no-wait --idempotency-key k`;
  const ran = await runPayments(line.split(" "), { env: createServiceEnv(server.url) });
  expect(ran).toMatchObject({ stdout: "", exitCode: 2 });
  expect(ran.stderr).toMatch(/hint: Give the time: --since \d{4}-\d\d-\d\dT[\d:]+Z\n/);
  expect(server.requests).toEqual([]);
});

test.concurrent("webhooks recover goes on watching while the service is away", async () => {
  const none = json(200, listWith(`${path}/deliveries`));
  const away = text(503, "");
  const before = [account, newest, none, none];
  const server = await scriptedServer(...before, json(200, recoveryOf(1)), away, away, none);
  const line = `webhooks recover ${id} --since 24h --max-retries 0`;
  expect(await runPayments(line.split(" "), { env: createServiceEnv(server.url) })).toEqual({
    stdout: "Queued 1 event.\n",
    stderr:
      "The service does not answer as it should; trying again.\nThe service is back.\nAll 1 were delivered.\n",
    exitCode: 0,
  });
});

test.concurrent("webhooks recover that waits says after SIGINT that the events are still sent", async () => {
  const none = json(200, listWith(`${path}/deliveries`));
  const waiting = json(200, listWith(`${path}/deliveries`, deliveryWith()));
  const before = [account, newest, none, none];
  const server = await scriptedServer(...before, json(200, recoveryOf(1)), waiting);
  const args = ["webhooks", "recover", id, "--since", "24h"];
  const child = startPayments(args, { env: createServiceEnv(server.url) });
  const ran = waitForEnd(child);
  const isWatching = () => expect(server.requests.length).toBeGreaterThan(before.length + 1);
  await vi.waitFor(isWatching, { timeout: 120_000, interval: 10 });
  child.kill("SIGINT");
  expect(await ran).toMatchObject({ stdout: "Queued 1 event.\n", exitCode: 130 });
  expect((await ran).stderr).toMatch(
    new RegExp(`^Error: Interrupted\\.\n.*goes on sending them.* webhooks deliveries ${id}\n$`),
  );
});

test.concurrent.each([
  [`webhooks test ${id}`, webhookTestWith(), "status,duration_ms", "48"],
  [`webhooks recover ${id} --since 24h --no-wait`, recoveryOf(12), "queued", "12"],
])("%s leaves only the fields that --fields names", async (line, answer, fields, value) => {
  const picked = fields.split(",").map((name) => [name, (answer as object)[name as never]]);
  const asJson = await runAnswered(answer, `${line} --fields ${fields} --json`);
  expect(JSON.parse(asJson.stdout)).toEqual(Object.fromEntries(picked));
  const asCsv = await runAnswered(answer, `${line} --fields ${fields} -o csv`);
  expect(asCsv.stdout.split("\n")[0]).toBe(fields);
  const inWords = (await runAnswered(answer, `${line} --fields ${fields}`)).stdout;
  expect(inWords).toContain(value);
  expect(inWords.trimEnd().split("\n")).toHaveLength(picked.length);
});

test.concurrent.each([
  [{}, 0, ""],
  [{ status: 500, error: "the endpoint answered 500" }, 3, "the endpoint answered 500."],
  [{ status: null, error: "no \u001b[2Janswer", answer: null }, 3, "no \ufffd[2Janswer."],
])("webhooks test prints the outcome %j, and exits with %i", async (fields, exitCode, error) => {
  const answer = webhookTestWith(fields);
  const server = await scriptedServer(json(200, answer), json(200, answer));
  const env = createServiceEnv(server.url);
  const ran = await runPayments(["webhooks", "test", id, "--json"], { env });
  expect([ran.exitCode, JSON.parse(ran.stdout)]).toEqual([exitCode, answer]);
  expect(server.requests).toMatchObject([{ method: "POST", path: `${path}/test` }]);
  const inWords = await runPayments(["webhooks", "test", id], { env });
  expect(inWords.stdout).toMatch(new RegExp(`^Event +${answer.event}\nStatus +`));
  expect(inWords.stderr).toContain(error);
});

test.concurrent("webhooks deliveries shows one delivery with its tries, and takes no flag of a list then", async () => {
  const delivery = triedDeliveryWith();
  const line = `webhooks deliveries ${id} ${delivery.id}`;
  expect(JSON.parse((await runAnswered(delivery, `${line} --json`)).stdout)).toEqual(delivery);
  const { stdout } = await runAnswered(delivery, line);
  expect(stdout).toContain(
    "\n2026-11-15 12:00:00  500  31 ms  the endpoint answered 500\n  Sorry\n",
  );
  expect((await runAnswered(delivery, `${line} --fields status,tries`)).stdout).toContain("31");
  const { stderr, exitCode } = await runAnswered(delivery, `${line} --status failed`);
  expect([stderr, exitCode]).toEqual([expect.stringContaining("--status is for a list."), 2]);
  const mistyped = await runAnswered(delivery, `webhooks deliveries ${id} evt_1`);
  expect(mistyped.stderr).toContain(`hint: payments webhooks deliveries ${id} shows the ids.`);
});

test.concurrent("a secret is masked in the traffic of --debug", async () => {
  const server = await scriptedServer(json(201, endpointWith({ secret })));
  const args = ["webhooks", "create", "--url", url, "--debug"];
  const ran = await runPayments(args, { env: createServiceEnv(server.url) });
  expect(ran.stdout).toContain(secret);
  expect(ran.stderr).toContain('"secret":"whsec_…"');
  expect(ran.stderr).not.toContain(secret);
});

async function runAnswered(answer: object, line: string): Promise<Ran> {
  const server = await scriptedServer(json(200, answer));
  const env = { ...createServiceEnv(server.url), TZ: "UTC" };
  return await runPayments(line.split(" "), { env });
}

describe.concurrent("in text output", () => {
  test("create shows the secret, and notes that it is shown only once", async () => {
    const ran = await runAnswered(endpointWith({ secret }), `webhooks create --url ${url}`);
    expect(ran.stdout).toMatch(
      new RegExp(`^Endpoint +${id}\nURL +${url}\n(?:.+\n)*Secret +${secret}\n`),
    );
    expect(ran.stderr).toBe("Store the secret now: it is not shown again.\n");
    expect(ran.exitCode).toBe(0);
  });

  test.each([
    ["24h", "The old secret signs as well for another 24h.\n"],
    ["0h", "The old secret no longer signs.\n"],
  ])("roll --overlap %s says how long the old secret signs", async (overlap, note) => {
    const line = `webhooks roll ${id} --overlap ${overlap}`;
    const ran = await runAnswered(endpointWith({ secret }), line);
    expect(ran.stdout).toContain(secret);
    expect(ran.stderr).toBe(`Store the secret now: it is not shown again.\n${note}`);
  });

  test("create and roll print the secret as CSV, and accept it in --fields", async () => {
    const created = endpointWith({ secret });
    const asCsv = await runAnswered(created, `webhooks create --url ${url} -o csv`);
    expect(asCsv.stdout).toBe(
      `id,object,url,events,description,status,disabled_reason,secret,created,livemode,last_success_at,failing_since\n${id},webhook_endpoint,${url},"[""*""]",,enabled,,${secret},1794744000,false,1794744060,\n`,
    );
    const field = await runAnswered(created, `webhooks roll ${id} --fields secret --json`);
    expect(field).toEqual({ stdout: `{"secret":"${secret}"}\n`, stderr: "", exitCode: 0 });
  });

  test("list shows the endpoints without secrets, and notes if there are none", async () => {
    const listed = listWith("/v1/webhook_endpoints", endpointWith());
    const ran = await runAnswered(listed, "webhooks list");
    expect(ran).toMatchObject({ stderr: "", exitCode: 0 });
    expect(ran.stdout).toMatch(/^ID +URL +STATUS +HEALTH +EVENTS +CREATED +DESCRIPTION\nwe_/);
    expect((await runAnswered(listed, "webhooks list -o csv")).stdout).not.toContain("secret");
    expect(await runAnswered(listWith("/v1/webhook_endpoints"), "webhooks list")).toEqual({
      stdout: "",
      stderr: "No endpoints. Make one with payments webhooks create.\n",
      exitCode: 0,
    });
  });

  test("deliveries and resend show a table of deliveries", async () => {
    const some = listWith(`/v1/webhook_endpoints/${id}/deliveries`, deliveryWith());
    const [listed, resent] = await Promise.all([
      runAnswered(some, `webhooks deliveries ${id}`),
      runAnswered(some, `events resend ${event}`),
    ]);
    expect(listed).toMatchObject({ stderr: "", exitCode: 0 });
    expect(listed.stdout).toMatch(/^EVENT +STATUS +ATTEMPTS +LAST +NEXT +CREATED +TYPE +ID\nevt_/);
    expect(resent).toEqual(listed);
  });

  test("deliveries notes how to get the next page, and if there are none", async () => {
    const some = listWith(`/v1/webhook_endpoints/${id}/deliveries`, deliveryWith());
    const first = await runAnswered(
      { ...some, has_more: true },
      `webhooks deliveries ${id} --limit 1`,
    );
    expect(first.stderr).toBe(
      `There are older ones: --starting-after ${deliveryWith().id}, or --all\n`,
    );
    const none = await runAnswered(listWith(some.url), `webhooks deliveries ${id}`);
    expect(none).toEqual({ stdout: "", stderr: "No deliveries.\n", exitCode: 0 });
  });

  test("resend notes why nothing was queued", async () => {
    expect(await runAnswered(listWith("/"), `events resend ${event}`)).toEqual({
      stdout: "",
      stderr: "Nothing was queued: no endpoint is enabled. See payments webhooks list.\n",
      exitCode: 0,
    });
  });
});

const deleted = { id, object: "webhook_endpoint", deleted: true };
const question = "Delete this endpoint?";

async function serveEndpoint() {
  const server = await scriptedServer((response, request) =>
    json(200, request.method === "DELETE" ? deleted : endpointWith())(response, request),
  );
  return { ...server, methods: () => server.requests.map(({ method }) => method) };
}

/** Starts the command in a terminal. */
async function startDelete(...flags: string[]) {
  const server = await serveEndpoint();
  const env = createServiceEnv(server.url);
  return { server, terminal: runInTerminal(["webhooks", "delete", id, ...flags], { env }) };
}

describe.concurrent("payments webhooks delete", () => {
  test("shows the endpoint, and deletes it with --yes", async () => {
    const server = await serveEndpoint();
    const env = createServiceEnv(server.url);
    const ran = await runPayments(["webhooks", "delete", id, "--yes"], { env });
    expect(ran).toMatchObject({ stdout: `Deleted ${id}.\n`, exitCode: 0 });
    expect(ran.stderr).toMatch(new RegExp(`^Endpoint +${id}\nURL +https://shop`));
    expect(server.methods()).toEqual(["GET", "DELETE"]);
    const asJson = await runPayments(["webhooks", "delete", id, "--yes", "--json"], { env });
    expect(asJson).toEqual({ stdout: `${JSON.stringify(deleted)}\n`, stderr: "", exitCode: 0 });
  });
});

describe.concurrent("payments webhooks delete in a terminal", () => {
  requireTerminals();
  test("deletes after yes", async () => {
    const { server, terminal } = await startDelete();
    await terminal.appears("https://shop.example/hooks");
    await terminal.appears(`Test mode, ${server.url}.`);
    await terminal.appears(question);
    expect(server.methods()).toEqual(["GET"]);
    terminal.type(`y${keys.enter}`);
    expect(await terminal.exitCode).toBe(0);
    expect(terminal.screen()).toContain(`Deleted ${id}.`);
    expect(server.methods()).toEqual(["GET", "DELETE"]);
  });

  test.each(["", keys.controlC])("deletes nothing after %j: exit 10", async (answer) => {
    const { server, terminal } = await startDelete();
    await terminal.appears(question);
    terminal.type(answer === keys.controlC ? answer : answer + keys.enter);
    expect(await terminal.exitCode).toBe(10);
    expect(terminal.screen()).toMatch(/Error:.* Canceled; nothing was (deleted|sent)\./);
    expect(server.methods()).toEqual(["GET"]);
  });

  test("does not prompt with --yes", async () => {
    const { terminal } = await startDelete("--yes");
    expect(await terminal.exitCode).toBe(0);
    expect(terminal.screen()).not.toContain(question);
  });
});
