import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { routes } from "../../../src/contract/routes.ts";
import { paymentWith } from "../../testkit/api-objects.ts";
import {
  type Send,
  blur,
  exampleHeaders,
  examplesOf,
  given,
  grants,
  openShop,
  queries,
  responseExamples,
} from "../../testkit/app/documented-shop.ts";
import { openApp } from "../../testkit/app/open-app.ts";
import {
  type Answer,
  drop,
  holding,
  json,
  refusal,
  scriptedServer,
  text,
} from "../../testkit/client/scripted-server.ts";
import { requireTerminals, runInTerminal } from "../../testkit/command/in-terminal.ts";
import {
  createServiceEnv,
  parseError,
  parseList,
  runInShell,
  runPayments,
} from "../../testkit/command/run-payments.ts";
import { createTemporaryHome, someKeys } from "../../testkit/temporary.ts";

const card = "4242424242424242";

/** Runs a request at a service that answers so; gives what came there, too. */
async function send(
  args: string[],
  {
    answers = [json(200, {})],
    key,
    stdin,
  }: { answers?: Answer[]; key?: string; stdin?: string } = {},
) {
  const server = await scriptedServer(...answers);
  const env = createServiceEnv(server.url, key);
  const ran = await runPayments(["api", ...args], { env, ...(stdin !== undefined && { stdin }) });
  return { ...ran, requests: server.requests, sent: server.requests[0] };
}

const bodyOf = async (...fields: string[]) =>
  JSON.parse((await send(["/v1/payments", ...fields])).sent?.body ?? "null") as unknown;

describe("a request", () => {
  test.each([
    [["/v1/payments"], "GET"],
    [["/v1/payments", "-f", "a=1"], "POST"],
    [["get", "/v1/payments"], "GET"],
    [["Head", "/v1/payments"], "HEAD"],
    [["POST", "/v1/payments"], "POST"],
    [["put", "/v1/payments", "-f", "a=1"], "PUT"],
    [["PATCH", "/v1/payments", "-f", "a=1"], "PATCH"],
    [["DELETE", "/v1/webhook_endpoints/we_1"], "DELETE"],
  ])("payments api %j is a %s", async (args, method) => {
    expect((await send(args)).sent).toMatchObject({ method, path: args.find((a) => a[0] === "/") });
  });

  test("has the key, a key of its own where it writes, and no body where none was given", async () => {
    const { headers, body } = (await send(["POST", "/v1/payments/pay_1/refund"])).sent!;
    expect(headers).toMatchObject({ authorization: `Bearer ${someKeys.test}` });
    expect(headers["idempotency-key"]).toMatch(/^[0-9a-f-]{36}$/);
    expect([body, headers["content-type"]]).toEqual(["", undefined]);
    expect((await send(["/v1/payments"])).sent?.headers).not.toHaveProperty("idempotency-key");
  });

  test("takes the idempotency key, the version and headers that are given", async () => {
    const flags = ["--idempotency-key", "one", "--service-version", "2026-11-01"];
    const headers = ["--header", "X-Trace: a b", "--header", "x-trace: c"];
    expect(
      (await send(["POST", "/v1/payments", ...flags, ...headers])).sent?.headers,
    ).toMatchObject({
      "idempotency-key": "one",
      "service-version": "2026-11-01",
      "x-trace": "a b, c",
    });
  });

  test("has fields as texts, numbers, true, false, null, nested and in lists", async () => {
    const typed = [
      "n=4999",
      "x=-1.50",
      "e=1e2",
      "t=true",
      "f=false",
      "o=null",
      "s=007",
      "m[a=b]=1",
    ];
    const fields = typed.flatMap((field) => ["-F", field]);
    expect(await bodyOf("-f", "amount=4999", ...fields)).toEqual({
      amount: "4999",
      n: 4999,
      x: -1.5,
      e: 100,
      t: true,
      f: false,
      o: null,
      s: "007",
      m: { "a=b": 1 },
    });
    const nested = ["a[b][c]=1", "a[b][d]=", "l[]=1", "l[]=x=y", "__proto__[x]=1"];
    expect(JSON.stringify(await bodyOf(...nested.flatMap((field) => ["-f", field])))).toBe(
      '{"a":{"b":{"c":"1","d":""}},"l":["1","x=y"],"__proto__":{"x":"1"}}',
    );
  });

  test("has the fields of a GET and a DELETE as its query", async () => {
    const fields = ["-f", "created[gte]=1", "-F", "search=a b&c"];
    const query = "created%5Bgte%5D=1&search=a+b%26c";
    const paths = [
      await send(["GET", "/v1/payments", ...fields]),
      await send(["DELETE", "/v1/payments?limit=1", ...fields]),
    ].map(({ sent }) => sent?.path);
    expect(paths).toEqual([`/v1/payments?${query}`, `/v1/payments?limit=1&${query}`]);
  });

  test("has texts of files and of standard input, and the whole body as it is in a file", async () => {
    const file = join(createTemporaryHome(), "body.json");
    writeFileSync(file, '{ "amount": 1.0e2 }\n');
    const { sent } = await send(["/v1/payments", "-F", `a=@${file}`, "-F", "b=@-"], {
      stdin: "42",
    });
    expect(JSON.parse(sent?.body ?? "")).toEqual({ a: '{ "amount": 1.0e2 }\n', b: "42" });
    expect((await send(["/v1/payments", "--data", file])).sent?.body).toBe('{ "amount": 1.0e2 }\n');
    const piped = await send(["PUT", "/v1/payments", "--data", "-"], { stdin: '{"a":1}' });
    expect(piped.sent).toMatchObject({ method: "PUT", body: '{"a":1}' });
  });
});

