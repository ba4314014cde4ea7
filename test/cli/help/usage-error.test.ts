import { Flags, Parser, type Interfaces } from "@oclif/core";
import { describe, expect, test } from "vitest";
import { findCommand, Program } from "../../../src/cli/program/program.ts";
import { explainNoCommand } from "../../../src/cli/help/suggest.ts";
import { type ParserError, explainUsage } from "../../../src/cli/help/usage-error.ts";
import { root } from "../../testkit/command/built-commands.ts";
import type { CommandError } from "../../../src/cli/output/command-error.ts";
import { parseError, runPayments } from "../../testkit/command/run-payments.ts";
import { someKeys } from "../../testkit/temporary.ts";

const keyHint =
  "A key is never typed on the command line. Set PAYMENTS_API_KEY, name a file with --api-key-file, or store the key with payments login.";

describe.concurrent("a refused command line of the built command", () => {
  test.each([
    ["lst", "Unknown command: payments lst.", "Did you mean payments list?"],
    ["gte pay_1", "Unknown command: payments gte.", "Did you mean payments get?"],
    ["key create", "Unknown command: payments key.", "Did you mean payments keys create?"],
    ["keys crate", "Unknown command: payments keys crate.", "Did you mean payments keys create?"],
    ["revoke key_1", "Unknown command: payments revoke.", "Did you mean payments keys revoke?"],
    ["nonsense", "Unknown command: payments nonsense.", "payments help lists the commands."],
    [
      "keys nonsense",
      "Unknown command: payments keys nonsense.",
      "payments help keys lists the commands.",
    ],
    ["list --josn", "Unknown flag: --josn.", "Did you mean --json?"],
    ["list --staus failed", "Unknown flag: --staus.", "Did you mean --status?"],
    ["keys --nonsense", "Unknown flag: --nonsense.", "See payments keys --help."],
    [
      "create --customer-email ada@example.com",
      "Unknown flag: --customer-email.",
      "Did you mean --email?",
    ],
    ["list --retries 1", "Unknown flag: --retries.", "Did you mean --max-retries?"],
    ["create --firstName=Ada", "Unknown flag.", "Did you mean --first-name?"],
    ["list --jsn --al", "Unknown flags: --jsn, --al.", "Did you mean --json?"],
    ["list -x", "Unknown flag: -x.", "See payments list --help."],
    [
      "--status failed list",
      "--status stands before the command.",
      "The command comes first: payments <command> --status.",
    ],
    ["--hepl", "Unknown flag: --hepl.", "Did you mean --help?"],
    [`list --api-key ${someKeys.live}`, "Unknown flag: --api-key.", keyHint],
    [`mode --api-key ${someKeys.live}`, "Unknown flag: --api-key.", keyHint],
    [`login ${someKeys.live}`, "Unexpected argument after payments login.", keyHint],
    ["list failed", "Unexpected argument: failed.", "Did you mean --status failed?"],
    [
      "get pay_1 pay_2",
      "Unexpected argument after payments get.",
      "Usage: payments get <id> [flags]",
    ],
    [
      "get",
      "Missing <id>: the id of a payment, such as pay_0199…, or its last 8 characters or more.",
      "Usage: payments get <id> [flags]",
    ],
    ["completion zhs", "<shell> must be bash, zsh or fish.", "Did you mean zsh?"],
    [
      "list --status suceeded",
      "--status must be pending, succeeded, failed or refunded.",
      "Did you mean --status succeeded?",
    ],
    ["list --mode=prod", "--mode must be test or live.", "See payments list --help."],
    [
      "create --expect success --amount 1",
      "--expect must be one of succeeded, failed, refunded, generic_decline, insufficient_funds, expired_card, authentication_required, test_mode_live_card, hpp_expired, customer_canceled, canceled, processing_error.",
      "Did you mean --expect succeeded?",
    ],
    ["list --limit", "--limit needs a value.", "For example --limit 10"],
    ["list --mode --all", "--mode needs a value.", "Give test or live."],
    [
      "create --data",
      "--data needs a value.",
      "Write --data <path>: the whole body as JSON; `-` is standard input.",
    ],
    ["list --limit ten", "--limit must be an integer.", "For example --limit 10"],
    [
      "serve --port 99999",
      "--port must be an integer of at most 65535.",
      "For example --port 8402",
    ],
    ["list --limit 0", "--limit must be an integer of at least 1.", "For example --limit 10"],
    ["list --all=yes", "--all takes no value.", "Write --all alone, or leave it out."],
    ["list --brand visa --brand amex", "--brand can be given only once.", "Leave the others out."],
    [
      "list --starting-after pay_1 --ending-before pay_2",
      "--starting-after and --ending-before contradict each other.",
      "Give one of them.",
    ],
    [
      "keys create",
      "Missing --mode and --name.",
      "Usage: payments keys create --mode test|live --name <name> [flags]",
    ],
  ])("payments %s", async (line, message, hint) => {
    expect(await runPayments(line.split(" "))).toEqual({
      stdout: "",
      stderr: `Error: ${message}\n  hint: ${hint}\n`,
      exitCode: 2,
    });
  });

  test.each(["--json", "-ojson", "-o json", "--output=ndjson"])(
    "is one line of JSON with %s",
    async (format) => {
      const ran = await runPayments(["list", "--staus", "failed", ...format.split(" ")]);
      expect(ran.exitCode).toBe(2);
      expect(parseError(ran)).toMatchObject({
        type: "cli_error",
        code: "usage",
        message: "Unknown flag: --staus.",
        hint: "Did you mean --status?",
      });
    },
  );
});

