import { expect, test } from "vitest";
import { json, scriptedServer } from "../../testkit/client/scripted-server.ts";
import { commands } from "../../testkit/command/built-commands.ts";
import { createServiceEnv, runPayments } from "../../testkit/command/run-payments.ts";
import { createTemporaryHome } from "../../testkit/temporary.ts";
import {
  canaryKey,
  leakingFiles,
  leaksIn,
  wrongKeys,
  writtenCards,
} from "../../testkit/deployment/canaries.ts";

/** The arguments that each command needs beside the flag that holds a secret. */
const given: Record<string, string> = {
  "accounts create": "--name Shop",
  "accounts rename": "acct_1 --name Shop",
  api: "/v1/payments",
  backup: "backup.db",
  completion: "bash",
  create: "--amount 1 --currency eur --test-card visa",
  "events get": "evt_1",
  "events resend": "evt_1",
  explain: "pay_1",
  get: "pay_1",
  "keys create": "--mode test --name ci",
  "keys revoke": "key_1",
  "keys roll": "key_1",
  listen: "--print-secret",
  "logs get": "req_1",
  "network check": "http://127.0.0.1:9",
  "operators invite": "--name Ada --role admin",
  "operators remove": "op_1",
  pay: "pay_1 --test-card visa",
  refund: "pay_1 --yes",
  sandbox: "--database none",
  serve: "--network none",
  trigger: "payment.succeeded",
  "webhooks create": "--url https://shop.example/hooks",
};
/** These are sent to the API, which judges them. */
const texts =
  /^(?:name|description|idempotency-key|email|(?:first|last)-name|country|phone|address|city|zip|card-(?:number|holder)|currency|cvc)$/;

const database = (password: string) => `postgres://payments:${password}@127.0.0.1:1/payments`;
const secrets = [
  ...Object.entries({ "a key": canaryKey, ...wrongKeys }),
  ...Object.entries(writtenCards),
  ["in an address", `https://${canaryKey}@shop.example`] as const,
  ["in a database's", database(canaryKey)] as const,
];

/** Each flag of each command once, with the next of the secrets as its value; and each argument. */
const seen = new Set<string>();
const cases: ((secret: string) => string[])[] = [];
for (const { words, flags, arguments: args } of commands) {
  const name = words.join(" ");
  const others = (given[name] ?? (args.length > 0 ? "we_1" : "")).split(" ").filter(Boolean);
  const debug = flags.some((flag) => flag.name === "debug") ? ["--debug"] : [];
  const places = flags.filter((flag) => flag.valueName !== undefined && !texts.test(flag.name));
  const news = places.filter(({ name: flag }) => flag === "database" || !seen.has(flag));
  news.forEach((flag) => seen.add(flag.name));
  for (const flag of news) {
    const at = others.indexOf(`--${flag.name}`);
    const rest = at === -1 ? others : others.toSpliced(at, 2);
    cases.push((secret) => [...words, ...rest, ...debug, `--${flag.name}`, secret]);
  }
  if (args.length > 0) cases.push((secret) => [...words, secret, ...others.slice(1), ...debug]);
}
const typed = cases.flatMap((toArgs, at) =>
  [0, 1].map((turn) => {
    const [kind, secret] = secrets[(2 * at + turn) % secrets.length]!;
    return [toArgs("SECRET").join(" "), kind, toArgs(secret)] as const;
  }),
);

test.concurrent.each(typed)(
  "a secret typed as a value is neither printed, stored nor sent: %s, %s",
  async (_, __, args) => {
    const server = await scriptedServer(json(404, {}));
    const home = createTemporaryHome();
    const env = createServiceEnv(server.url);
    const { stdout, stderr, exitCode } = await runPayments(args, {
      env,
      home,
      startsNothing: !args.includes("--database"), // which is opened first
    });
    expect(leaksIn(stdout + stderr + JSON.stringify(server.requests))).toEqual([]);
    expect(leakingFiles(home)).toEqual([]);
    expect(exitCode).not.toBe(0);
  },
);