const nested = (levels: number) => `a${"[b]".repeat(levels)}=1`;
const otherPlaces = [
  ["https://evil.example/v1/payments"],
  ["HTTP://evil.example/v1/payments"],
  ["//evil.example/v1/payments"],
  ["/\\evil.example/v1/payments"],
  ["evil.example/v1/payments"],
  ["v1/payments"],
  ["/"],
  ["/v1"],
  ["/v2/payments"],
  ["/dashboard"],
  ["/V1/payments"],
  ["/v1/../dashboard"],
  ["/v1/./payments"],
  ["/v1/.../payments"],
  ["/v1/%2e%2e/dashboard"],
  ["/v1/%252e%252e/dashboard"],
  ["/v1/payments%2f..%2f..%2fmetrics"],
  ["/v1/payments\\..\\x"],
  ["/v1/payments#x"],
  ["/v1/payments?a=b#x"],
  ["/v1/payments?a=b c"],
  ["/v1/payments\r\nX-Evil: 1"],
  ["/v1/payments?a=1\nx"],
  ["/v1/zahlung/ä"],
  ["/sandbox/../v1/payments"],
  ["POST", "http://evil.example"],
  ["/v1/payments/", "/v1/payments"],
];
const secrets = [
  [`/v1/payments/${card}`],
  [`/v1/payments?search=${card}`],
  ["/v1/payments?search=4242+4242%204242-4242"],
  ["GET", "/v1/payments", "-f", `search=${card}`],
  ["DELETE", "/v1/payments", "-F", `card[number]=${card}`],
  [`/v1/payments/${someKeys.live}`],
  [`/v1/payments?${someKeys.test}=1`],
  ["GET", "/v1/payments", "-f", `a=${someKeys.live}`],
  ["/v1/payments", "-f", `${someKeys.live}=1`],
  ["/v1/payments", "-f", `metadata[${card}]=1`],
];
const reservedHeaders = [
  "Authorization: Bearer x",
  "authorization:",
  "Proxy-Authorization: x",
  "HOST: evil.example",
  "Cookie: a=b",
  "Content-Length: 3",
  "Content-Type: text/plain",
  "Transfer-Encoding: chunked",
  "Idempotency-Key: x",
  "Service-Version: 2026-11-01",
  "X-A: 1\r\nAuthorization: x",
  "X-A: 1\nx",
  "X-A: \u0000",
  "X A: 1",
  ": 1",
  "X-A",
  "X-Ä: 1",
].map((header) => ["/v1/payments", "--header", header]);
const contradictions = [
  [],
  ["GET", "/v1/payments", "--data", "-"],
  ["HEAD", "/v1/payments", "--data", "-"],
  ["DELETE", "/v1/payments/x", "--data", "-"],
  ["/v1/payments", "--data", "-", "-f", "a=1"],
  ["/v1/payments", "--data", "-", "-F", "a=1"],
  ["/v1/payments", "--data", "-", "--api-key-file", "-"],
  ["/v1/payments", "-F", "a=@-", "-F", "b=@-"],
  ["/v1/payments", "-F", "a=@-", "--api-key-file", "-"],
  ["/v1/payments", "-F", "a=@/no/such/file"],
  ["/v1/payments", "-f", "a=1", "-f", "a=2"],
  ["/v1/payments", "-F", "a=null", "-F", "a=null"],
  ["/v1/payments", "-f", "a=1", "-f", "a[b]=2"],
  ["/v1/payments", "-f", "a[b]=1", "-f", "a=2"],
  ["/v1/payments", "-f", "a[]=1", "-f", "a[b]=2"],
  ["GET", "/v1/payments", "-f", "a=1", "-f", "a=2"],
  ["/v1/payments", "-f", "a"],
  ["/v1/payments", "-f", "=1"],
  ["/v1/payments", "-f", "a[=1"],
  ["/v1/payments", "-f", "[a]=1"],
  ["/v1/payments", "-f", "a[][b]=1"],
  ["/v1/payments", "-f", nested(30)],
  ["/v1/payments", "-F", "a=9007199254740993"],
  ["/v1/payments", "-F", "a=0.1000000000000000055"],
  ["/v1/payments", "-F", "a=1e400"],
  ["/v1/payments", "-F", "a=-1e-400"],
  ["/v1/payments?status=failed&status=refunded", "--all"],
  ["GET", "/v1/payments", "-f", "events[]=a", "-f", "events[]=b", "--limit", "3"],
  ["/v1/payments", "--all", "--limit", "3"],
  ["/v1/payments", "--all", "-i"],
  ["/v1/payments", "--limit", "3", "-i"],
  ["/v1/payments", "--limit", "0"],
  ["POST", "/v1/payments", "--all"],
  ["HEAD", "/v1/payments", "--limit", "3"],
  ["GET", "/v1/payments", "--idempotency-key", "a"],
  ["POST", "/sandbox/reset", "--idempotency-key", "a"],
  ["TRACE", "/v1/payments"],
  ["CONNECT", "/v1/payments"],
  ["/v1/payments", "--mode", "test", "-o", "csv"],
  ["GET", "/v1/payments", "/v1/events"],
];

