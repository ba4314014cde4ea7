import { describe, expect, test } from "vitest";
import { findCommand, Program } from "../../../src/cli/program/program.ts";
import {
  explainNoCommand,
  type ParserError,
  explainUsage,
} from "../../../src/cli/help/usage-error.ts";
import { root } from "../../testkit/command/built-commands.ts";
import type { CommandError } from "../../../src/cli/errors/command-error.ts";
import { parseError, runPayments } from "../../testkit/command/run-payments.ts";
import { someKeys } from "../../testkit/command/temporary-home.ts";

const keyHint =
  "A key is never typed on the command line. Set PAYMENTS_API_KEY, name a file with --api-key-file, or store the key with payments login.";

describe.concurrent("a refused command line of the built command", () => {
  test.each<[string, string[], string, string | null]>([
    ["a command", ["lst"], "Unknown command: payments lst.", "Did you mean payments list?"],
    [
      "a command with arguments",
      ["gte", "pay_1"],
      "Unknown command: payments gte.",
      "Did you mean payments get?",
    ],
    ["a group", ["key", "create"], "Unknown command: payments key.", "Did you mean payments keys?"],
    [
      "a command of a group",
      ["keys", "crate"],
      "Unknown command: payments keys crate.",
      "Did you mean payments keys create?",
    ],
    [
      "nothing that is near",
      ["nonsense"],
      "Unknown command: payments nonsense.",
      "payments help lists the commands.",
    ],
    [
      "nothing in a group that is near",
      ["keys", "nonsense"],
      "Unknown command: payments keys nonsense.",
      "payments help keys lists the commands.",
    ],
    ["a flag", ["list", "--josn"], "Unknown flag: --josn.", "Did you mean --json?"],
    [
      "a flag and its value",
      ["list", "--staus", "failed"],
      "Unknown flag: --staus.",
      "Did you mean --status?",
    ],
    [
      "a flag of a group",
      ["keys", "--nonsense"],
      "Unknown flag: --nonsense.",
      "See payments keys --help.",
    ],
    [
      "a flag in another way of writing",
      ["create", "--firstName=Ada"],
      "Unknown flag.",
      "Did you mean --first-name?",
    ],
    ["two flags", ["list", "--jsn", "--al"], "Unknown flags: --jsn, --al.", "Did you mean --json?"],
    ["a letter", ["list", "-x"], "Unknown flag: -x.", "See payments list --help."],
    [
      "a flag before the command",
      ["--status", "failed", "list"],
      "Unknown flag: --status.",
      "payments help lists the commands.",
    ],
    ["a flag without a command", ["--hepl"], "Unknown flag: --hepl.", "Did you mean --help?"],
    ["a flag for a key", ["list", "--api-key", someKeys.live], "Unknown flag: --api-key.", keyHint],
    [
      "a flag for a key, where an argument has few values",
      ["mode", "--api-key", someKeys.live],
      "Unknown flag: --api-key.",
      keyHint,
    ],
    ["a key", ["login", someKeys.live], "Unexpected argument after payments login.", keyHint],
    [
      "a value without its flag",
      ["list", "failed"],
      "Unexpected argument: failed.",
      "Did you mean --status failed?",
    ],
    [
      "an argument too many",
      ["get", "pay_1", "pay_2"],
      "Unexpected argument after payments get.",
      "Usage: payments get <id> [flags]",
    ],
    [
      "an argument too few",
      ["get"],
      "Missing <id>: the id of a payment, such as pay_0199….",
      "Usage: payments get <id> [flags]",
    ],
    [
      "an argument that is none of few",
      ["completion", "zhs"],
      "<shell> must be bash, zsh or fish.",
      "Did you mean zsh?",
    ],
    [
      "a value that is none of few",
      ["list", "--status", "suceeded"],
      "--status must be pending, succeeded, failed or refunded.",
      "Did you mean --status succeeded?",
    ],
    [
      "a value that is near none",
      ["list", "--mode=prod"],
      "--mode must be test or live.",
      "See payments list --help.",
    ],
    [
      "a value of none",
      ["create", "--expect", "success", "--amount", "1"],
      "--expect must be one of succeeded, failed, refunded, generic_decline, insufficient_funds, expired_card, authentication_required, test_mode_live_card, hpp_expired, customer_canceled, processing_error.",
      null,
    ],
    ["no value", ["list", "--limit"], "--limit needs a value.", "For example --limit 10"],
    ["no value of few", ["list", "--mode", "--all"], "--mode needs a value.", "Give test or live."],
    [
      "no path",
      ["create", "--data"],
      "--data needs a value.",
      "Write --data <path>: the whole body as JSON; `-` is standard input.",
    ],
    [
      "no number",
      ["list", "--limit", "ten"],
      "--limit must be an integer.",
      "See payments list --help.",
    ],
    [
      "a number too high",
      ["serve", "--port", "99999"],
      "--port must be an integer of at most 65535.",
      "See payments serve --help.",
    ],
    [
      "a number too low",
      ["list", "--limit", "0"],
      "--limit must be an integer of at least 1.",
      "See payments list --help.",
    ],
    [
      "a value for a switch",
      ["list", "--all=yes"],
      "--all takes no value.",
      "Write --all alone, or leave it out.",
    ],
    [
      "a flag twice",
      ["list", "--status", "failed", "--status", "pending"],
      "--status can be given only once.",
      "Leave the others out.",
    ],
    [
      "two that contradict each other",
      ["list", "--starting-after", "pay_1", "--ending-before", "pay_2"],
      "--starting-after and --ending-before contradict each other.",
      "Give one of them.",
    ],
    [
      "flags that are missing",
      ["keys", "create"],
      "Missing --mode and --name.",
      "Usage: payments keys create --mode test|live --name <name> [flags]",
    ],
  ])("for %s: %j", async (_, argv, message, hint) => {
    expect(await runPayments(argv)).toEqual({
      stdout: "",
      stderr: `Error: ${message}\n${hint === null ? "" : `  hint: ${hint}\n`}`,
      exitCode: 2,
    });
  });

  test("is one line of JSON with --json", async () => {
    const ran = await runPayments(["list", "--staus", "failed", "--json"]);
    expect(ran.exitCode).toBe(2);
    expect(parseError(ran)).toMatchObject({
      type: "cli_error",
      code: "usage",
      message: "Unknown flag: --staus.",
      hint: "Did you mean --status?",
    });
  });
});

test.each([
  [["list", "--limit", "0"], "--limit must be an integer of at least 1."],
  [["serve", "--port", "65536"], "--port must be an integer of at most 65535."],
  [["list", "--limit", "1.5"], "--limit must be an integer."],
])("an integer beyond its limit is refused with the limit: %j", async (argv, message) => {
  expect(await runRefused(argv)).toMatchObject({ exitCode: 2, message });
});

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
  const cases = Object.entries(positions).flatMap(([place, argvWith]) =>
    Object.entries(secrets).map(([kind, secret]) => [kind, place, argvWith(secret)] as const),
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
  return explainUsage((await refused.catch((thrown: unknown) => thrown)) as ParserError, argv);
}
