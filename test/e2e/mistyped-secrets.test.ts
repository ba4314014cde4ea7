import { describe, expect, test } from "vitest";
import {
  json,
  paymentWith,
  refusal,
  scriptedServer,
  type Answer,
} from "../testkit/client/scripted-server.ts";
import { createTemporaryHome } from "../testkit/command/temporary-home.ts";
import {
  createServiceEnv,
  runInNewProcess,
  runPayments,
  type RunOptions,
} from "../testkit/command/run-payments.ts";
import {
  canaryKey,
  leakingFiles,
  leaksIn,
  writtenCards,
  wrongKeys,
} from "../testkit/deployment/canaries.ts";

const visa = ["create", "--amount", "1", "--currency", "eur", "--test-card", "visa"];
const debug = ["--debug"];

type Position = [position: string, toArgs: (secret: string) => string[]];

/** A secret here makes the command line invalid. */
const invalidSyntax: Position[] = [
  ["--api-key SECRET", (secret) => ["list", ...debug, "--api-key", secret]],
  ["--api-key=SECRET", (secret) => ["list", ...debug, `--api-key=${secret}`]],
  ["--key SECRET", (secret) => [...visa, ...debug, "--key", secret]],
  ["--card SECRET", (secret) => [...visa, ...debug, "--card", secret]],
  ["--SECRET", (secret) => ["list", `--${secret}`]],
  ["an argument", (secret) => ["list", ...debug, secret]],
  ["an argument after the id", (secret) => ["get", "pay_1", secret]],
  ["the command", (secret) => [secret]],
  ["the command after keys", (secret) => ["keys", secret]],
  ["the argument of help", (secret) => ["help", secret]],
  ["mode SECRET", (secret) => ["mode", secret]],
  ["--mode SECRET", (secret) => ["list", ...debug, "--mode", secret]],
  ["--status SECRET", (secret) => ["list", ...debug, "--status", secret]],
  ["--output SECRET", (secret) => ["list", ...debug, "--output", secret]],
  ["-oSECRET", (secret) => ["list", ...debug, `-o${secret}`]],
  ["--limit SECRET", (secret) => ["list", ...debug, "--limit", secret]],
  ["--test-card SECRET", (secret) => [...visa.slice(0, -1), secret, ...debug]],
  ["--exp-month SECRET", (secret) => [...visa, ...debug, "--exp-month", secret]],
  ["--max-retries SECRET", (secret) => ["list", ...debug, "--max-retries", secret]],
  ["--log-level SECRET", (secret) => ["serve", "--log-level", secret]],
];

