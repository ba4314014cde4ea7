import { randomUUID } from "node:crypto";
import { STATUS_CODES, type Server } from "node:http";
import type { Socket } from "node:net";
import { type Duplex, Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import {
  type ErrorEnvelope,
  ServiceError,
  errorCodes,
  headersByCode,
  statusByCode,
} from "../../contract/error.ts";
import { mask } from "../../contract/mask.ts";
import { Unavailable, isErrorLike } from "../../runtime/failures.ts";
import { writeJson } from "../../runtime/text.ts";
import { createMediaTypeError } from "../web/read-request.ts";

export function createRequestId(): string {
  return `req_${randomUUID()}`;
}

/**
 * Answers, in the error envelope, what never becomes a request of the app: bytes that are not HTTP, headers that
 * are too large or too slow, and tunnels. `afterResponses` waits for the responses to earlier requests: the client
 * would mistake this error for one of them.
 */
export function answerBrokenRequests(
  server: Server,
  docsUrl: () => string,
  afterResponses: (socket: Socket, respond: () => void) => void,
): void {
  server.on("clientError", (error: NodeJS.ErrnoException, duplex) => {
    const socket = duplex as Socket;
    if (error.code === "ECONNRESET") socket.destroy();
    else if (socket.writable) {
      afterResponses(socket, () => sendAndClose(socket, toBrokenRequest(error.code), docsUrl()));
    } // else its last response is on its way, and what follows is not read
  });
  server.on("connect", (_request, socket) => {
    socket.on("error", () => socket.destroy()); // Node no longer handles errors of this connection
    const message = "This service is no proxy. Send a request for one of its own paths.";
    const failure = new ServiceError("malformed_request", message);
    afterResponses(socket as Socket, () => sendAndClose(socket, failure, docsUrl()));
  });
}

function sendAndClose(socket: Duplex, failure: ServiceError, docsUrl: string): void {
  const { status, headers, body } = toErrorReply(failure, {
    requestId: createRequestId(),
    docsUrl,
  });
  const lines = Object.entries({
    ...headers,
    "content-length": Buffer.byteLength(body),
    connection: "close",
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`);
  // Headers that are too large are still on their way.
  const readOnMs = failure.code === "headers_too_large" ? readOnLimits.ms : 1_000;
  void readOn(socket, readOnMs).then(() => socket.destroy());
}

function toBrokenRequest(code: string | undefined): ServiceError {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return new ServiceError(
        "headers_too_large",
        "The request line and headers are larger than 16 KiB. Send fewer or shorter headers.",
      );
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new ServiceError(
        "request_timeout",
        "The request did not arrive in time: 5 s for the headers, 15 s for all of it. Send it again.",
      );
    default:
      return new ServiceError(
        "malformed_request",
        "The request is not valid HTTP. Use an HTTP client library.",
      );
  }
}

/** How long, and how much of it, a request is read after its response has been sent. */
export const readOnLimits = { ms: 5_000, bytes: 32 * 1024 * 1024 };

/**
 * Reads on what a client still sends when it has been refused, throws it away, and closes the connection only then. A
 * connection that is closed with unread bytes is reset: the client, which reads when it has sent all, would see a
 * broken pipe instead of its response, and send it all again.
 */
export function readOnBeforeClosing(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): unknown {
  const { raw } = request;
  if (raw.complete || raw.readableEnded || typeof payload !== "string") return payload;
  const isClosing = !reply.raw.shouldKeepAlive || reply.getHeader("connection") === "close";
  if (!isClosing) return payload;
  request.answeredAtMs = performance.now(); // from here on it is the client's time, not the service's
  reply.header("content-length", Buffer.byteLength(payload));
  return Readable.from(sendAndReadOn(payload, raw));
}

async function* sendAndReadOn(payload: string, request: Readable): AsyncGenerator<string> {
  yield payload;
  await readOn(request);
}

/** Resolves when all of a request or connection has come, its client has gone, or a limit is reached. */
async function readOn(request: Readable, maxMs = readOnLimits.ms): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let bytes = 0;
  const count = (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > readOnLimits.bytes) resolve();
  };
  const timer = setTimeout(resolve, maxMs);
  request.on("data", count).once("close", resolve).once("end", resolve).resume();
  await promise;
  clearTimeout(timer);
  request.off("data", count).pause();
}

export type ErrorReply = { status: number; headers: Record<string, string>; body: string };

/** The response to a request that failed (specification: Error envelope). */
export function toErrorReply(
  error: ServiceError,
  context: { requestId: string; docsUrl: string },
): ErrorReply {
  const envelope: ErrorEnvelope = {
    error: {
      type: errorCodes[error.code].type,
      code: error.code,
      message: mask(error.message),
      param: error.param === null ? null : mask(error.param),
      decline_code: null,
      doc_url: `${context.docsUrl}#${error.code}`,
      request_id: context.requestId,
    },
  };
  return {
    status: statusByCode[error.code],
    headers: {
      "content-type": "application/json; charset=utf-8",
      "service-request-id": context.requestId,
      ...headersByCode[error.code],
    },
    body: writeJson(envelope),
  };
}

/**
 * An error by a code of the contract; one without a code is a fault of the service. `forOperator`: the response
 * goes to the operator of the service, so that an error of the store is shown in full.
 */
export function toServiceError(error: unknown, forOperator = false): ServiceError {
  if (error instanceof ServiceError) return error;
  if (error instanceof Unavailable) {
    return new ServiceError(
      "service_unavailable",
      forOperator || error.isPublic
        ? error.message
        : "The service cannot reach its store or the card network at the moment. Try again; a write with the same Idempotency-Key.",
    );
  }
  const code = isErrorLike(error) ? error.code : undefined;
  if (code === "FST_ERR_CTP_BODY_TOO_LARGE") {
    return new ServiceError("request_too_large", "The body is larger than 64 KiB. Send less.");
  }
  if (code === "FST_ERR_CTP_INVALID_CONTENT_LENGTH" || code === "FST_ERR_BAD_URL") {
    return new ServiceError(
      "malformed_request",
      "The request is not valid HTTP. Check the path's encoding and the Content-Length.",
    );
  }
  if (code === "FST_ERR_CTP_INVALID_MEDIA_TYPE") return createMediaTypeError();
  return new ServiceError(
    "internal_error",
    "Internal error. Retry with exponential backoff; a write with the same Idempotency-Key.",
  );
}
