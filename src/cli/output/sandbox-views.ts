import type {
  SandboxFault,
  SandboxRequest,
  AccountWithKeys,
  WorkDone,
} from "../../contract/sandbox.ts";
import type { ClockMode } from "../../contract/field-values.ts";
import { formatCount, formatLocalTime } from "./style.ts";
import { minWrappedWidth as minWidth, type View } from "./resource.ts";

// The responses of a sandbox, for people.

export const sandboxFaultView: View<SandboxFault> = {
  fields: ["on", "do", "times", "after", "struck", "for", "status", "code"],
  details: (fault) => [
    ["On", fault.on],
    ["Does", formatFault(fault)],
    ["Times", String(fault.times)],
    ["After", String(fault.after)],
    ["Struck", String(fault.struck)],
  ],
  columns: [
    { title: "ON", text: ({ on }) => on, minWidth },
    { title: "DOES", text: formatFault },
    { title: "TIMES", text: ({ times }) => String(times), isRight: true },
    { title: "AFTER", text: ({ after }) => String(after), isRight: true },
    { title: "STRUCK", text: ({ struck }) => String(struck), isRight: true },
  ],
};

function formatFault({ do: kind, for: delay, status, code }: SandboxFault): string {
  const detail = delay ?? status ?? code;
  return detail === undefined ? kind : `${kind} ${detail}`;
}

export const sandboxRequestView: View<SandboxRequest> = {
  fields: ["time", "method", "path", "status", "idempotency_key", "replayed", "fault", "body"],
  overflow: "cut",
  columns: [
    { title: "TIME", text: ({ time }) => formatLocalTime(time) },
    { title: "METHOD", text: ({ method }) => method },
    { title: "PATH", text: ({ path }) => path, minWidth },
    { title: "STATUS", text: ({ status }) => String(status ?? "") },
    { title: "FAULT", text: ({ fault }) => fault ?? "" },
    { title: "REPLAYED", text: ({ replayed }) => (replayed ? "yes" : "") },
    { title: "IDEMPOTENCY KEY", text: ({ idempotency_key }) => idempotency_key ?? "", minWidth },
  ],
};

export const sandboxAccountView: View<AccountWithKeys> = {
  fields: ["account", "keys"],
  details: ({ account, keys }) => [
    ["Account", account.id],
    ["Name", account.name],
    ["Test key", keys.test],
    ["Live key", keys.live],
  ],
  columns: [],
};

export function formatClock({ now, mode }: { now: number; mode: ClockMode }): string {
  const state = mode === "manual" ? ", and stands still" : "";
  return `The time is ${formatLocalTime(now)} (${now})${state}.`;
}

/** Says what happened while the time moved on. */
export function formatWorkDone(did: WorkDone): string {
  const failed = did.delivery_attempts - did.delivered;
  const parts = [
    did.settled > 0 && `${formatCount(did.settled)} settled`,
    did.expired > 0 && `${formatCount(did.expired)} expired`,
    did.delivered > 0 && `${formatCount(did.delivered)} delivered`,
    failed > 0 && `${formatCount(failed)} delivery attempts failed`,
    did.purged > 0 && `${formatCount(did.purged)} purged`,
  ].filter((part) => part !== false);
  return parts.length === 0 ? "Nothing was due." : `On the way: ${parts.join(", ")}.`;
}
