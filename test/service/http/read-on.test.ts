import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { readOnLimits } from "../../../src/service/http/broken-requests.ts";
import type { CompletedRequest } from "../../../src/service/http/request-log.ts";
import { openApp, refusalOf } from "../../testkit/app/open-app.ts";
import { needs } from "../../testkit/runner/needs.ts";
import { rawConnection } from "../../testkit/sockets/raw-sockets.ts";

const completed: CompletedRequest[] = [];
const { app, keys, close } = await openApp({
  app: { observe: (request) => void completed.push(request) },
});
let url = "";
beforeAll(async () => {
  url = await app.listen({ host: "127.0.0.1", port: 0 });
});
afterAll(close);
afterEach(() => {
  vi.useRealTimers();
});

const MiB = 1024 * 1024;
const times = Array.from({ length: 5 });
const tooLarge = { status: 413, code: "request_too_large", param: null };

const python = `
import http.client, json, sys, urllib.error, urllib.request
url, key = sys.argv[1:]
body = b'{"a":"' + b'x' * (20 * 1024 * 1024) + b'"}'
headers = {'Content-Type': 'application/json', 'Authorization': 'Bearer ' + key}
def by_urllib():
    request = urllib.request.Request(url + '/v1/payments', body, headers)
    try: return urllib.request.urlopen(request).status
    except urllib.error.HTTPError as error: return error.code
def by_http_client():
    connection = http.client.HTTPConnection(url[7:])
    connection.request('POST', '/v1/payments', body, headers)
    return connection.getresponse().status
def in_chunks():
    connection = http.client.HTTPConnection(url[7:])
    chunks = (body[at:at + 65536] for at in range(0, len(body), 65536))
    connection.request('POST', '/v1/payments', chunks, headers, encode_chunked=True)
    return connection.getresponse().status
def without_a_key():
    request = urllib.request.Request(url + '/v1/payments', body, {'Content-Type': 'application/json'})
    try: return urllib.request.urlopen(request).status
    except urllib.error.HTTPError as error: return error.code
seen = []
for send in [by_urllib, by_http_client, in_chunks, without_a_key] * 3:
    try: seen.append(send())
    except OSError as error: seen.append(str(error))
print(json.dumps(seen))
`;

describe("a client that sends 20 MB sees why it is refused", () => {
  test("by Node's fetch", async () => {
    for (const _ of times) {
      const answer = await fetch(`${url}/v1/payments`, {
        method: "POST",
        headers: { authorization: `Bearer ${keys.test}`, "content-type": "application/json" },
        body: "x".repeat(20 * MiB),
      });
      expect(answer.status).toBe(413);
      expect(await answer.text()).toContain("64 KiB");
    }
  });

  test.each([
    ["a body", "Content-Type: application/json", `Content-Length: ${20 * MiB}\r\n\r\n`, 413],
    ["headers", "X-Long: ", "", 431],
  ])("by a socket that sends all of %s and reads then", async (_, header, rest, status) => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.pause();
    await once(socket, "connect");
    socket.write(
      `POST /v1/payments HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${keys.test}\r\n${header}${rest && `\r\n${rest}`}`,
    );
    await new Promise((resolve, reject) => {
      socket.once("error", reject);
      socket.write("x".repeat(20 * MiB), resolve);
    });
    expect(await text(socket)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  });
});

describe("a client in Python that sends 20 MB sees why it is refused", () => {
  needs(spawnSync("python3", ["--version"]).status === 0, "python3");

  test("by urllib and http.client, also in chunks, and where its key is the reason", async () => {
    const child = spawn("python3", ["-c", python, url, keys.test]);
    const [seen, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
    expect(errors).toBe("");
    const each = [413, 413, 413, 401];
    expect(JSON.parse(seen)).toEqual([...each, ...each, ...each]);
  });
});

const head = (length: number) =>
  [
    "POST /v1/payments HTTP/1.1",
    "Host: x",
    `Authorization: Bearer ${keys.test}`,
    "Content-Type: application/json",
    `Content-Length: ${length}`,
    "\r\n",
  ].join("\r\n");

describe("what a refused client still sends is read", () => {
  test("for 5 seconds", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const connection = await rawConnection(url);
    connection.send(head(MiB));
    expect(refusalOf(await connection.answer())).toEqual(tooLarge);
    vi.advanceTimersByTime(readOnLimits.ms - 1);
    for (const _ of times) expect((await fetch(url)).status).toBe(404); // it would be closed by then
    expect(connection.socket.closed).toBe(false);
    vi.advanceTimersByTime(1);
    expect(await connection.ended).toBe("");
  });

  test("up to 32 MB", async () => {
    const connection = await rawConnection(url);
    connection.send(head(64 * MiB));
    expect(refusalOf(await connection.answer())).toEqual(tooLarge);
    let sent = 0;
    while (!connection.socket.closed && sent < 64) {
      await new Promise((resolve) => connection.socket.write(Buffer.alloc(MiB), resolve));
      sent++;
    }
    expect(sent).toBeGreaterThan(32);
    expect(sent).toBeLessThan(64);
  });

  test("until it has come, and the connection is closed at once", async () => {
    const connection = await rawConnection(url);
    connection.send(head(MiB));
    expect(refusalOf(await connection.answer())).toEqual(tooLarge);
    connection.send(Buffer.alloc(MiB));
    expect(await connection.ended).toBe("");
  });

  test("and is no time of the request, which has its response", async () => {
    const connection = await rawConnection(url);
    const startMs = performance.now();
    connection.send(head(MiB));
    expect(refusalOf(await connection.answer())).toEqual(tooLarge);
    const answeredMs = performance.now() - startMs;
    connection.send(Buffer.alloc(MiB));
    expect(await connection.ended).toBe("");
    expect(completed.at(-1)).toMatchObject({ status: 413 });
    expect(completed.at(-1)?.durationMs).toBeLessThanOrEqual(answeredMs);
  });
});
