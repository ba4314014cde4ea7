import { randomUUID } from "node:crypto";
import { STATUS_CODES, type Server } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { ServiceError } from "../domain/service-error.ts";
import { toErrorReply } from "./error-reply.ts";
import { readOn, readOnLimits } from "./read-on.ts";

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
