import { once } from "node:events";
import { expect, test } from "vitest";
import { json, refusal, scriptedServer } from "../../testkit/client/scripted-server.ts";
import { type CommandJson, type HelpJson, helpJson } from "../../testkit/command/help-json.ts";
import {
  createServiceEnv,
  runPayments,
  startPayments,
  waitForEnd,
} from "../../testkit/command/run-payments.ts";
import { createTemporaryHome } from "../../testkit/temporary.ts";
import { answerLast, sendingCommands } from "../../testkit/command/sending-commands.ts";

// What `payments help --json` says of a command is what the command does: each fact is provoked by running it.

const { commands }: HelpJson = await helpJson();
const every = new Map(commands.flatMap(({ flags }) => flags.map((flag) => [flag.name, flag])));
every.delete("help"); // any command line with it is one for the help

type Flag = CommandJson["flags"][number];

/** A flag as it is typed, by its letter where it has one. */
function type({ name, char, type: kind, values }: Flag, value = values[0] ?? "1"): string[] {
  if (kind === "boolean") return [char === null ? `--${name}` : `-${char}`];
  return char === null ? [`--${name}=${value}`] : [`-${char}`, value];
}

const refuse = async (id: string, ...args: string[]) =>
  runPayments([...id.split(" "), ...args], { startsNothing: true });

test.each(commands)(
  "payments $id has exactly these flags, of these types",
  async ({ id, flags }) => {
    const names = new Set(flags.map(({ name }) => name));
    const own = flags.filter(({ name }) => name !== "help").flatMap((flag) => type(flag));
    // An error repeats no name with a digit, which may be a secret.
    const others = [...every.values()].filter(({ name }) => !names.has(name) && !/\d/.test(name));
    const foreign = [...others.map(({ name }) => `--${name}`), "--no-such-flag"];
    const { stderr, exitCode } = await refuse(id, ...own, ...foreign);
    expect(exitCode).toBe(2);
    const [, unknown = ""] = /Unknown flags?: ([^"]*)\.(?:"|$)/m.exec(stderr) ?? [];
    expect(unknown.split(", ").toSorted()).toEqual(foreign.toSorted());
  },
);

/** These take any value at first, and judge it where it is used. */
const open = /^(?:currency|events|expect)$/;

const limited = commands.flatMap(({ id, flags }) =>
  flags
    .filter(({ name, values }) => values.length > 0 && !open.test(name))
    .map((flag) => ({ id, flag })),
);
test.each(limited)("payments $id --$flag.name takes its values alone", async ({ id, flag }) => {
  const { stderr, exitCode } = await refuse(id, ...type(flag, "no-such-value"));
  expect(exitCode).toBe(2);
  const [, named = ""] =
    new RegExp(`^Error: --${flag.name} must be (.*)\\.$`, "m").exec(stderr) ?? [];
  expect(named.split(/, (?:or )?| or /)).toEqual(flag.values);
});

test("flags that a command requires are missed, by name", async () => {
  const required = commands.flatMap(({ id, flags }) =>
    flags.filter(({ required: isRequired }) => isRequired).map(({ name }) => ({ id, name })),
  );
  const ran = await Promise.all(
    required.map(async ({ id, name }) => {
      const { stderr, exitCode } = await refuse(id, ...fillArguments(id, name));
      return { id, name, isMissed: exitCode === 2 && stderr.includes(`Missing --${name}`) };
    }),
  );
  expect(ran.length).toBeGreaterThan(5);
  expect(ran.filter(({ isMissed }) => !isMissed)).toEqual([]);
});

/** The arguments and the required flags of a command, but for one. */
function fillArguments(id: string, without?: string): string[] {
  const { args = [], flags = [] } = commands.find((command) => command.id === id) ?? {};
  const required = flags.filter((flag) => flag.required && flag.name !== without);
  return [
    ...args.filter((arg) => arg.required).map(({ values }) => values[0] ?? "x"),
    ...required.flatMap((flag) => type(flag)),
  ];
}

const related = commands.flatMap(({ id, flags }) =>
  flags
    .filter(({ needs, excludes }) => needs.length + excludes.length > 0)
    .map((flag) => ({ id, flag, flags })),
);
test.each(related)("payments $id --$flag.name needs and excludes what it says", async (about) => {
  const { id, flag, flags } = about;
  const given = fillArguments(id, flag.name);
  for (const needed of flag.needs) {
    const { stderr, exitCode } = await refuse(id, ...given, ...type(flag));
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`--${needed[0]}`);
  }
  for (const name of flag.excludes) {
    const other = flags.find((each) => each.name === name)!;
    const companions = new Set([flag, other].flatMap(({ needs }) => needs.map(([first]) => first)));
    const more = flags.filter(
      (each) => companions.has(each.name) && each !== flag && each !== other,
    );
    const args = [...given, ...[flag, other, ...more].flatMap((each) => type(each))];
    const { stderr, exitCode } = await refuse(id, ...args);
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringContaining("contradict each other") as unknown,
    ]);
  }
});