/** A secret here is refused by the command itself. */
const invalidValue: Position[] = [
  ["--base-url SECRET", (secret) => ["list", ...debug, "--base-url", secret]],
  ["--base-url https://SECRET@host", (secret) => ["list", "--base-url", `https://${secret}@host`]],
  [
    "--database postgres://…",
    (secret) => ["keys", "list", "--database", `postgres://u:${secret}@h/d`],
  ],
  ["--database of serve", (secret) => ["serve", "--database", `postgres://u:${secret}@h/d`]],
  [
    "--database of the embedded service",
    (secret) => ["list", "--base-url", "embedded", "--database", `mysql://u:${secret}@h/d`],
  ],
  ["--api-key-file SECRET", (secret) => ["list", ...debug, "--api-key-file", secret]],
  ["--card-file SECRET", (secret) => [...visa.slice(0, -2), ...debug, "--card-file", secret]],
  ["--data SECRET", (secret) => ["create", ...debug, "--data", secret]],
  ["--amount SECRET", (secret) => ["create", "--amount", secret, ...visa.slice(3), ...debug]],
  ["--metadata SECRET", (secret) => [...visa, ...debug, "--metadata", secret]],
  ["--expect SECRET", (secret) => [...visa, ...debug, "--expect", secret]],
  ["--timeout SECRET", (secret) => [...visa, ...debug, "--timeout", secret]],
  ["--created-gte SECRET", (secret) => ["list", ...debug, "--created-gte", secret]],
  ["--fields SECRET", (secret) => ["list", ...debug, "--fields", secret]],
  ["--service-version SECRET", (secret) => ["list", ...debug, "--service-version", secret]],
  ["get SECRET", (secret) => ["get", secret, ...debug]],
  ["refund SECRET", (secret) => ["refund", secret, "--yes", ...debug]],
  ["--starting-after SECRET", (secret) => ["list", ...debug, "--starting-after", secret]],
  ["--ending-before SECRET", (secret) => ["list", ...debug, "--ending-before", secret]],
  ["events get SECRET", (secret) => ["events", "get", secret, ...debug]],
  ["events list --payment SECRET", (secret) => ["events", "list", ...debug, "--payment", secret]],
  [
    "events resend --endpoint SECRET",
    (secret) => ["events", "resend", "evt_1", "--endpoint", secret],
  ],
  ["webhooks get SECRET", (secret) => ["webhooks", "get", secret, ...debug]],
  ["webhooks create --url SECRET", (secret) => ["webhooks", "create", ...debug, "--url", secret]],
  [
    "webhooks create --url https://SECRET@host",
    (secret) => ["webhooks", "create", "--url", `https://${secret}@host`],
  ],
  [
    "webhooks update --events SECRET",
    (secret) => ["webhooks", "update", "we_1", "--events", secret],
  ],
  [
    "webhooks update --description SECRET",
    (secret) => ["webhooks", "update", "we_1", "--description", secret, "--url", "SECRET"],
  ],
  ["webhooks roll --overlap SECRET", (secret) => ["webhooks", "roll", "we_1", "--overlap", secret]],
  ["webhooks delete SECRET", (secret) => ["webhooks", "delete", secret, "--yes"]],
  ["keys revoke SECRET", (secret) => ["keys", "revoke", secret]],
  ["keys roll SECRET", (secret) => ["keys", "roll", secret]],
];

/** Each position gets the next form of a key or a card number. */
const keys = Object.entries({ whole: canaryKey, ...wrongKeys });
const cards = Object.entries(writtenCards);
const pickInTurn = (all: [string, string][], index: number) => all[index % all.length] ?? ["", ""];

function typeKey([position, toArgs]: Position, index: number) {
  const [kind, key] = pickInTurn(keys, index);
  return { position, what: `a key (${kind})`, args: [...toArgs(key), "--json"] };
}
function typeCard([position, toArgs]: Position, index: number) {
  const [kind, card] = pickInTurn(cards, index);
  return { position, what: `a card number (${kind})`, args: toArgs(card) };
}
const cases = [...invalidSyntax, ...invalidValue].map((position, index) =>
  (index % 2 === 0 ? typeKey : typeCard)(position, index),
);

describe.concurrent("a secret typed in the wrong position is neither printed, stored nor sent:", () => {
  test.each(cases)("$what as $position", async ({ args }) => {
    const server = await scriptedServer(notFound);
    expect(await findTraces(args, { env: createServiceEnv(server.url) })).toEqual([]);
    expect(leaksIn(JSON.stringify(server.requests))).toEqual([]);
  });

  test.each([
    "PAYMENTS_MODE",
    "PAYMENTS_BASE_URL",
    "PAYMENTS_SERVICE_VERSION",
    "PAYMENTS_DATABASE",
  ])("a key (with another prefix) in %s", async (variable) => {
    const env = { [variable]: wrongKeys["with another prefix"] };
    expect(await findTraces(["list"], { env }, runInNewProcess)).toEqual([]);
  });
});

const notFound: Answer = (response, request) =>
  (request.path === "/v1/payments/pay_1"
    ? json(200, paymentWith({ id: "pay_1" }))
    : refusal(404, "x"))(response, request);

/** Runs a command, which must refuse its arguments; gives the outputs and files that contain a secret. */
async function findTraces(
  args: string[],
  options: RunOptions,
  run = runPayments,
): Promise<string[]> {
  const home = createTemporaryHome();
  const { stdout, stderr, exitCode } = await run(args, { ...options, home });
  expect([2, 4, 5, 9]).toContain(exitCode); // 9: a missing database
  const outputs = [stdout, stderr].filter((output) => leaksIn(output).length > 0);
  return [...outputs, ...leakingFiles(home)];
}
