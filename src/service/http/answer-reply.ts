import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import {
  computeFingerprint,
  type Response,
  type IdempotentRequest,
} from "../idempotency/run-idempotently.ts";
import type { Listed } from "../domain/list-range.ts";

/** The idempotency key of a request, if it has one, and what tells the request from another. */
export function toIdempotentRequestOf(request: FastifyRequest): IdempotentRequest | undefined {
  const key = request.headers["idempotency-key"];
  if (typeof key !== "string") return undefined;
  const path = request.url.split("?", 1)[0] ?? "";
  const { method, body } = request;
  return {
    key,
    fingerprint: computeFingerprint(request.principal.fingerprintSecret, { method, path, body }),
  };
}

/** Sends the answer of a write, byte for byte as it was made or kept. */
export function sendStored(reply: FastifyReply, answer: Response): FastifyReply {
  if (answer.replayed) reply.header("idempotent-replayed", "true");
  return sendJson(reply, answer.status, answer.body);
}

export function sendJson(reply: FastifyReply, status: number, body: string): FastifyReply {
  return reply.code(status).header("content-type", "application/json; charset=utf-8").send(body);
}

const pieceLength = 32 * 1024;
/** Up to here an answer leaves in one piece. */
const mostAtOnce = 128 * 1024;
/** What a unit of a string's length comes to in UTF-8 at most. */
const mostBytesOfUnit = 3;

/** Sends a page of what is listed. */
export function sendList(
  reply: FastifyReply,
  url: string,
  { items, hasMore }: Listed<string | object>,
): FastifyReply {
  return sendParts(reply, [
    `{"object":"list","url":"${url}","data":[`,
    ...items.map((item, index) => (index === 0 ? toJson(item) : `,${toJson(item)}`)),
    `],"has_more":${hasMore}}`,
  ]);
}

/** A text is JSON as it is kept. */
export function toJson(value: string | object): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Sends JSON that comes in parts. Much of it leaves piece by piece: no copy of the whole is made. */
function sendParts(reply: FastifyReply, parts: string[]): FastifyReply {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  if (length * mostBytesOfUnit <= mostAtOnce) return sendJson(reply, 200, parts.join(""));
  const bytes = parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0);
  if (bytes <= mostAtOnce) return sendJson(reply, 200, parts.join(""));
  return reply
    .code(200)
    .header("content-type", "application/json; charset=utf-8")
    .header("content-length", bytes)
    .send(Readable.from(piecesOf(parts)));
}

function* piecesOf(parts: string[]): Generator<string> {
  let piece = "";
  for (const part of parts) {
    piece += part;
    if (piece.length < pieceLength) continue;
    yield piece;
    piece = "";
  }
  if (piece) yield piece;
}
