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
import { createMediaTypeError } from "../web/bodies.ts";

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
