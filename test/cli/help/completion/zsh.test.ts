import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { helpFlag } from "../../../../src/cli/help/describe.ts";
import {
  listCompletedCommands,
  type CompletedCommand,
} from "../../../../src/cli/help/completion/completed-commands.ts";
import { toZshCompletion } from "../../../../src/cli/help/completion/zsh.ts";
import { commands } from "../../../testkit/command/built-commands.ts";
import { inC } from "./complete-in-bash.ts";

const built = listCompletedCommands(commands);

describe("the zsh script", () => {
  test("hands _arguments each flag with its summary, values and files", () => {
    expect(readSpecs("_payments_list", built)).toEqual(
      expect.arrayContaining([
        "--status=[Only payments of this status.]:value:(pending succeeded failed refunded)",
        "--limit=[How many payments to list in total.]:count: ",
        "--json[Print JSON; the same as -o json.]",
        "(- *)-h[Show help.]",
      ]),
    );
    expect(readSpecs("_payments_create", built)).toEqual(
      expect.arrayContaining([
        "--amount=[Amount in minor units\\: 4999 is 49.99.]:minor units: ",
        "--currency=[The currency, in small or capital letters.]:code:(eur usd gbp)",
        "*--metadata=[Metadata to store with the payment. Repeat the flag for more.]:key=value: ",
        "--data=[The whole body as JSON; `-` is standard input.]:path:_files",
      ]),
    );
  });

  test("offers a letter and a name for the same flag", () => {
    expect(readSpecs("_payments_refund", built)).toEqual(
      expect.arrayContaining([
        "(-y --yes)-y[Do not ask for confirmation.]",
        "(-y --yes)--yes[Do not ask for confirmation.]",
        "::id:( )",
      ]),
    );
  });

  test("offers the values of arguments, and files", () => {
    expect(readSpecs("_payments_backup", built)).toContain(":file:_files");
    expect(readSpecs("_payments_mode", built)).toContain("::mode:(test live)");
    expect(readSpecs("_payments_completion", built)).toContain(":shell:(bash zsh fish)");
  });

  test("has a function for every command, and for every subject of help", () => {
    const script = toZshCompletion(built);
    for (const { words } of built) {
      expect(script).toContain(`\n${["_payments", ...words].join("_")}() {`);
    }
    for (const { summary } of commands) expect(script).toContain(summary.replaceAll("'", "'\\''"));
  });

  test("escapes the characters that zsh would interpret", () => {
    const flag = {
      ...helpFlag,
      name: "tone",
      char: "t",
      valueName: "[a]:b",
      summary: "Don't [shout]: \\o",
    };
    const silent = { ...helpFlag, name: "sound", char: undefined };
    const command = { words: ["sing"], next: [], arguments: [], flags: [flag, silent] };
    expect(readSpecs("_payments_sing", [command])).toEqual([
      "-s",
      "-S",
      String.raw`(-t --tone)-t+[Don't \[shout\]\: \\o]:\[a\]\:b: `,
      String.raw`(-t --tone)--tone=[Don't \[shout\]\: \\o]:\[a\]\:b: `,
      "--sound[Show help.]",
    ]);
  });
});

/** The arguments that a function of the script passes to `_arguments`, read by bash, whose quotes are the same. */
function readSpecs(name: string, completed: readonly CompletedCommand[]): string[] {
  const script = `compdef() { :; }
_arguments() { printf '%s\\n' "$@"; }
${toZshCompletion(completed)}
${name}`;
  const { stdout, stderr } = spawnSync("bash", ["--norc", "-c", script], {
    encoding: "utf8",
    env: inC,
  });
  if (stderr !== "") throw new Error(stderr);
  return stdout.split("\n").slice(0, -1);
}
