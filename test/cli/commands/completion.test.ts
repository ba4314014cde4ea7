import { describe, expect, test } from "vitest";
import { runPayments } from "../../testkit/command/run-payments.ts";

describe.concurrent("payments completion", () => {
  test.each([
    ["bash", "complete -F __payments payments\n"],
    ["zsh", "#compdef payments\n"],
    ["fish", "complete -c payments -f\n"],
  ])("%s prints its script and nothing else", async (shell, line) => {
    const { stdout, stderr, exitCode } = await runPayments(["completion", shell]);
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
    expect(stdout).toContain(line);
    expect(stdout).not.toContain("undefined");
  });
});
