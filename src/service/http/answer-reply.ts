import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import { fingerprint, type Answer, type IdempotentRequest } from "../use-cases/answer-once.ts";

/** The idempotency key of a request, if it has one, and what tells the request from another. */
export function idempotentRequest(request: FastifyRequest): IdempotentRequest | undefined {
  const key = request.headers["idempotency-key"];
  if (typeof key !== "string") return undefined;
  const path = request.url.split("?", 1)[0] ?? "";
  const { method, body } = request;
  return {
    key,
    fingerprint: fingerprint(request.principal.fingerprintSecret, { method, path, body }),
  };
}

/** Sends the answer of a write, byte for byte as it was made or kept. */
export function sendAnswer(reply: FastifyReply, answer: Answer): FastifyReply {
  if (answer.replayed) reply.header("idempotent-replayed", "true");
  return sendJson(reply, answer.status, answer.body);
}

/** A large answer leaves piece by piece, as it is read: only a piece of it is ever copied. */
export function sendJson(reply: FastifyReply, status: number, body: string): FastifyReply {
  reply.code(status).header("content-type", "application/json; charset=utf-8");
  if (body.length <= 2 * pieceBytes) return reply.send(body);
  const bytes = Buffer.from(body);
  return reply.header("content-length", bytes.length).send(Readable.from(piecesOf(bytes)));
}

const pieceBytes = 64 * 1024;

function* piecesOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}
