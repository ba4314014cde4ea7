import { setTimeout as delay } from "node:timers/promises";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ServiceError } from "../../contract/error.ts";
import {
  type RequestFault,
  faultHeader,
  faultStatuses,
  maxJournal,
  watcherHeader,
} from "../../contract/field-values.ts";
import { maskBody } from "../../contract/mask.ts";
import {
  type FaultBody,
  type SandboxFault,
  type SandboxRequest,
  describeEndpoint,
  faultBody,
} from "../../contract/sandbox.ts";
import { Unavailable } from "../../runtime/failures.ts";
import { parseDurationText } from "../../runtime/time.ts";
import type { Principal } from "../accounts/accounts-service.ts";
import { isApiPath } from "../http/request-guards.ts";
import { maskPathSegments, readIdempotencyKey } from "../http/request-log.ts";
import { createInUseError } from "../idempotency/run-idempotently.ts";
import type { LocalNetwork } from "../networks/card-network.ts";

/** A fault that strikes now. */
export type Fault = Pick<FaultBody, "do" | "for" | "status" | "code">;

type SetFault = FaultBody & { passed: number; struck: number };

const maxFaults = 100;

/** The faults of a sandbox, by account: which requests go wrong, and how. */
export function createFaults() {
  const byAccount = new Map<string, SetFault[]>();

  return {
    /**
     * If an account has the maximum number of faults, the oldest one that has struck as often as it was to makes room.
     * Error: parameter_invalid where there is none.
     */
    set: (accountId: string, body: FaultBody): SandboxFault => {
      const others = byAccount.get(accountId) ?? [];
      const oldest = others.find(isOver);
      if (others.length >= maxFaults && !oldest) {
        throw new ServiceError(
          "parameter_invalid",
          `on must be one of at most ${maxFaults} faults that have yet to strike. Clear them first, with DELETE /sandbox/faults.`,
          "on",
        );
      }
      const fault = { ...body, passed: 0, struck: 0 };
      const kept = others.length < maxFaults ? others : others.filter((each) => each !== oldest);
      byAccount.set(accountId, [...kept, fault]);
      return toSandboxFault(fault);
    },
    list: (accountId: string): SandboxFault[] =>
      (byAccount.get(accountId) ?? []).map(toSandboxFault),
    clear: (accountId: string): void => void byAccount.delete(accountId),
    clearAll: (): void => byAccount.clear(),
    /**
     * The fault that strikes a request on one of `on`, one of `kinds` where they are given. The first that was set
     * strikes first; those after it do not count a request that it struck. Without `usesUp` none counts it.
     */
    strike: (
      accountId: string,
      on: readonly string[],
      { kinds, usesUp = true }: { kinds?: readonly Fault["do"][]; usesUp?: boolean } = {},
    ): Fault | undefined => {
      for (const fault of byAccount.get(accountId) ?? []) {
        if (!on.includes(fault.on) || (kinds && !kinds.includes(fault.do))) continue;
        if (isOver(fault)) continue;
        if (fault.passed < fault.after) {
          if (usesUp) fault.passed++;
          continue;
        }
        if (usesUp) fault.struck++;
        return fault;
      }
      return undefined;
    },
  };
}
export type Faults = ReturnType<typeof createFaults>;

function isOver({ struck, times }: SetFault): boolean {
  return struck >= times;
}

function toSandboxFault(fault: SetFault): SandboxFault {
  const { on, do: kind, times, after, struck, for: duration, status, code } = fault;
  return {
    on,
    do: kind,
    times,
    after,
    struck,
    ...(duration && { for: duration }),
    ...(status && { status }),
    ...(code && { code }),
  };
}

const unknown = { outcome: "unknown", reason: "A fault of the sandbox." } as const;

/**
 * The network of live payments with the faults of the sandbox. `processing`: a charge that would be approved is
 * approved after the processing time. `unknown`: the network's answer is lost; a charge that would be approved turns
 * out to be when it is looked up, and any other one never to have reached the network.
 */
export function addNetworkFaults(
  network: LocalNetwork,
  faults: Faults,
  { processingTimeMs }: { processingTimeMs: number },
): LocalNetwork {
  const decideLater = (reference: string) =>
    ({ outcome: "processing", reference, retryAfterMs: processingTimeMs }) as const;
  return {
    ...network,
    charge: async (charge, card) => {
      const kinds = ["processing", "unknown", "decline"] as const;
      const fault = faults.strike(charge.accountId, ["network"], { kinds });
      // The simulator knows a decline by its code.
      if (fault?.do === "decline") return decideLater(fault.code ?? "generic_decline");
      const outcome = await network.charge(charge, card);
      if (fault && outcome.outcome === "approved") return decideLater(outcome.reference);
      return fault?.do === "unknown" ? unknown : outcome;
    },
    refund: async (charge) =>
      faults.strike(charge.accountId, ["network"], { kinds: ["refund_declined"] })
        ? { outcome: "declined", code: "generic_decline" }
        : await network.refund(charge),
  };
}

declare module "fastify" {
  interface FastifyRequest {
    /** The journal's entry of this request, once there is one. */
    journaled?: SandboxRequest;
    /** The answer is lost: the connection is cut in its place. */
    losesAnswer?: boolean;
  }
}

