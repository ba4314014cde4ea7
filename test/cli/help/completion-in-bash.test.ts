import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  requireTerminals,
  type Terminal,
  openTerminal,
} from "../../testkit/command/in-terminal.ts";
import { createEnvironment, launcher } from "../../testkit/command/run-payments.ts";
import { createTemporaryHome } from "../../testkit/temporary.ts";

describe("in a terminal, TAB in bash", () => {
  requireTerminals();
  test("completes commands, flags, values and files, after the setup that its help describes", async () => {
    const bash = startBash();
    bash.type("source <(payments completion bash); echo rea''dy\n");
    await bash.appears("ready");
    bash.type("payments ref\t");
    await bash.appears("payments refund ");
    bash.type("\u0015payments list --stat\tsuc\t");
    await bash.appears("payments list --status succeeded ");
    bash.type("\u0015payments list --status=fa\t");
    await bash.appears("payments list --status=failed ");
    bash.type("\u0015payments list --database sqlite:p.db --js\t");
    await bash.appears("payments list --database sqlite:p.db --json ");
    bash.type("\u0015payments create --data pay\t");
    await bash.appears("payments create --data payment.json ");
    bash.type("\u0015payments create --card-file=pay\t");
    await bash.appears("payments create --card-file=payment.json ");
    bash.type("\u0015payments backup pay\t");
    await bash.appears("payments backup payment.json ");
    bash.type("\u0015exit\n");
    expect(await bash.exitCode).toBe(0);
  });
});

/** Bash without start-up files, in a folder with one file, where `payments` is the built command. */
function startBash(): Terminal {
  const home = createTemporaryHome();
  writeFileSync(join(home, "payment.json"), "{}");
  const programs = createTemporaryHome();
  const program = join(programs, "payments");
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${launcher}' "$@"\n`);
  chmodSync(program, 0o755);
  const path = `${programs}:${process.env["PATH"]}`;
  return openTerminal("exec bash --norc --noprofile -i", {
    cwd: home,
    env: { ...createEnvironment({ home }), PATH: path, PS1: "> " },
  });
}