test.each([...otherPlaces, ...secrets, ...reservedHeaders, ...contradictions])(
  "is refused before anything is sent: payments api %s %s %s %s %s",
  async (...args) => {
    const { exitCode, stdout, stderr, requests } = await send(args);
    expect([exitCode, stdout, requests]).toEqual([2, "", []]);
    expect(stderr).not.toContain(card);
    expect(stderr).not.toContain(someKeys.live);
  },
);

test.each([
  [[`card[number]=${card}`]],
  [["card[cvc]=123"]],
  [["description=4242 4242 4242 4242"]],
  [["amount=1", "card[number]=4000"]],
])("in live mode a card is not accepted in flags: %j", async (fields) => {
  for (const flag of ["-f", "-F"]) {
    const args = ["/v1/payments", ...fields.flatMap((field) => [flag, field])];
    const { exitCode, stderr, requests } = await send(args, { key: someKeys.live });
    expect([exitCode, requests]).toEqual([2, []]);
    expect(stderr).toContain("A live card is not accepted on the command line");
  }
});

test.each(["https://evil.example/v1/payments", "//evil.example/v1/payments"])(
  "an address with a host is told where the key goes: %s",
  async (path) => {
    const { stderr } = await send([path]);
    expect(stderr).toContain("must be without a host: the key goes to the command's own service");
  },
);

