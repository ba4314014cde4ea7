import type { Environment } from "../flags/checked-values.ts";
import type { CommandDescription } from "./describe.ts";
import { findNearest, findNearestByLastWord, joinWithOr } from "./suggest.ts";

type Variable = readonly [name: string, meaning: string];

/** Lists the variables that commands read, in the order in which a user needs them. */
export function listVariables(commands: readonly CommandDescription[]): Variable[] {
  const described = new Set([...common, ...others].map(([name]) => name));
  const serve = commands.find(({ words }) => words.join(" ") === "serve");
  const settings = serve?.flags.flatMap(({ variable, name, summary }): Variable[] => {
    if (variable === undefined || described.has(variable)) return [];
    return [[variable, `\`serve --${name}\`. ${summary}`]];
  });
  return [...common, ...(settings ?? []), ...others];
}

const common: readonly Variable[] = [
  ["PAYMENTS_API_KEY", "The API key. Its prefix determines the mode."],
  ["PAYMENTS_BASE_URL", "The service to talk to, or `embedded`."],
  [
    "PAYMENTS_CONTEXT",
    "The context to work in. A PAYMENTS_BASE_URL beside it must be its own service's.",
  ],
  ["PAYMENTS_MODE", "`test` or `live`."],
  ["PAYMENTS_SERVICE_VERSION", "The API version to pin, a date."],
  [
    "PAYMENTS_DATABASE",
    "The database of `serve`, of the commands that work on it, and of the embedded service.",
  ],
  ["PAYMENTS_ACCOUNT", "The account in that database, by its id, where there are several."],
  [
    "PAYMENTS_NETWORK",
    "The card network of `serve` for live payments, like --network; `reconcile --network` asks it.",
  ],
  ["PAYMENTS_NETWORK_SECRET", "The secret for the adapter of a card network."],
  [
    "PAYMENTS_STRIPE_SECRET_KEY",
    "The secret key of the Stripe account of `serve --network stripe`.",
  ],
  ["PAYMENTS_STRIPE_BASE_URL", "A stand-in for Stripe, for rehearsals."],
  [
    "PAYMENTS_PUBLIC_URL",
    "`serve --public-url`. The URL at which the service is reached from outside; `operators invite` and `dashboard` make their links with it.",
  ],
];

const others: readonly Variable[] = [
  [
    "PAYMENTS_HOME",
    "One directory instead of the XDG base directories. A `~/` at the beginning of this or any other path is your home folder; another user's, `~ada/`, is refused.",
  ],
  ["PAYMENTS_WEBHOOK_SECRET", "The secret of the receiver that `webhooks check` grades."],
  ["HTTPS_PROXY", "The proxy for https services; HTTP_PROXY for http ones."],
  ["NO_PROXY", "Hosts to reach without the proxy, separated by commas."],
  ["NODE_EXTRA_CA_CERTS", "A file with certificate authorities to trust besides the default ones."],
  [
    "NODE_TLS_REJECT_UNAUTHORIZED",
    "Leave it unset: `0` turns off the check of certificates. Commands warn of it, and refuse it in live mode.",
  ],
  ["BROWSER", "The program that `create --open` and `dashboard` open a page with."],
  [
    "SUDO_USER",
    "The person behind sudo, named in the audit log for what a command does on the service's database.",
  ],
  ["NO_COLOR", "No colours. FORCE_COLOR=1 turns them on, also in a pipe."],
  ["CI", "Never prompt."],
  ["ACCESSIBLE", "Prompts line by line, without redrawing or colours; like TERM=dumb."],
];

const prefix = "PAYMENTS_";
const maxWarnings = 20;

/** No setting of the service: what `sandbox exec` and `listen` write for programs, and what other commands read. */
const forPrograms = ["PAYMENTS_SANDBOX_ACCOUNT", "PAYMENTS_SANDBOX_LIVE_KEY"];

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
