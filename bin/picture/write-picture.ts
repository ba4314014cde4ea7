// Runs commands in a pseudo-terminal, and draws what they print into docs/terminal.svg: npm run picture
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { drawTerminal } from "./draw-terminal.ts";

const columns = 64;
const commands = [
  "payments create --amount 4999 --currency eur --test-card visa",
  "payments create --amount 100 --currency usd \\\n    --test-card expired-card --expect expired_card --json \\\n    --fields status,decline_code; echo $?",
  "payments list --search 'visa 49.99' --json \\\n    | jq -c '.data[] | [.amount, .card.last4, .status]'",
];

const root = fileURLToPath(new URL("../..", import.meta.url));
const home = mkdtempSync(join(tmpdir(), "payments-picture-"));
const launcher = `#!/bin/sh\nexec '${process.execPath}' '${root}bin/run.js' "$@"\n`;
writeFileSync(join(home, "payments"), launcher);
chmodSync(join(home, "payments"), 0o755);
const env = {
  PATH: `${home}:${process.env["PATH"]}`,
  PAYMENTS_HOME: home,
  HOME: home,
  TERM: "xterm-256color",
  SHELL: "/bin/sh",
  TZ: "UTC",
};

const blocks = commands.map((command) => {
  const argv = ["-qec", `stty cols ${columns}\n${command}`, "/dev/null"];
  const { stdout, status, error } = spawnSync("script", argv, {
    env,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (status !== 0) throw new Error(`Failed: ${command}\n${stdout}`, { cause: error });
  return `\u001B[32m$ \u001B[1m${command.replaceAll("\n", "\u001B[0m\n\u001B[1m")}\u001B[0m\n${stdout}`;
});
rmSync(home, { recursive: true });
const title =
  "A payment made in a terminal, a decline that is asserted, and a search piped into jq";
writeFileSync(join(root, "docs/terminal.svg"), drawTerminal(blocks.join("\n"), columns, title));