type Parts = {
  faults: Faults;
  journal: Journal;
  now: () => number;
  /** Aborted when the sandbox starts over or ends: a delayed request goes on at once. */
  getInterruption: () => AbortSignal;
  /** Called with each entry once its request is over. */
  onOver?: ((entry: SandboxRequest) => void) | undefined;
};

/**
 * Lets requests of the API go wrong as the faults say, and writes each into the journal. `record` writes one for which
 * no hook runs, such as one with a malformed path.
 */
export function createRequestFaults({ faults, journal, now, getInterruption, onOver }: Parts) {
  const addEntry = (request: FastifyRequest, reply: FastifyReply): SandboxRequest => {
    if (request.journaled) return request.journaled;
    const entry = journal.add(request.principal.scope.accountId, {
      time: Math.floor(now() / 1000),
      method: request.method,
      path: maskPathSegments(request.url),
      status: null,
      idempotency_key: readIdempotencyKey(request),
      replayed: false,
      fault: null,
      body: request.body === undefined ? null : maskBody(request.body),
    });
    if (onOver) {
      // Of a list, which is streamed, it is the eleventh listener: Node would warn of a leak.
      reply.raw.setMaxListeners(20).once("close", () => onOver(entry));
    }
    return (request.journaled = entry);
  };

  function record(request: FastifyRequest, reply: FastifyReply): void {
    const principal = request.principal as Principal | undefined;
    if (!isWatched(request) || !principal) return;
    const entry = addEntry(request, reply); // of a request that was refused before its work
    entry.status = reply.statusCode;
    entry.replayed = reply.hasHeader("idempotent-replayed");
  }

  const strikeOnce = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    if (!isWatched(request)) return;
    const { principal } = request;
    const entry = addEntry(request, reply);
    // A HEAD is answered as its GET would be, and uses nothing up.
    const isHead = request.method === "HEAD";
    const method = isHead ? "GET" : request.method;
    const on = [describeEndpoint(method, request.routeOptions.url ?? ""), "*"];
    const fault =
      readHeader(request) ?? faults.strike(principal.scope.accountId, on, { usesUp: !isHead });
    if (!fault) return;
    entry.fault = fault.do;
    await strike(fault, { request, reply, interruption: getInterruption() });
  };

  return {
    record,
    watch: (app: FastifyInstance): void => {
      app.addHook("preHandler", strikeOnce);
      app.addHook("onSend", async (request, reply, payload) => {
        record(request, reply);
        if (request.losesAnswer) request.raw.socket.destroy();
        return payload;
      });
    },
  };
}

function isWatched({ url, headers }: FastifyRequest): boolean {
  return isApiPath(url) && headers[watcherHeader] === undefined;
}

type Target = { request: FastifyRequest; reply: FastifyReply; interruption: AbortSignal };

async function strike(
  fault: Fault,
  { request, reply, interruption: signal }: Target,
): Promise<void> {
  const kind = fault.do as RequestFault;
  switch (kind) {
    case "lost_answer":
      request.losesAnswer = true;
      return;
    case "disconnect":
      reply.hijack();
      request.raw.socket.destroy();
      return;
    case "delay":
      await delay(parseDurationText(fault.for ?? ""), undefined, { signal }).catch(() => {});
      return;
    case "status":
      if (fault.status === 429) reply.header("retry-after", "1");
      throw createStatusError(fault.status);
    case "in_use":
      throw createInUseError();
    default:
      throw new Error(`A request has no fault ${kind satisfies never as string}.`);
  }
}

/** The error of a status, which is answered as any of its kind is. */
function createStatusError(status: Fault["status"]): Error {
  if (status === 503) return new Unavailable("A fault of the sandbox.");
  if (status === 500) return new Error("A fault of the sandbox.");
  return new ServiceError(
    "rate_limit_exceeded",
    "Too many requests were made with this key. Wait for as many seconds as Retry-After says, then send fewer.",
  );
}

/** The fault of this request alone. Error: parameter_invalid. */
function readHeader({ headers }: FastifyRequest): Fault | undefined {
  const text = headers[faultHeader]?.toString();
  if (text === undefined) return undefined;
  const [kind, value] = text.trim().split("=", 2);
  const status = faultStatuses.find((known) => String(known) === value);
  const fields = { delay: { for: value }, status: { status } }[kind ?? ""];
  const { data } = faultBody.safeParse({ on: "*", do: kind, ...fields });
  if (data && (fields || value === undefined)) return data;
  throw new ServiceError(
    "parameter_invalid",
    "The header Sandbox-Fault must be lost_answer, disconnect, in_use, delay=2s (of at most 10m), or status=429, status=500 or status=503.",
    "Sandbox-Fault",
  );
}

/** The last requests of each account, the oldest first. */
export function createJournal() {
  const byAccount = new Map<string, SandboxRequest[]>();
  return {
    /** Remembers a request; the caller writes its status into the entry when it is known. */
    add: (accountId: string, entry: SandboxRequest): SandboxRequest => {
      const entries = byAccount.get(accountId) ?? [];
      byAccount.set(accountId, entries);
      entries.push(entry);
      if (entries.length > maxJournal) entries.shift();
      return entry;
    },
    list: (accountId: string): SandboxRequest[] => [...(byAccount.get(accountId) ?? [])],
    clearAll: (): void => byAccount.clear(),
  };
}
type Journal = ReturnType<typeof createJournal>;