/** An answer of a service for each exit code that one has; a 409 is one to a write. */
const statuses = [401, 404, 409, 422, 429, 500];

const sending = Object.entries(sendingCommands).filter(([, { isDiagnosis }]) => !isDiagnosis);
test.each(sending)("payments %s ends with no other exit codes than it says", async (id, sent) => {
  const described = commands.find((command) => command.id === id);
  const codes = new Set(described?.exit_codes.map(({ code }) => code));
  const hasRetries = described?.flags.some(({ name }) => name === "max-retries");
  const seen = new Set<number | null>();
  for (const status of statuses) {
    if (status === 409 && !sent.isWrite) continue;
    const server = await scriptedServer(answerLast(sent, refusal(status, "some_code")));
    const args = [...sent.args, ...(hasRetries ? ["--max-retries", "0"] : [])];
    const env = createServiceEnv(server.url);
    seen.add((await runPayments(args, { env, stdin: "svc_test_sk_x" })).exitCode);
  }
  expect([...seen].filter((code) => code === null || !codes.has(code))).toEqual([]);
});

/** The paths of a JSON value, as `output.fields` has them. */
function listPaths(value: unknown, at = ""): string[] {
  if (Array.isArray(value)) {
    const inner = value.flatMap((each) => listPaths(each, `${at}[]`));
    return inner.length > 0 ? [...new Set(inner)] : [at];
  }
  if (typeof value !== "object" || value === null) return [at.replace(/\[\]$/, "")];
  const inner = Object.entries(value).flatMap(([name, each]) =>
    listPaths(each, at === "" ? name : `${at}.${name}`),
  );
  return inner.length > 0 ? inner : [at];
}

const isWithin = (inner: string, outer: string) =>
  inner === outer || inner.startsWith(`${outer}.`) || inner.startsWith(`${outer}[]`);

/** Fields that are printed and not described, and fields that are described and not printed. */
function compareFields(value: unknown, fields: readonly string[]) {
  const printed = listPaths(value);
  return {
    undescribed: printed.filter(
      (path) => !fields.some((field) => isWithin(path, field) || isWithin(field, path)),
    ),
    unprinted: fields.filter(
      (field) => !printed.some((path) => isWithin(path, field) || isWithin(field, path)),
    ),
  };
}

/** What the user's input names is described by no fields. */
const answered = sending.flatMap(([id, sent]) => {
  const fields = commands.find((command) => command.id === id)?.output?.fields ?? [];
  return sent.response && fields.length > 0 ? [{ id, sent }] : [];
});
test.each(answered)("payments $id prints the object and the fields that it says", async (about) => {
  const { id, sent } = about;
  const { output } = commands.find((command) => command.id === id) ?? {};
  const server = await scriptedServer(answerLast(sent, json(200, sent.response)));
  const { stdout } = await runPayments([...sent.args, "--json"], {
    env: createServiceEnv(server.url),
  });
  expect(findDifferences(stdout, output)).toEqual([]);
});

