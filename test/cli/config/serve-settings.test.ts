import { BlockList } from "node:net";
import { Parser } from "@oclif/core";
import { afterEach, describe, expect, test, vi } from "vitest";
import { resolveServeSettings, serveFlags } from "../../../src/cli/config/serve-settings.ts";
import { toVariable, nameSettings } from "../../../src/cli/flags/checked-values.ts";
import { commands } from "../../testkit/command/built-commands.ts";
import {
  createEnvironment,
  parseError,
  runInThisProcess,
} from "../../testkit/command/run-payments.ts";

type Flag = keyof typeof serveFlags;
type Env = Record<string, string>;
type Case = {
  /** A value that differs from the default, and how a flag says the same. */
  value: string;
  typed?: string[];
  /** A flag with a value that differs from both. */
  otherwise: string[];
  wrong: string;
  env?: Env;
};

const takesValue = (flag: Flag, value: string, other: string, wrong: string, env?: Env) => ({
  [flag]: { value, otherwise: [`--${flag}`, other], wrong, ...(env && { env }) },
});
const secret = { PAYMENTS_NETWORK_SECRET: "secret" };

const cases = {
  ...takesValue("host", "::1", "localhost", "http://127.0.0.1"),
  ...takesValue("port", "9001", "9002", "tcp://10.0.0.1:8402"),
  ...takesValue("metrics-port", "9001", "9002", "65536"),
  ...takesValue("public-url", "https://a.example", "https://b.example", "a.example"),
  ...takesValue("processing-time", "2s", "3s", "2"),
  ...takesValue("hpp-expiry", "2h", "3h", "366d"),
  ...takesValue("network", "https://a.example", "https://b.example", "visa", secret),
  ...takesValue("event-retention", "2d", "3d", "3651d"),
  ...takesValue("request-log", "off", "3d", "never"),
  ...takesValue("webhook-schedule", "0s,5s", "0s", "0s,soon"),
  ...takesValue("trusted-proxies", "10.0.0.1", "10.0.0.2", "proxy", { PAYMENTS_DASHBOARD: "1" }),
  ...takesValue("rate-limit", "5", "6", "some"),
  ...takesValue("log-level", "warn", "error", "loud"),
  ...takesValue("database", "sqlite:a.db", "sqlite:b.db", "mysql://host/name"),
  dashboard: {
    value: "true",
    typed: ["--dashboard"],
    otherwise: ["--no-dashboard"],
    wrong: "maybe",
  },
  "webhook-allow-private": {
    value: "1",
    typed: ["--webhook-allow-private"],
    otherwise: ["--no-webhook-allow-private"],
    wrong: "on",
  },
} as Record<Flag, Case>;

/** The settings of `serve` with a command line and an environment. */
async function readSettings(argv: string[], env: Env): Promise<object> {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  const { flags, raw } = await Parser.parse(argv, { flags: serveFlags });
  const settings = resolveServeSettings(flags, nameSettings(raw, process.env), process.env);
  vi.unstubAllEnvs();
  const { trustedProxies } = settings.dashboard ?? {};
  const proxies = trustedProxies instanceof BlockList && trustedProxies.rules; // one equals any other
  return { ...settings, proxies, logLevel: flags["log-level"] };
}

afterEach(() => vi.unstubAllEnvs());

describe("a setting of serve", () => {
  test.each(Object.keys(serveFlags) as Flag[])("%s comes from its variable", async (flag) => {
    const { value, typed = [`--${flag}`, value], env = {} } = cases[flag];
    const given = await readSettings([], { ...env, [toVariable(flag)]: value });
    expect(given).toEqual(await readSettings(typed, env));
    expect(given).not.toEqual(await readSettings([], env));
  });

  test.each(Object.keys(serveFlags) as Flag[])("%s comes from its flag before", async (flag) => {
    const { value, wrong, otherwise, env = {} } = cases[flag];
    const typed = await readSettings(otherwise, env);
    for (const each of [value, wrong]) {
      expect(await readSettings(otherwise, { ...env, [toVariable(flag)]: each })).toEqual(typed);
    }
  });

  test.each(Object.keys(serveFlags) as Flag[])(
    "%s that is wrong in its variable is exit 2, and names it",
    async (flag) => {
      const env = { ...cases[flag].env, [toVariable(flag)]: cases[flag].wrong };
      const ran = await runInThisProcess(["serve", "--json"], createEnvironment({ env }));
      expect(ran.exitCode).toBe(2);
      expect(parseError(ran)["message"]).toContain(toVariable(flag));
    },
  );

  test("that is wrong in its flag is named as the flag, whatever its variable says", async () => {
    const argv = ["serve", "--hpp-expiry", "366d", "--json"];
    const ran = await runInThisProcess(
      argv,
      createEnvironment({ env: { PAYMENTS_HPP_EXPIRY: "2h" } }),
    );
    expect(parseError(ran)["message"]).toBe("--hpp-expiry must be at most 365d.");
  });

  test("is off where the variable of a switch says 0", async () => {
    const off = await readSettings([], {});
    for (const value of ["0", "false"]) {
      expect(await readSettings([], { PAYMENTS_DASHBOARD: value })).toEqual(off);
    }
  });

  test.each(Object.keys(serveFlags) as Flag[])(
    "%s that is empty or blank in its variable is exit 2, and names it",
    async (flag) => {
      for (const value of ["", " "]) {
        const env = { ...cases[flag].env, [toVariable(flag)]: value };
        const ran = await runInThisProcess(["serve", "--json"], createEnvironment({ env }));
        expect(ran.exitCode).toBe(2);
        expect(parseError(ran)["message"]).toContain(toVariable(flag));
      }
    },
  );

  test("has its variable in the help, and every flag but the printed form is a setting", () => {
    const serve = commands.find(({ words }) => words.join(" ") === "serve");
    const flags = serve?.flags.filter(({ name, group }) => !group && name !== "help") ?? [];
    expect(flags.map(({ name, variable }) => [name, variable])).toEqual(
      Object.keys(serveFlags).map((flag) => [flag, toVariable(flag)]),
    );
  });

  test("is none of a sandbox's", () => {
    const sandboxes = commands.filter(({ words: [first] }) => first === "sandbox");
    expect(
      sandboxes.flatMap(({ flags }) => flags.flatMap(({ variable }) => variable ?? [])),
    ).toEqual([]);
  });
});

test.for([
  ["serve", "payments", "PAYMENTS_PORT"],
  ["health", "payments", "PAYMENTS_PORT"],
  ["serve", "payments-metrics", "PAYMENTS_METRICS_PORT"],
] as const)("payments %s explains a Kubernetes Service named %s", async ([command, name, port]) => {
  const env = { [port]: "tcp://10.0.0.1:8402" };
  const { stderr, exitCode } = await runInThisProcess([command], createEnvironment({ env }));
  expect(exitCode).toBe(2);
  expect(stderr).toContain(`Kubernetes sets ${port} beside a Service that is named ${name}:`);
  expect(stderr).toContain("enableServiceLinks");
});
