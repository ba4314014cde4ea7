import type { Environment } from "../flags/typed-values.ts";
import { listVariables } from "./environment.ts";
import { findNearest, findNearestByLastWord, joinWithOr } from "./suggest.ts";

const prefix = "PAYMENTS_";
const maxWarnings = 20;

/** No setting of the service: what `sandbox exec` and `listen` write for programs, and what other commands read. */
const forPrograms = [
  "PAYMENTS_CONTEXT",
  "PAYMENTS_SANDBOX_ACCOUNT",
  "PAYMENTS_SANDBOX_LIVE_KEY",
  "PAYMENTS_WEBHOOK_SECRET",
];

/** Kubernetes sets these beside a Service whose name begins with `payments`, in every pod, so they are no mistake. */
const serviceLink =
  /_(?:SERVICE_HOST|SERVICE_PORT(?:_\w+)?|PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)$/;

/**
 * Words a warning for each variable that looks like a setting and is none, with the nearest ones. `settings` are the
 * variables of flags. Never says a value, which may be a secret, nor a name that could hold one.
 */
export function describeUnknownVariables(env: Environment, settings: readonly string[]): string[] {
  const known = [...settings, ...listVariables([]).map(([name]) => name), ...forPrograms];
  const words = known.filter((name) => name.startsWith(prefix)).map(toWord);
  return Object.entries(env)
    .filter(
      ([name, value]) => name.startsWith(prefix) && !known.includes(name) && !isLink(name, value),
    )
    .slice(0, maxWarnings)
    .map(([name]) => {
      const near = findNearest(toWord(name), words);
      const meant = near.length > 0 ? near : findNearestByLastWord(toWord(name), words);
      const shown = /^[A-Z0-9_]{1,60}$/.test(name) ? name : `A variable that begins with ${prefix}`;
      return `${shown} is no setting, and has no effect. ${
        meant.length > 0
          ? `Did you mean ${joinWithOr(meant.map((word) => prefix + word.toUpperCase()))}?`
          : "See payments help environment for those there are."
      }`;
    });
}

function toWord(name: string): string {
  return name.slice(prefix.length).toLowerCase();
}

function isLink(name: string, value: string | undefined): boolean {
  return serviceLink.test(name) || /^(?:tcp|udp|sctp):\/\//.test(value ?? "");
}