const onThisMachine: [id: string, ...args: string[]][] = [
  ["accounts create", "--name", "Shop"],
  ["accounts list"],
  ["activity list"],
  ["context list"],
  ["context show"],
  ["create", "--amount", "1", "--currency", "eur", "--test-card", "visa"],
  ["doctor"],
  ["keys create", "--mode", "test", "--name", "ci"],
  ["keys list"],
  ["licenses"],
  ["list"],
  ["migrate", "--dry-run"],
  ["mode"],
  ["operators invite", "--name", "Ada", "--role", "admin"],
  ["operators list"],
  ["test-cards"],
  ["whoami"],
];

test.each(onThisMachine)(
  "payments %s prints the object and the fields that it says",
  async (...line) => {
    const [id, ...args] = line;
    const home = createTemporaryHome();
    await runPayments(["create", "--amount", "1", "--currency", "eur", "--test-card", "visa"], {
      home,
    });
    await runPayments(["operators", "invite", "--name", "Bob", "--role", "admin"], { home });
    const ran = await runPayments([...id.split(" "), ...args, "--json"], { home });
    const { output } = commands.find((command) => command.id === id) ?? {};
    expect(findDifferences(ran.stdout, output)).toEqual([]);
  },
);

/** Fields that are there only sometimes: of some faults, and of `doctor --all-contexts`. */
const optional = /^(?:(?:data\[\]\.)?(?:for|status|code)|data\[\]\.(?:context|checks))$/;

/** What is printed and is not as described: the object, fields that are not described, and fields that are missing. */
function findDifferences(printed: string, output: CommandJson["output"] | undefined): string[] {
  const value = JSON.parse(printed) as { object?: string };
  const { undescribed, unprinted } = compareFields(value, output?.fields ?? []);
  const object = value.object ?? null;
  return [
    ...(object === output?.object ? [] : [`the object is ${object}`]),
    ...undescribed.map((field) => `${field} is not described`),
    ...unprinted.filter((field) => !optional.test(field)).map((field) => `${field} is missing`),
  ];
}

const declined = ["--amount", "1", "--currency", "eur", "--test-card", "expired-card"];

/** Ends that no response of a service brings about. */
const ends: [code: number, id: string, ...args: string[]][] = [
  [0, "list"],
  [2, "list", "--limit", "none"],
  [3, "create", ...declined, "--wait"],
  [3, "create", ...declined, "--expect", "succeeded"],
  [8, "create", ...declined, "--wait", "--timeout", "0s"],
  [5, "get", "pay_none"],
  [5, "keys revoke", "key_none"],
  [5, "accounts rename", "acct_none", "--name", "Shop"],
  [5, "operators remove", "op_none"],
  [9, "backup", "/dev/null/backup.db"],
  [9, "health", "http://127.0.0.1:9"],
  [9, "list", "--database", "sqlite:/dev/null/payments.db"],
  [9, "keys list", "--database", "sqlite:/dev/null/payments.db"],
  [9, "migrate", "--database", "sqlite:/dev/null/payments.db"],
];
test.each(ends)(
  "exit code %i of payments %s is one of those that it says",
  async (code, id, ...args) => {
    const home = createTemporaryHome();
    await runPayments(["list"], { home });
    const { exitCode } = await runPayments([...id.split(" "), ...args], { home });
    const codes = commands
      .find((command) => command.id === id)
      ?.exit_codes.map((each) => each.code);
    expect(exitCode).toBe(code);
    expect(codes).toContain(code);
  },
);

test.each(["sandbox", "serve"])(
  "payments %s says that a signal ends it with 0, once it is ready",
  async (id) => {
    const child = startPayments([id, "--port", "0", "--json"], { home: createTemporaryHome() });
    const ended = waitForEnd(child);
    await once(child.stdout, "data");
    child.kill("SIGTERM");
    expect((await ended).exitCode).toBe(0);
    const described = commands.find((command) => command.id === id);
    expect(described?.exit_codes).toEqual(
      expect.arrayContaining([
        { code: 0, meaning: "ended by a signal: Ctrl-C, SIGTERM or SIGHUP" },
        { code: 143, meaning: "terminated before it was ready" },
      ]) as unknown,
    );
  },
);