test.each([
  [["list", "--limit", "0"], "--limit must be an integer of at least 1."],
  [["serve", "--port", "65536"], "--port must be an integer of at most 65535."],
  [["list", "--limit", "1.5"], "--limit must be an integer."],
])("an integer beyond its limit is refused with the limit: %j", async (argv, message) => {
  expect(await runRefused(argv)).toMatchObject({ exitCode: 2, message });
});

test.each([
  [
    "a flag that needs another",
    { from: Flags.string({ dependsOn: ["to"] }), to: Flags.string() },
    ["--from", "hunter"],
    "--from needs --to too.",
  ],
  [
    "a flag that needs two",
    { from: Flags.string({ dependsOn: ["to", "user"] }), to: Flags.string(), user: Flags.string() },
    ["--from", "hunter"],
    "--from needs --to and --user too.",
  ],
  [
    "a flag that needs one of two",
    {
      from: Flags.string({ relationships: [{ type: "some", flags: ["to", "user"] }] }),
      to: Flags.string(),
      user: Flags.string(),
    },
    ["--from", "hunter"],
    "--from needs --to or --user too.",
  ],
  [
    "two that exclude each other",
    { from: Flags.string({ exclusive: ["to"] }), to: Flags.string() },
    ["--from", "hunter", "--to", "hunter"],
    "--to and --from contradict each other.",
  ],
  [
    "one that goes with others only",
    { from: Flags.string({ combinable: ["to"] }), to: Flags.string(), user: Flags.string() },
    ["--from", "hunter", "--user", "hunter"],
    "These flags don't go together.",
  ],
  [
    "what is required",
    { from: Flags.string({ required: true }), secret: Flags.string({ required: true }) },
    [],
    "Missing --from and --secret.",
  ],
] as [string, Interfaces.FlagInput, string[], string][])(
  "the parser's report of %s is explained without values",
  async (_, flags, argv, message) => {
    const error = await Parser.parse(argv, { flags }).catch((thrown: unknown) => thrown);
    const refused = explainUsage(error as ParserError, { id: "move", rest: argv }, {});
    expect(refused).toMatchObject({ exitCode: 2, message });
    expect(refused.hint).not.toContain("hunter");
  },
);

describe("a possible secret is never repeated:", () => {
  const secrets = {
    "a key": someKeys.live,
    "a key's end": someKeys.live.slice(-20),
    "a mistyped key": someKeys.live.replaceAll("_", "-"),
    "a key of another kind": "rk_live_51NXw0ABCDEFhunterXYZ",
    "a card number": "4242424242424242",
    "a grouped card number": "4242 4242 4242 4242",
    "a card number grouped by dots": "4242.4242.4242.4242",
    "an address with a password": "postgres://payments:hunter@db/payments",
    "a card as JSON": '{"number":"4242424242424242","cvc":"4242"}',
    "lines with a flag": "x\nMissing required flag hunter\n--a cannot also hunter",
  };
  const positions: Record<string, (secret: string) => string[]> = {
    "as the command": (secret) => [secret],
    "after a command": (secret) => ["list", secret],
    "after a group": (secret) => ["keys", secret],
    "as a second argument": (secret) => ["get", "pay_1", secret],
    "as an argument of few values": (secret) => ["mode", secret],
    "as a flag": (secret) => ["list", `--${secret}`],
    "as a flag's letter": (secret) => ["list", `-x${secret}`],
    "as a flag before the command": (secret) => [`--${secret}`, "list"],
    "after a flag that is not there": (secret) => ["list", "--api-key", secret],
    "joined to a flag that is not there": (secret) => ["list", `--password=${secret}`],
    "for few values": (secret) => ["list", "--status", secret],
    "for an integer": (secret) => ["serve", "--port", secret],
    "for a switch": (secret) => ["list", `--all=${secret}`],
    "with a contradiction": (secret) => [
      "list",
      "--starting-after",
      secret,
      "--ending-before",
      secret,
    ],
  };
  // The kinds of secrets are proved in redact.test.ts: each is here once, and three are everywhere.
  const everywhere = new Set(["a key", "a card as JSON", "lines with a flag"]);
  const cases = Object.entries(positions).flatMap(([place, argvWith]) =>
    Object.entries(secrets)
      .filter(([kind]) => place === "after a command" || everywhere.has(kind))
      .map(([kind, secret]) => [kind, place, argvWith(secret)] as const),
  );

  test.each(cases)("%s %s", async (_, __, argv) => {
    const { message, hint, exitCode } = await runRefused(argv);
    expect(exitCode).toBe(2);
    expect(`${message} ${hint}`).not.toMatch(/4242|hunter|51NXw|9876|543210|gfedcb/);
    expect(message).not.toMatch(/\p{Cc}/u);
  });
});

async function runRefused(argv: string[]): Promise<CommandError> {
  const named = await findCommand(argv);
  if (!named) return explainNoCommand(argv);
  const refused = new named.Command(named.rest, new Program(root)).run();
  const error = (await refused.catch((thrown: unknown) => thrown)) as ParserError;
  return explainUsage(error, named, {});
}
