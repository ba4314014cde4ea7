import type { ErrorCode } from "./error.ts";

/** A request that is refused, by the code that the API names it with. */
export class ServiceError extends Error {
  override name = "ServiceError";
  readonly code: ErrorCode;
  /** The field at fault, in bracket form (`card[number]`). */
  readonly param: string | null;

  constructor(code: ErrorCode, message: string, param: string | null = null) {
    super(message);
    this.code = code;
    this.param = param;
  }
}
