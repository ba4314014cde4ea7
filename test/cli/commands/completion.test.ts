import { describe, expect, test } from "vitest";
import { parseError, runPayments } from "../../testkit/command/run-payments.ts";

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

  test.each([[["completion"]], [["completion", "tcsh"]], [["completion", "bash", "zsh"]]])(
    "%j is exit 2, and prints no script",
    async (argv) => {
      expect(await runPayments(argv)).toMatchObject({ stdout: "", exitCode: 2 });
      expect(parseError(await runPayments([...argv, "--json"]))["code"]).toBe("usage");
    },
  );

  test("--help explains the setup for each shell", async () => {
    const { stdout } = await runPayments(["completion", "--help"]);
    for (const line of [
      "source <(payments completion bash)",
      "source <(payments completion zsh)",
      'payments completion zsh > "${fpath[1]}/_payments"',
      "payments completion fish | source",
    ]) {
      expect(stdout).toContain(`\n  ${line}\n`);
    }
  });
});
