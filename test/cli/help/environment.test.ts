import { expect, test } from "vitest";
import { serveFlags } from "../../../src/cli/config/serve-settings.ts";
import { toVariable } from "../../../src/cli/flags/checked-values.ts";
import { describeUnknownVariables, listVariables } from "../../../src/cli/help/environment.ts";
import { commands } from "../../testkit/command/built-commands.ts";
import { createEnvironment, runInThisProcess } from "../../testkit/command/run-payments.ts";
import { createTemporaryHome } from "../../testkit/temporary.ts";

const documented = listVariables(commands)
  .map(([name]) => name)
  .filter((name) => name.startsWith("PAYMENTS_"));

/** The arguments of commands that require some, so that each gets as far as it can without a service. */
const given: Record<string, string> = {
  api: "/v1/payments",
  backup: "backup.db",
  completion: "bash",
  create: "--amount 1 --currency eur --test-card visa",
  explain: "pay_1",
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
  "webhooks check": "http://127.0.0.1:9",
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

const settings = Object.keys(serveFlags).map(toVariable);
const warningsOf = (env: Record<string, string>) => describeUnknownVariables(env, settings);

test.each([
  ["PAYMENTS_RATELIMIT", "Did you mean PAYMENTS_RATE_LIMIT?"],
  ["PAYMENTS_DATABASE_URL", "Did you mean PAYMENTS_DATABASE or PAYMENTS_BASE_URL?"],
  ["PAYMENTS_DASHBORD", "Did you mean PAYMENTS_DASHBOARD?"],
  ["PAYMENTS_LOGLEVEL", "Did you mean PAYMENTS_LOG_LEVEL?"],
  ["PAYMENTS_STRIPE_KEY", "Did you mean PAYMENTS_STRIPE_SECRET_KEY or PAYMENTS_STRIPE_BASE_URL?"],
  ["PAYMENTS_COLOUR", "See payments help environment for those there are."],
])("%s is warned of with the nearest setting, and never its value", (name, advice) => {
  expect(warningsOf({ [name]: "s3cret" })).toEqual([
    `${name} is no setting, and has no effect. ${advice}`,
  ]);
});

test("no variable of the help is warned of, nor one that programs are given", () => {
  const forPrograms = ["WEBHOOK_SECRET", "SANDBOX_LIVE_KEY", "SANDBOX_ACCOUNT", "CONTEXT"];
  const names = [
    ...listVariables(commands).map(([name]) => name),
    ...forPrograms.map((word) => `PAYMENTS_${word}`),
  ];
  expect(names).toContain("PAYMENTS_RATE_LIMIT");
  expect(warningsOf(Object.fromEntries(names.map((name) => [name, "x"])))).toEqual([]);
});

test("what Kubernetes sets beside Services named payments and payments-db is no mistake", () => {
  const links = Object.fromEntries(
    ["PAYMENTS", "PAYMENTS_DB"].flatMap((service) => [
      [`${service}_PORT`, "tcp://10.0.0.1:5432"],
      [`${service}_SERVICE_HOST`, "10.0.0.1"],
      [`${service}_SERVICE_PORT`, "5432"],
      [`${service}_SERVICE_PORT_HTTP`, "5432"],
      [`${service}_PORT_5432_TCP`, "tcp://10.0.0.1:5432"],
      [`${service}_PORT_5432_TCP_PROTO`, "tcp"],
      [`${service}_PORT_5432_TCP_PORT`, "5432"],
      [`${service}_PORT_5432_TCP_ADDR`, "10.0.0.1"],
    ]),
  );
  expect(warningsOf(links)).toEqual([]);
});

test("a name that could hold a secret is not repeated, and at most twenty are", () => {
  const [warning] = warningsOf({ PAYMENTS_svc_live_sk_abcdef: "1" });
  expect(warning).toMatch(/^A variable that begins with PAYMENTS_ is no setting/);
  const many = Array.from({ length: 30 }, (_, at) => [`PAYMENTS_OTHER_${at}`, "1"]);
  expect(warningsOf(Object.fromEntries(many))).toHaveLength(20);
});
