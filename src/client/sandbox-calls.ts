import type { FaultInput } from "../contract/sandbox.ts";
import { request, type CallOptions, type Connection } from "./request.ts";

/** The control of a sandbox; any other service answers 404. Each call needs a test key. */
export function sandboxCalls(connection: Connection) {
  // A call that is repeated must not be done twice: a lost answer is the caller's to see.
  const once = { ...connection, maxRetries: 0 };
  return {
    /** POST /sandbox/reset: everything is as at the start. */
    reset: async (options?: CallOptions) => request(once, "POST /sandbox/reset", {}, options),

    /** POST /sandbox/accounts: a new account, with a key of each mode. */
    createAccount: async (name?: string, options?: CallOptions) =>
      request(once, "POST /sandbox/accounts", { body: { name } }, options),

    /** GET /sandbox/clock. */
    clock: async (options?: CallOptions) => request(connection, "GET /sandbox/clock", {}, options),

    /**
     * POST /sandbox/clock: moves the time on, by a duration such as `25h`, and returns once the work due by then is
     * done.
     */
    advance: async (duration: string, options?: CallOptions) =>
      request(once, "POST /sandbox/clock", { body: { advance: duration } }, options),

    /** The same, to a time in Unix seconds. */
    advanceTo: async (time: number, options?: CallOptions) =>
      request(once, "POST /sandbox/clock", { body: { to: time } }, options),

    /** POST /sandbox/faults: the next matching requests of the account go wrong. */
    fault: async (body: FaultInput, options?: CallOptions) =>
      request(once, "POST /sandbox/faults", { body }, options),

    /** GET /sandbox/faults: what is set, and how often each has struck. */
    faults: async (options?: CallOptions) =>
      request(connection, "GET /sandbox/faults", {}, options),

    /** DELETE /sandbox/faults. */
    clearFaults: async (options?: CallOptions) =>
      request(connection, "DELETE /sandbox/faults", {}, options),

    /** GET /sandbox/requests: the last 1,000 requests of the account, oldest first. */
    requests: async (options?: CallOptions) =>
      request(connection, "GET /sandbox/requests", {}, options),
  };
}
