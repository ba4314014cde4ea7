import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { PaymentsClient } from "../../../src/client/client.ts";
import { ModeMismatchError } from "../../../src/client/errors.ts";
import { storeLogin, storeMode } from "../../../src/cli/config/profile.ts";
import { resolveSettings } from "../../../src/cli/config/resolve-settings.ts";
import type { Mode } from "../../../src/contract/field-values.ts";
import { paymentWith } from "../../testkit/api-objects.ts";
import { body } from "../../testkit/client/running-service.ts";
import { keyringOfHome } from "../../testkit/command/keyrings.ts";
import { createTemporaryHome, someKeys } from "../../testkit/temporary.ts";

const baseUrl = "https://payments.example.com";

/** The inputs that determine the mode and the key of a command. */
type Given = {
  flag: Mode | undefined;
  variable: Mode | undefined;
  keyInFile: Mode | undefined;
  keyInVariable: Mode | undefined;
  storedMode: Mode | undefined;
  logins: readonly Mode[];
};
const each = [undefined, "test", "live"] as const;
const eachLogins = [[], ["test"], ["live"], ["test", "live"]] as const;
const namedModes = each.flatMap((flag) => each.map((variable) => ({ flag, variable })));
const keys = each.flatMap((keyInFile) =>
  each.map((keyInVariable) => ({ keyInFile, keyInVariable })),
);
const homes = each.flatMap((storedMode) =>
  eachLogins.map((logins) => ({ storedMode, logins, home: createHomeWith(storedMode, logins) })),
);
const files = { test: writeKeyFile("test"), live: writeKeyFile("live") };

/**
 * The documented rule: flag, environment, stored, default, in this order; without the first two the given
 * key's prefix determines the mode.
 */
function expectedOutcome({
  flag,
  variable,
  keyInFile,
  keyInVariable,
  storedMode,
  logins,
}: Given): string {
  const named = flag ?? variable;
  const given = keyInFile ?? keyInVariable;
  if (named && given && named !== given) return `refused: ${named}, but a ${given} key`;
  const mode = named ?? given ?? storedMode ?? "test";
  if (keyInFile) return `${mode}, key of the file`;
  if (keyInVariable) return `${mode}, key of the variable`;
  return logins.includes(mode) ? `${mode}, key of the login` : `refused: no ${mode} key`;
}

test.each(namedModes)(
  "mode and key follow the documented order for every combination of inputs, with --mode $flag and PAYMENTS_MODE $variable",
  async (modes) => {
    for (const { keyInFile, keyInVariable } of keys) {
      for (const { home, storedMode, logins } of homes) {
        const given = { ...modes, keyInFile, keyInVariable, storedMode, logins };
        const used = await resolveOutcome(given, home);
        expect({ given, outcome: used.outcome }).toEqual({
          given,
          outcome: expectedOutcome(given),
        });
        if (!used.key) continue;
        const isLive = used.outcome.startsWith("live");
        expect(await readAndWrite(used.key, isLive)).toEqual(["accepted", "accepted"]);
        expect(await readAndWrite(used.key, !isLive)).toEqual(["refused", `${created.id} refused`]);
      }
    }
  },
);

async function resolveOutcome(
  given: Given,
  home: string,
): Promise<{ outcome: string; key?: string }> {
  const { flag, variable, keyInFile, keyInVariable } = given;
  const flags = {
    mode: flag,
    "api-key-file": keyInFile && files[keyInFile],
    "base-url": baseUrl,
  };
  const env = {
    PAYMENTS_HOME: home,
    PAYMENTS_MODE: variable,
    PAYMENTS_API_KEY: keyInVariable && createKey("variable", keyInVariable),
  };
  try {
    const { mode, key } = await resolveSettings(flags, env);
    const value = key?.value() ?? "";
    const whose = (["file", "variable", "login"] as const).find(
      (source) => createKey(source, mode) === value,
    );
    return { outcome: `${mode}, key of the ${whose}`, key: value };
  } catch (error) {
    return { outcome: `refused: ${describeRefusal(error)}` };
  }
}

/** The message of an error of kind `key`, as in the table above. */
function describeRefusal(error: unknown): string {
  expect(error).toMatchObject({ name: "CommandError", ending: "key" });
  const { message } = error as Error;
  const contradiction =
    /^The mode is (\w+), but the key from \S+ is (a \w+ key)\. Nothing was sent\.$/.exec(message);
  if (contradiction) return `${contradiction[1]}, but ${contradiction[2]}`;
  return /^There is (no \w+ key) for https:\S+\.$/.exec(message)?.[1] ?? message;
}

const created = paymentWith();

/** The outcomes of a list and of a create with a key, if the service responds with data of a mode. */
async function readAndWrite(apiKey: string, livemode: boolean): Promise<string[]> {
  const payment = paymentWith({ livemode });
  const list = { object: "list", url: "/v1/payments", data: [payment], has_more: false };
  const { payments } = new PaymentsClient({
    apiKey,
    baseUrl: {
      send: async ({ method }) => ({
        status: 200,
        headers: {},
        body: JSON.stringify(method === "GET" ? list : payment),
      }),
      close: async () => {},
    },
  });
  const outcomes = await Promise.allSettled([payments.list(), payments.create(body)]);
  return outcomes.map((outcome) => {
    if (outcome.status === "fulfilled") return "accepted";
    expect(outcome.reason).toBeInstanceOf(ModeMismatchError);
    const { paymentId } = outcome.reason as ModeMismatchError;
    return paymentId === undefined ? "refused" : `${paymentId} refused`;
  });
}

/** A key of a mode, a different one for each source. */
function createKey(source: "file" | "variable" | "login", mode: Mode): string {
  return someKeys[mode].slice(0, -source.length) + source;
}

function writeKeyFile(mode: Mode): string {
  const file = join(createTemporaryHome(), "key.txt");
  writeFileSync(file, `${createKey("file", mode)}\n`);
  return file;
}

function createHomeWith(storedMode: Mode | undefined, logins: readonly Mode[]): string {
  const home = createTemporaryHome();
  const directories = { config: home, data: home };
  if (storedMode) storeMode(directories, storedMode);
  for (const mode of logins) {
    storeLogin(directories, mode, { baseUrl, key: createKey("login", mode) }, keyringOfHome);
  }
  return home;
}
