import { describe, expect, test } from "vitest";
import { testCards } from "../../../src/contract/known-test-cards.ts";
import { parsePrinted, runPayments } from "../../testkit/command/run-payments.ts";

describe.concurrent("payments test-cards", () => {
  test("lists every card with its outcome", async () => {
    const { stdout, stderr, exitCode } = await runPayments(["test-cards"]);
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
    const lines = stdout.trimEnd().split("\n");
    expect(lines[0]).toMatch(/^NAME +NUMBER +BRAND +OUTCOME$/);
    expect(lines).toHaveLength(testCards.length + 1);
    expect(stdout).toMatch(/\nvisa +4242424242424242 +visa +succeeded\n/);
    expect(stdout).toMatch(/\nexpired-card +4000000000000069 +visa +expired_card\n/);
  });

  test("prints a list with --json", async () => {
    expect(parsePrinted(await runPayments(["test-cards", "--json"]))).toEqual({
      object: "list",
      data: testCards,
    });
  });
});