test("in live mode a number that is no card's is accepted", async () => {
  const fields = ["-f", "metadata[number]=1001", "-f", "metadata[cvc]=none"];
  const { exitCode, requests } = await send(["/v1/payments", ...fields], { key: someKeys.live });
  expect([exitCode, requests.length]).toEqual([0, 1]);
});

test("in live mode a card comes from a file or standard input, as with create", async () => {
  const args = ["/v1/payments", "-F", "card[number]=@-"];
  const { exitCode, sent } = await send(args, { key: someKeys.live, stdin: card });
  expect([exitCode, sent?.body]).toEqual([0, `{"card":{"number":"${card}"}}`]);
});

describe("the response", () => {
  const bytes = Buffer.from('{ "a" :\t1e2,\r\n "b":"\u202eé\\u0007" }\n');
  const exact: Answer = (response) => response.end(bytes);

  test("is printed byte for byte in a pipe, in whatever encoding", async () => {
    const odd = Buffer.concat([
      Buffer.from('{"a":"'),
      Buffer.from([0xff, 0xc3]),
      Buffer.from('"}'),
    ]);
    const server = await scriptedServer(exact, (response) => response.end(odd));
    const env = createServiceEnv(server.url);
    const line = "payments api /v1/a | base64 -w0; echo; payments api /v1/a | base64 -w0";
    const { stdout } = await runInShell(line, { env });
    expect(stdout.split("\n")).toEqual([bytes.toString("base64"), odd.toString("base64")]);
  });

  test("has its status and headers before it with -i", async () => {
    const { stdout } = await send(["/v1/a", "-i"], { answers: [text(201, "{}", { "x-a": "b" })] });
    expect(stdout).toMatch(/^HTTP\/1\.1 201 Created\nx-a: b\n(?:[a-z-]+: .*\n)+\n\{\}$/);
    const { stdout: head } = await send(["HEAD", "/v1/a", "-i"], { answers: [text(200, "")] });
    expect(head).toMatch(/^HTTP\/1\.1 200 OK\n(?:[a-z-]+: .*\n)+\n$/);
  });

  test("has each item of a list on a line with -o ndjson, and is one line else", async () => {
    const list = json(200, { object: "list", data: [{ a: 1 }, { a: 2 }], has_more: true });
    const { stdout } = await send(["/v1/a", "-o", "ndjson"], { answers: [list] });
    expect(stdout).toBe('{"a":1}\n{"a":2}\n');
    const one = await send(["/v1/a", "-o", "ndjson"], { answers: [text(200, '{\n "a": 1 }')] });
    expect(one.stdout).toBe('{"a":1}\n');
  });

  test.each([
    [400, 2],
    [401, 4],
    [403, 4],
    [404, 5],
    [405, 2],
    [409, 6],
    [413, 2],
    [422, 2],
    [429, 7],
    [500, 9],
    [503, 9],
  ])("with status %i ends with exit code %i, its error on standard error", async (status, code) => {
    const answers = [refusal(status, "some_code")];
    for (const method of ["GET", "POST", "PUT", "DELETE"]) {
      const ran = await send([method, "/v1/a", "--json", "--max-retries", "0"], { answers });
      expect(ran.exitCode).toBe(code);
      expect(parseError(ran)).toMatchObject({ code: "some_code", http_status: status });
    }
    const args = ["HEAD", "/v1/a", "-i", "--max-retries", "0"];
    const head = await send(args, { answers: [text(status, "")] });
    expect(head.exitCode).toBe(code);
    expect(head.stdout).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `)); // -i has it, whatever it is
  });

  test.each([
    ["is not JSON", text(200, "<html>"), 9],
    ["is a redirect", text(302, "", { location: "https://evil.example" }), 9],
    ["is of the other mode", json(200, { id: "pay_1", livemode: true }), 4],
    ["is a list of the other mode", json(200, { data: [null, { livemode: true }] }), 4],
  ])("that %s is an error, and nothing is printed as data", async (_, answer, code) => {
    const { exitCode, stdout, requests } = await send(["/v1/a", "--max-retries", "0"], {
      answers: [answer],
    });
    expect([exitCode, stdout, requests.length]).toEqual([code, "", 1]);
  });

  test.each([[json(200, null)], [json(200, 3)], [json(200, [])], [text(204, "")]])(
    "may be any JSON, or nothing",
    async (answer) => {
      expect(await send(["/v1/a"], { answers: [answer] })).toMatchObject({ exitCode: 0 });
    },
  );
});

describe("retries", () => {
  test("send a write again with the same key and the same bytes", async () => {
    const answers = [drop, refusal(503, "service_unavailable"), json(201, {})];
    const { exitCode, requests } = await send(["/v1/payments", "-F", "a=1"], { answers });
    const all = requests.map(({ body, headers: each }) => [body, each["idempotency-key"]]);
    expect([exitCode, requests.length, new Set(all.map(String)).size]).toEqual([0, 3, 1]);
  });

  test("never send twice what the control of a sandbox did, and name no key for it", async () => {
    const ran = await send(["/sandbox/clock", "-f", "advance=1h", "--json"], { answers: [drop] });
    expect([ran.exitCode, ran.requests.length]).toEqual([9, 1]);
    expect(parseError(ran)).toMatchObject({ idempotency_key: null });
  });

  test.each(["start", "take", "report"])("never repeat a listener's %s", async (action) => {
    const path = `/v1/webhook_endpoints/we_1/${action}`;
    const ran = await send(["POST", path, "--json"], { answers: [drop] });
    expect([ran.exitCode, ran.requests.length]).toEqual([9, 1]);
    expect(parseError(ran)).toMatchObject({ idempotency_key: null });
  });

  test("wait as long as the response to a HEAD asks, or give up", async () => {
    const late = text(503, "", { "retry-after": "3600" });
    expect((await send(["HEAD", "/v1/a"], { answers: [late] })).requests).toHaveLength(1);
  });

  test("name the key to repeat with where the outcome is unknown", async () => {
    const args = ["POST", "/v1/payments", "--max-retries", "0", "--json"];
    const ran = await send([...args, "--idempotency-key", "k1"], { answers: [drop] });
    expect(ran.exitCode).toBe(9);
    expect(parseError(ran)).toMatchObject({
      idempotency_key: "k1",
      hint: expect.stringContaining("--idempotency-key k1") as unknown,
    });
  });
});

describe("pages", () => {
  test("are put together up to --limit, and all with --all", async () => {
    const { requests, ...limited } = await send(["/v1/payments?status=failed", "--limit", "150"], {
      answers: [holding(1_000)],
    });
    const paths = requests.map(({ path }) => path.replace(/pay_[\w-]+(\d{3})/, "$1"));
    expect(parseList(limited)).toMatchObject({ object: "list", has_more: true });
    expect(parseList(limited).data).toHaveLength(150);
    expect(paths).toEqual([
      "/v1/payments?limit=100&status=failed",
      "/v1/payments?limit=50&status=failed&starting_after=100",
    ]);
    const all = await send(["GET", "/v1/payments", "-f", "limit=7", "--all"], {
      answers: [holding(20)],
    });
    expect(parseList(all)).toMatchObject({ has_more: false });
    expect([parseList(all).data.length, all.requests.length]).toEqual([20, 3]);
  });

  test("stop where the reader of a long list leaves", async () => {
    const server = await scriptedServer(holding(100_000));
    const line =
      "payments api /v1/payments --all -o ndjson | head -1 | wc -l; echo ${PIPESTATUS[0]}";
    const { stdout } = await runInShell(line, { env: createServiceEnv(server.url) });
    expect(stdout).toBe("1\n0\n");
    expect(server.requests.length).toBeLessThan(20);
  });

  test.each([
    [json(200, { object: "payment" }), 2],
    [json(200, { data: [{}], has_more: true }), 9],
    [json(200, { data: [{ id: "a" }], has_more: true }), 9], // the same page again
  ])("are refused where there is no list to go on with", async (answer, code) => {
    expect((await send(["/v1/a", "--all"], { answers: [answer] })).exitCode).toBe(code);
  });
});

test("--dry-run shows the headers that would be sent", async () => {
  const headers = ["--header", "X-A: 1", "--header", "x-a: 2"];
  const { stdout } = await send(["/v1/a", ...headers, "--dry-run", "--json"]);
  expect(JSON.parse(stdout)).toMatchObject({ headers: { "x-a": "1, 2" } });
});

test("--dry-run and --debug mask the card and the key", async () => {
  const fields = ["-f", `card[number]=${card}`, "-f", "card[cvc]=123", "-F", "amount=1"];
  const { stdout, requests } = await send(["/v1/payments", ...fields, "--dry-run", "--json"]);
  expect(requests).toEqual([]);
  expect(JSON.parse(stdout)).toMatchObject({
    method: "POST",
    body: { card: { number: "…4242", cvc: "…" }, amount: 1 },
  });
  const { stderr } = await send(["/v1/payments", ...fields, "--debug"], {
    answers: [json(200, paymentWith())],
  });
  expect(stderr).toContain("> POST ");
  expect(stdout + stderr).not.toContain(card);
  expect(stdout + stderr).not.toContain(someKeys.test);
});

test("pages of the embedded service are its 404", async () => {
  const ran = await runPayments([
    "api",
    "/v1/payments/hpp",
    "-F",
    "amount=1",
    "-f",
    "currency=eur",
    "--json",
  ]);
  expect(ran.exitCode).toBe(5);
});

describe("in a terminal", () => {
  requireTerminals();

  test("what the terminal would obey becomes visible marks, also in headers", async () => {
    const server = await scriptedServer(text(200, '{"a":"\u202e\u009b31m"}'));
    const terminal = runInTerminal(["api", "/v1/a", "-i"], { env: createServiceEnv(server.url) });
    expect(await terminal.exitCode).toBe(0);
    expect(terminal.screen()).toContain('{"a":"\ufffd\ufffd31m"}');
  });
});

describe("each example of the API's description", async () => {
  const { app, service, call, close } = await openApp({
    sender: {
      send: async () => ({ outcome: "delivered", status: 200, error: null, answer: "ok" }),
    },
  });
  afterAll(close);
  const url = await app.listen({ host: "127.0.0.1", port: 0 });

  /** Sends a request by the command: what the document has in headers is in flags. */
  const sendByCommand: Send = async ({ method, path, headers: sent, body }) => {
    const { authorization = "", ...others } = sent;
    const flags = Object.entries(others).flatMap(([name, value]) =>
      /^(?:idempotency-key|service-version)$/i.test(name)
        ? [`--${name.toLowerCase()}`, value]
        : ["--header", `${name}: ${value}`],
    );
    const data = body === undefined ? [] : ["--data", "-"];
    const env = createServiceEnv(url, authorization.replace("Bearer ", ""));
    const ran = await runPayments(["api", method, path, "-i", ...flags, ...data], {
      env,
      ...(body !== undefined && { stdin: body }),
    });
    expect([ran.exitCode, ran.stderr]).toEqual([0, ""]);
    const [head = "", ...rest] = ran.stdout.split("\n\n");
    const [, status = ""] = /^HTTP\/1\.1 (\d+)/.exec(head) ?? [];
    return { status: Number(status), headers: {}, text: rest.join("\n\n") };
  };

  test.each(responseExamples)("%s: %s is sent, and its response printed", async (name, example) => {
    const shop = await openShop(service, call, grants[example]);
    await given[name]?.(shop);
    const sent = await shop.send(name, examplesOf(name, "requestBody")[example]?.value, {
      query: queries[name] ?? "",
      headers: exampleHeaders(name),
      by: sendByCommand,
    });
    const response = examplesOf(name, "response")[example]?.value;
    expect([sent.status, blur(JSON.parse(sent.text))]).toEqual([
      routes[name].status,
      blur(response),
    ]);
  });
});
