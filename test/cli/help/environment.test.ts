import { expect, test } from "vitest";
import { listVariables } from "../../../src/cli/help/environment.ts";
import { commands } from "../../testkit/command/built-commands.ts";
import { runInThisProcess } from "../../testkit/command/in-this-process.ts";
import { createEnvironment } from "../../testkit/command/run-payments.ts";
import { createTemporaryHome } from "../../testkit/temporary.ts";

const documented = listVariables(commands)
  .map(([name]) => name)
  .filter((name) => name.startsWith("PAYMENTS_"));

/** The arguments of commands that require some, so that each gets as far as it can without a service. */
const given: Record<string, string> = {
  backup: "backup.db",
  completion: "bash",
  create: "--amount 1 --currency eur --test-card visa",
  get: "pay_1",
  "keys create": "--mode test --name ci",
  "keys revoke": "key_1",
  "keys roll": "key_1",
  listen: "--print-secret",
  "logs tail": "--status none",
  "network check": "http://127.0.0.1:9",
  refund: "pay_1 --yes",
  sandbox: "--database mysql://host/name",
  "sandbox fault": "* lost-answer",
  trigger: "payment.succeeded",
};

/** With these settings `serve` fails before it listens, after it has read its variables. */
const noService = {
  PAYMENTS_DATABASE: "mysql://host/name",
  PAYMENTS_NETWORK: "stripe",
  PAYMENTS_STRIPE_SECRET_KEY: "sk_test_none",
};

/** Returns the PAYMENTS_ variables that a command line reads. */
async function readBy(line: string, home: string): Promise<string[]> {
  const read = new Set<string>();
  const own = process.env;
  process.env = new Proxy(own, {
    get: (variables, name) => {
      read.add(String(name));
      return Reflect.get(variables, name) as unknown;
    },
  });
  try {
    const env = line.startsWith("serve") ? noService : {};
    await runInThisProcess(line.trim().split(" "), createEnvironment({ home, env }));
  } finally {
    process.env = own;
  }
  return [...read].filter((name) => name.startsWith("PAYMENTS_"));
}

test("the documented PAYMENTS_ variables are exactly those that commands read", async () => {
  const ofTheLibrary = new Set(await readBy("--version", createTemporaryHome()));
  const home = createTemporaryHome();
  const read = new Set<string>();
  for (const words of commands.map((command) => command.words.join(" "))) {
    for (const name of await readBy(`${words} ${given[words] ?? ""}`, home)) read.add(name);
  }
  expect([...read].filter((name) => !ofTheLibrary.has(name)).toSorted()).toEqual(
    documented.toSorted(),
  );
});
