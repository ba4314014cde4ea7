import type { FaultInput } from "../contract/sandbox.ts";
import { sandboxRoutes } from "../contract/sandbox-values.ts";
import { request, type CallOptions, type Connection } from "./request.ts";

/** The control of a sandbox; any other service answers 404. Each call needs a test key. */
export function sandboxCalls(connection: Connection) {
  // A call that is repeated must not be done twice: a lost answer is the caller's to see.
  const once = { ...connection, maxRetries: 0 };
  return {
    /** POST /sandbox/reset: everything is as at the start. */
    reset: async ({ signal }: CallOptions = {}) => request(once, sandboxRoutes.reset, { signal }),

    /** POST /sandbox/accounts: a new account, with a key of each mode. */
    createAccount: async (name?: string, { signal }: CallOptions = {}) =>
      request(once, sandboxRoutes.createAccount, { body: { name }, signal }),

    /** GET /sandbox/clock. */
    clock: async ({ signal }: CallOptions = {}) =>
      request(connection, sandboxRoutes.getClock, { signal }),

    /**
     * POST /sandbox/clock: moves the time on, by a duration such as `25h`, and returns once the work due by then is
     * done.
     */
    advance: async (duration: string, { signal }: CallOptions = {}) =>
      request(once, sandboxRoutes.moveClock, { body: { advance: duration }, signal }),

    /** The same, to a time in Unix seconds. */
    advanceTo: async (time: number, { signal }: CallOptions = {}) =>
      request(once, sandboxRoutes.moveClock, { body: { to: time }, signal }),

    /** POST /sandbox/faults: the next matching requests of the account go wrong. */
    fault: async (body: FaultInput, { signal }: CallOptions = {}) =>
      request(once, sandboxRoutes.setFault, { body, signal }),

    /** GET /sandbox/faults: what is set, and how often each has struck. */
    faults: async ({ signal }: CallOptions = {}) =>
      request(connection, sandboxRoutes.listFaults, { signal }),

    /** DELETE /sandbox/faults. */
    clearFaults: async ({ signal }: CallOptions = {}) =>
      request(connection, sandboxRoutes.clearFaults, { signal }),

    /** GET /sandbox/requests: the last 1,000 requests of the account, oldest first. */
    requests: async ({ signal }: CallOptions = {}) =>
      request(connection, sandboxRoutes.listRequests, { signal }),
  };
}
