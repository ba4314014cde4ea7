import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import type { Payment } from "../../../src/contract/payment.ts";
import { maxPageSize } from "../../../src/contract/field-values.ts";
import { paymentWith } from "../api-objects.ts";
import { openUntilFileEnds } from "../open-until-file-ends.ts";

// Real servers on this machine that respond as a test chooses, even in ways that a service never should.

type Seen = {
  method: string;
  path: string;
  headers: IncomingMessage["headers"];
  body: string;
};

export type Answer = (response: ServerResponse, request: Seen) => unknown;

export type ScriptedServer = { url: string; requests: Seen[]; close: () => Promise<void> };

/** A server that answers the first request with the first answer, …, and all others with the last. */
export async function scriptedServer(...answers: Answer[]): Promise<ScriptedServer> {
  const requests: Seen[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const { method = "", url = "", headers } = request;
      const seen = { method, path: url, headers, body: String(await buffer(request)) };
      const answer = answers[requests.length] ?? answers.at(-1);
      requests.push(seen);
      await answer?.(response, seen);
    })();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    const closed = new Promise((resolve) => {
      server.close(resolve);
    });
    server.closeAllConnections();
    await closed;
  };
  openUntilFileEnds(close);
  return { url: `http://127.0.0.1:${port}`, requests, close };
}

export function json(status: number, value: unknown, headers: Record<string, string> = {}): Answer {
  return (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify(value));
  };
}

export function text(status: number, body: string, headers: Record<string, string> = {}): Answer {
  return (response) => {
    response.writeHead(status, headers);
    response.end(body);
  };
}

/** An error in the API's envelope. */
export function refusal(
  status: number,
  code: string,
  headers: Record<string, string> = {},
): Answer {
  const error = { ...envelopeError, code };
  return json(status, { error }, headers);
}

export const envelopeError = {
  type: "api_error",
  code: "internal_error",
  message: "It went wrong.",
  param: null,
  decline_code: null,
  doc_url: "https://payments.example.com/docs/errors#code",
  request_id: "req_1",
};

/** Cuts the connection, as a crash of the service would. */
export const drop: Answer = (response) => response.socket?.destroy();

/** Never responds. */
export const silence: Answer = () => {};

/** Never responds; calls `gone` once the client has closed its connection. */
export function silenceUntil(gone: () => void): Answer {
  return (response) => response.once("close", gone);
}

/** Announces more than it sends, and keeps the connection open. */
export const half: Answer = (response) => {
  response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
  response.write('{"id":"pay_');
};

/** The same, and cuts the connection. */
export const halfAndDrop: Answer = (response) => {
  response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
  response.write('{"id":"pay_', () => response.socket?.destroy());
};

/** Responds in another protocol. */
export const noHttp: Answer = (response) => response.socket?.end("SSH-2.0-OpenSSH_9.2\r\n");

/** Sends more than the client reads. */
export const tooLarge: Answer = (response) => {
  const chunk = Buffer.alloc(8 * 1024 * 1024, " ");
  for (let i = 0; i < 9; i++) response.write(chunk);
  response.end();
};

/** Forwards a request to a service, and its response back. */
export function forward(url: string): Answer {
  return async (response, request) => {
    const answer = await forwardRequest(url, request);
    const replayed = answer.headers.get("idempotent-replayed");
    response.writeHead(answer.status, {
      "content-type": "application/json",
      ...(replayed !== null && { "idempotent-replayed": replayed }),
    });
    response.end(await answer.text());
  };
}

/** Forwards a request to a service, and drops the response. */
export function forwardAndDrop(url: string): Answer {
  return async (response, request) => {
    await forwardRequest(url, request);
    response.socket?.destroy();
  };
}

/** A service's response to a forwarded request. */
export async function forwardRequest(
  url: string,
  { method, path, headers, body }: Seen,
): Promise<Response> {
  const names = ["authorization", "content-type", "idempotency-key", "service-version"] as const;
  const passed = names.flatMap((name) => {
    const value = headers[name];
    return typeof value === "string" ? [[name, value] as [string, string]] : [];
  });
  return await fetch(url + path, { method, headers: passed, ...(body !== "" && { body }) });
}

/** A service with `count` payments of ordinary size, the newest of which has number 1. */
export function holding(count: number, fields: Partial<Payment> = {}): Answer {
  return (response, request) => {
    const query = new URL(request.path, "http://localhost").searchParams;
    const limit = Number(query.get("limit") ?? maxPageSize);
    const first = numberIn(query.get("starting_after")) + 1;
    const size = Math.min(limit, count - first + 1);
    const data = paymentNumbers(first, size, fields);
    const list = { object: "list", url: "/v1/payments", data, has_more: first + size <= count };
    json(200, list)(response, request);
  };
}

/** The payments of such a service from a number on. */
export function paymentNumbers(
  first: number,
  count: number,
  fields: Partial<Payment> = {},
): Payment[] {
  return Array.from({ length: count }, (_, at) =>
    paymentWith({
      id: `pay_0199c5a8-7f3e-7abc-9def-${String(first + at).padStart(12, "0")}`,
      description: `Order ${first + at}`,
      customer: { email: "ada@example.com", name: "Ada Lovelace" },
      metadata: { order_id: String(first + at) },
      ...fields,
    }),
  );
}

function numberIn(cursor: string | null): number {
  return Number(cursor?.slice(-12) ?? 0);
}
