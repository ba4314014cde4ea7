import { Parser } from "@oclif/core";
import type { Command } from "@oclif/core/command";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { findCommand } from "../../../src/cli/program/program.ts";
import { rootExamples } from "../../../src/cli/help/show-help.ts";
import { createTemporaryHome, temporaryRoot } from "../../testkit/command/temporary-home.ts";
import { commands } from "../../testkit/command/built-commands.ts";
import { runPayments } from "../../testkit/command/run-payments.ts";

const examples = [...rootExamples, ...commands.flatMap((described) => described.examples)];

/** The words of an example after the program's name, without pipes and files. */
function toArgv(example: string): string[] {
  const [typed = ""] = example.split(/ [|<>] /);
  const words = typed.match(/"[^"]*"|\S+/g) ?? [];
  return words.slice(1).map((word) => word.replaceAll('"', ""));
}

describe("every command has a summary and an example", () => {
  test.each(commands.map((command) => [command.words.join(" "), command] as const))(
    "%s",
    (_, { summary, examples: own, words }) => {
      expect(summary).toMatch(/^[A-Z].*\.$/);
      expect(own.length).toBeGreaterThan(0);
      for (const example of own) expect(example).toContain(["payments", ...words].join(" "));
    },
  );
});

test.each(examples)("the parser accepts the example %s", async (example) => {
  const named = await findCommand(toArgv(example));
  const found = { ...(named?.Command as unknown as Command.Class) };
  const input = { ...found, flags: { ...found.baseFlags, ...found.flags } };
  await expect(Parser.parse(named?.rest ?? [], input)).resolves.toBeDefined();
});

/** The examples that need no earlier payment or key, no other service and no user at a prompt. */
const harmless = examples.filter(
  (example) =>
    /^payments (?:create|list(?!en)|test-cards|trigger|whoami|mode|logout|migrate|completion|help|keys create|keys list|keys$|accounts create|accounts list|accounts$|operators list|operators$|events list|events$|webhooks create|webhooks list|webhooks$)/.test(
      example,
    ) && !example.includes("--hosted"),
);

test.concurrent.each(harmless.filter((example) => !example.includes("--starting-after")))(
  "the example %s works",
  async (example) => {
    const card = JSON.stringify({
      number: "4242424242424242",
      exp_month: 12,
      exp_year: 2040,
      cvc: "123",
    });
    const data = `{"amount":1,"currency":"eur","card":${card}}`;
    writeFileSync(join(temporaryRoot, "payment.json"), data);
    const home = createTemporaryHome();
    const ran = await runPayments(toArgv(example), { home, stdin: card });
    const outcome = example.includes("--wait") ? 3 : 0;
    expect(ran).toMatchObject({ exitCode: outcome });
  },
);
