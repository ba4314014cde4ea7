import { findIdempotencyKeyMistake } from "../contract/headers.ts";
import type { Answers, Route } from "../contract/routes.ts";
import { request, type Call, type CallOptions, type Connection } from "./request.ts";

export type WriteOptions = CallOptions & {
  /** Names the write, so that it happens once however often it is sent; a UUIDv4 by default. */
  idempotencyKey?: string | undefined;
};

/** A write, under an idempotency key. Throws a `TypeError` for a key that no header can carry. */
export async function write<R extends Route>(
  connection: Connection,
  route: R,
  call: Pick<Call, "params" | "body">,
  { idempotencyKey = crypto.randomUUID(), signal }: WriteOptions,
): Promise<Answers[R["answer"]]> {
  const mistake = findIdempotencyKeyMistake(idempotencyKey);
  if (mistake !== undefined) throw new TypeError(`idempotencyKey ${mistake}.`);
  return await request(connection, route, { ...call, idempotencyKey, signal });
}
