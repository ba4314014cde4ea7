import { describe, expect, test } from "vitest";
import { runPayments } from "./run-payments.ts";

describe.concurrent("help", () => {
  test.each([[["help", "refund"]], [["refund", "--help"]]])(
    "by %j shows a command's usage, flags and examples",
    async (argv) => {
      const { stdout, stderr, exitCode } = await runPayments(argv);
      expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
      for (const part of ["Refund a succeeded payment", "USAGE", "--yes", "EXAMPLES"]) {
        expect(stdout).toContain(part);
      }
    },
  );

  test.each([[["help"]], [[]], [["--help"]]])("by %j lists the commands", async (argv) => {
    const { stdout, exitCode } = await runPayments(argv);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/create\s+Create a payment/);
  });
});
