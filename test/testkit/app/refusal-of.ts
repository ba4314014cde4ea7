import assert from "node:assert/strict";
import type { ErrorEnvelope } from "../../../src/contract/error.ts";

const names = ["type", "code", "message", "param", "decline_code", "doc_url", "request_id"];
/** In order of time; what never becomes a request of the app has a random one. */
const requestId = /^req_[0-9a-f]{8}-[0-9a-f]{4}-[47][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Summarizes an error response, after it has checked the parts that all errors share. */
export function refusalOf(answer: {
  status: number;
  headers: Record<string, string>;
  text: string;
}): { status: number; code: string; param: string | null } {
  const error = errorIn(answer);
  const id = answer.headers["service-request-id"] ?? "";
  assert.match(id, requestId);
  assert.equal(error.request_id, id);
  assert.equal(answer.headers["content-type"], "application/json; charset=utf-8");
  assert.equal(Number(answer.headers["content-length"]), Buffer.byteLength(answer.text));
  assert.deepEqual(Object.keys(error).toSorted(), names.toSorted());
  assert.equal(error.decline_code, null);
  assert.ok(error.doc_url.endsWith(`/docs/errors#${error.code}`), error.doc_url);
  assert.match(error.message, /^\S.*\S[.`]$/);
  return { status: answer.status, code: error.code, param: error.param };
}

export function errorIn(answer: { text: string }): ErrorEnvelope["error"] {
  const envelope = JSON.parse(answer.text) as ErrorEnvelope;
  assert.deepEqual(Object.keys(envelope), ["error"]);
  return envelope.error;
}
