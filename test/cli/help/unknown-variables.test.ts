import { expect, test } from "vitest";
import { describeUnknownVariables, listVariables } from "../../../src/cli/help/environment.ts";
import { serveFlags } from "../../../src/cli/config/serve-settings.ts";
import { toVariable } from "../../../src/cli/flags/flag-kinds.ts";
import { commands } from "../../testkit/command/built-commands.ts";

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
  const given = ["WEBHOOK_SECRET", "SANDBOX_LIVE_KEY", "SANDBOX_ACCOUNT", "CONTEXT"];
  const names = [
    ...listVariables(commands).map(([name]) => name),
    ...given.map((word) => `PAYMENTS_${word}`),
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
