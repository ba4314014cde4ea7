import type { Mode } from "./key.ts";
import type { Route } from "./route.ts";

// The constants of the sandbox, without zod: a command that needs only these does not load it.

/** The keys of every sandbox. They are published: no other service accepts them. */
export const sandboxKeys: Record<Mode, string> = {
  test: "svc_test_sk_sandboxKeyThatIsPublishedAndProtectsNothing",
  live: "svc_live_sk_sandboxKeyThatIsPublishedAndProtectsNothing",
};

export const defaultSandboxUrl = "http://127.0.0.1:8402";

export const clockModes = ["real", "manual"] as const;
export type ClockMode = (typeof clockModes)[number];

/** The start of a manual clock in a sandbox with a seed, in Unix seconds. */
export const seededStart = 1_800_000_000;

/** The maximum by which one request moves the clock. */
export const maxAdvance = "400d";

/** The faults of a request: on its way, to its answer, or instead of its work. */
export const requestFaults = ["lost_answer", "disconnect", "delay", "status", "in_use"] as const;
export type RequestFault = (typeof requestFaults)[number];

/** The statuses that a fault can give in place of the work. */
export const faultStatuses = [429, 500, 503] as const;

export const webhookFaults = ["duplicate", "reorder", "delay", "lost_answer"] as const;

/** The faults of a live payment or its refund at the simulator. */
export const networkFaults = ["processing", "unknown", "decline", "refund_declined"] as const;

/** The fault of a single request, such as `lost_answer`, `delay=2s` or `status=503`. */
export const faultHeader = "sandbox-fault";

/** How many requests of an account a sandbox remembers. */
export const maxJournal = 1_000;

/** The control's endpoints; each needs a test key of the sandbox. */
export const sandboxRoutes = {
  reset: toRoute("POST", "/sandbox/reset", "sandboxClock", "Start over"),
  createAccount: toRoute("POST", "/sandbox/accounts", "sandboxAccount", "Create an account", 201),
  getClock: toRoute("GET", "/sandbox/clock", "sandboxClock", "Retrieve the time"),
  moveClock: toRoute("POST", "/sandbox/clock", "movedClock", "Move the time on"),
  setFault: toRoute("POST", "/sandbox/faults", "sandboxFault", "Set a fault", 201),
  listFaults: toRoute("GET", "/sandbox/faults", "sandboxFaultList", "List the faults"),
  clearFaults: toRoute("DELETE", "/sandbox/faults", "sandboxFaultList", "Clear the faults"),
  listRequests: toRoute("GET", "/sandbox/requests", "sandboxRequestList", "List the requests"),
} as const;

function toRoute<const Method extends Route["method"], const Response extends Route["response"]>(
  method: Method,
  path: string,
  response: Response,
  summary: string,
  status: 200 | 201 = 200,
) {
  return { method, path, response, summary, status, errors: [] };
}
