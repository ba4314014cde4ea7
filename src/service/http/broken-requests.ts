import { randomUUID } from "node:crypto";
import { STATUS_CODES, type Server } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { ServiceError } from "../domain/service-error.ts";
import { toErrorReply } from "./error-reply.ts";

export function createRequestId(): string {
  return `req_${randomUUID()}`;
}

/**
 * Answers what never became a request: bytes that are no HTTP, headers that are too large or too
 * slow. `isOwed` tells whether an earlier request on the connection still waits for its own answer:
 * then the connection is cut, since another's answer must not be taken for it.
 */
export function handleBrokenRequests(docsUrl: () => string, isOwed: (socket: Socket) => boolean) {
  return (error: NodeJS.ErrnoException, socket: Socket): void => {
    if (!socket.writable || error.code === "ECONNRESET" || isOwed(socket)) {
      socket.destroy();
      return;
    }
    answer(socket, brokenRequest(error.code), docsUrl());
  };
}

/** A tunnel is refused; Node would close the connection without a word. */
export function refuseTunnels(server: Server, docsUrl: () => string): void {
  server.on("connect", (_request, socket) => {
    socket.on("error", () => socket.destroy()); // Node no longer looks after this connection
    const message = "This service is no proxy. Send a request for one of its own paths.";
    answer(socket, new ServiceError("malformed_request", message), docsUrl());
  });
}

/** Writes an answer where there is no request that Node could answer, and ends the connection. */
function answer(socket: Duplex, failure: ServiceError, docsUrl: string): void {
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
  setTimeout(() => socket.destroy(), 1_000).unref();
}

function brokenRequest(code: string | undefined): ServiceError {
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
