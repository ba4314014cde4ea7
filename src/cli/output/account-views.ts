import {
  type Account,
  type Activity,
  type ApiKey,
  type InvitedOperator,
  type IssuedKey,
  type Operator,
  accountFields,
  activityFields,
  activityIdPattern,
  formatGrant,
  invitedOperatorFields,
  isRestricted,
  issuedKeyFields,
  keyFields,
  operatorFields,
} from "../../contract/administration.ts";
import type { ClockMode } from "../../contract/field-values.ts";
import type {
  AccountWithKeys,
  SandboxFault,
  SandboxRequest,
  WorkDone,
} from "../../contract/sandbox.ts";
import { type Resource, type View, minWrappedWidth as minWidth } from "./resource.ts";
import { bold, formatCount, formatLocalTime } from "./style.ts";

// Views of the records in the service's own database. Their tables shorten no text.

export const accountView: View<Account> = {
  fields: accountFields,
  details: ({ id, name, default_version, created }) => [
    ["ID", id],
    ["Name", name],
    ["Version", default_version],
    ["Created", formatLocalTime(created)],
  ],
  columns: [
    { title: "ID", text: ({ id }) => id },
    { title: "NAME", text: ({ name }) => name, minWidth },
    { title: "VERSION", text: ({ default_version }) => default_version },
    { title: "CREATED", text: ({ created }) => formatLocalTime(created) },
  ],
};

export const keyView: View<ApiKey | IssuedKey> = {
  fields: keyFields,
  details: (key) => [
    "key" in key ? ["Key", key.key, bold] : ["Key", `…${key.last4}`],
    ["ID", key.id],
    ["Account", key.account],
    ["Mode", key.mode],
    ["Name", key.name],
    ["Created", formatLocalTime(key.created)],
    ["Last used", "key" in key ? undefined : formatLastTime(key.last_used_at)],
    ["State", formatKeyState(key)],
    ["May", isRestricted(key) ? formatGrant(key) : undefined],
  ],
  columns: [
    { title: "ID", text: ({ id }) => id },
    {
      title: "ACCOUNT",
      text: ({ account }) => account,
      isShown: (keys) => new Set(keys.map(({ account }) => account)).size > 1,
    },
    { title: "MODE", text: ({ mode }) => mode },
    { title: "NAME", text: ({ name }) => name, minWidth },
    { title: "KEY", text: ({ last4 }) => `…${last4}` },
    { title: "CREATED", text: ({ created }) => formatLocalTime(created) },
    { title: "LAST USED", text: ({ last_used_at }) => formatLastTime(last_used_at) },
    { title: "STATE", text: formatKeyState, minWidth },
    {
      title: "MAY",
      text: formatGrant,
      minWidth,
      isShown: (keys) => keys.some(isRestricted),
    },
  ],
};

/** A new key, with its value, which is never shown again. */
export const issuedKeyView: View<IssuedKey> = { ...keyView, fields: issuedKeyFields };

export const operatorView: View<Operator | InvitedOperator> = {
  fields: operatorFields,
  details: (operator) => {
    const invitation = "invitation" in operator ? operator.invitation : undefined;
    return [
      ["Link", invitation?.url, bold],
      ["Good until", invitation && formatLocalTime(invitation.expires_at)],
      ["ID", operator.id],
      ["Name", operator.name],
      ["Role", operator.role],
      ["Accounts", operator.accounts.join(", ") || "none"],
      ["State", operator.status],
      ["Last seen", formatLastTime(operator.last_seen_at)],
    ];
  },
  columns: [
    { title: "ID", text: ({ id }) => id },
    { title: "NAME", text: ({ name }) => name, minWidth },
    { title: "ROLE", text: ({ role }) => role },
    { title: "STATE", text: ({ status }) => status },
    { title: "LAST SEEN", text: ({ last_seen_at }) => formatLastTime(last_seen_at) },
    { title: "ACCOUNTS", text: ({ accounts }) => accounts.join(" "), minWidth },
  ],
};

/** An operator with a new invitation link. */
export const invitedOperatorView: View<InvitedOperator> = {
  ...operatorView,
  fields: invitedOperatorFields,
};

function formatLastTime(seconds: number | null): string {
  return seconds === null ? "never" : formatLocalTime(seconds);
}

function formatKeyState({ revoked_at, expires_at }: ApiKey | IssuedKey): string {
  if (revoked_at !== null) return `revoked ${formatLocalTime(revoked_at)}`;
  if (expires_at === null) return "active";
  const word = expires_at * 1000 <= Date.now() ? "expired" : "active until";
  return `${word} ${formatLocalTime(expires_at)}`;
}

export const activityResource: Resource<Activity> = {
  name: "audit entry",
  one: "an audit entry",
  many: "audit entries",
  idPattern: activityIdPattern,
  idForm: "act_0199…",
  shownBy: "payments activity list --json",
  fields: activityFields,
  someFields: "created,actor.name,action",
  overflow: "cut",
  columns: [
    { title: "CREATED", text: ({ created }, { past }) => past(created) },
    { title: "ACTOR", text: formatActor, minWidth: 12 },
    { title: "ACTION", text: ({ action }) => action },
    { title: "SUBJECT", text: ({ subject }) => subject.name ?? subject.id, minWidth: 12 },
    { title: "DETAIL", text: ({ detail }) => detail ?? "", minWidth: 8 },
    {
      title: "MODE",
      text: ({ livemode }) => (livemode === null ? "" : livemode ? "live" : "test"),
    },
    { title: "ID", text: ({ id }) => id },
  ],
};

function formatActor({ actor: { type, name } }: Activity): string {
  switch (type) {
    case "operator":
      return name;
    case "api_key":
      return `${name} (key)`;
    case "command":
      return `${name} (command)`;
    default:
      return type satisfies never;
  }
}

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
