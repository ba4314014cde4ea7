import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { deleteContext, renameContext, useContext } from "../../../src/cli/config/contexts.ts";
import { deleteLogin, storeLogin, storeMode } from "../../../src/cli/config/profile.ts";
import { paymentWith } from "../../testkit/api-objects.ts";
import { keyringOfHome } from "../../testkit/command/keyrings.ts";
import { runPayments } from "../../testkit/command/run-payments.ts";
import { type Places, openPlaces, pay, placeKeys } from "../../testkit/command/two-contexts.ts";
import { someKeys } from "../../testkit/temporary.ts";

// Ways to pay in the wrong place, with two contexts and two services that record what they are sent. Each is refused
// before anything is sent, or names the place.

const other = someKeys.live.replace("gfed", "0000");
const { id } = paymentWith();

/** How a command line is given: `${…}` are the places. `exitCode` 0: it pays, and `message` names where. */
type Way = {
  inUse?: string;
  /** What another terminal has done before. */
  prepare?: (places: Places) => unknown;
  args?: (places: Places) => string[];
  env?: (places: Places) => Record<string, string>;
  stdin?: string;
  exitCode: number;
  message: RegExp | string;
};

const urlOf = (name: keyof typeof placeKeys) => (places: Places) => places.servers[name].url;
const flags =
  (...words: (string | ((places: Places) => string))[]) =>
  (places: Places) => [
    ...pay,
    ...words.map((word) => (typeof word === "string" ? word : word(places))),
  ];
const keyFile = (key: string) => (places: Places) => {
  const file = join(places.home, "key.txt");
  writeFileSync(file, key);
  return file;
};
const none = "names a context that there is not";

const ways: Record<string, Way> = {
  "a name that lacks a letter": {
    args: flags("--context", "prodction"),
    exitCode: 2,
    message: `${none}: prodction. Nothing was sent.\n  hint: Did you mean production?`,
  },
  "a name that differs by one letter": {
    args: flags("--context", "stabing"),
    exitCode: 2,
    message: "Did you mean staging?",
  },
  "a name in capitals": {
    args: flags("--context", "PRODUCTION"),
    exitCode: 2,
    message: "Did you mean production?",
  },
  "the beginning of a name": { args: flags("--context", "prod"), exitCode: 2, message: none },
  "a name of nothing": { args: flags("--context", "elsewhere"), exitCode: 2, message: none },
  "a path in place of a name": {
    args: flags("--context", "../contexts/production"),
    exitCode: 2,
    message: none,
  },
  "an empty name, as of a variable that is not set": {
    args: flags("--context", ""),
    exitCode: 2,
    message: "--context is empty.",
  },
  "a context, and the address of another": {
    args: flags("--context", "production", "--base-url", urlOf("staging")),
    exitCode: 2,
    message: "but --base-url names another service. Nothing was sent.",
  },
  "a context, and another port of its machine": {
    args: flags("--context", "production", "--base-url", "http://127.0.0.1:9"),
    exitCode: 2,
    message: "names another service",
  },
  "a context, and another path of its service": {
    args: flags(
      "--context",
      "production",
      "--base-url",
      (places) => `${urlOf("production")(places)}/x`,
    ),
    exitCode: 2,
    message: "names another service",
  },
  "a context, and the embedded service": {
    args: flags("--context", "production", "--base-url", "embedded"),
    exitCode: 2,
    message: "names another service",
  },
  "a context, and a database": {
    args: flags("--context", "production", "--database", "sqlite:books.db"),
    exitCode: 2,
    message: "but --database names another service",
  },
  "embedded, and the address of a service": {
    args: flags("--context", "embedded", "--base-url", urlOf("production")),
    exitCode: 2,
    message: "The context embedded is for embedded, but --base-url names",
  },
  "the address of another context than that in use": {
    args: flags("--base-url", urlOf("production")),
    exitCode: 4,
    message: "There is no test key for http",
  },
  "live mode in a context with a test key alone": {
    args: flags("--mode", "live"),
    exitCode: 4,
    message: "The context staging has no live key. Nothing was sent.",
  },
  "live mode in a named context with a test key alone": {
    inUse: "production",
    args: flags("--context", "staging", "--mode", "live"),
    exitCode: 4,
    message: "The context staging has no live key. Nothing was sent.",
  },
  "a key's file, without its service": {
    args: flags("--api-key-file", keyFile(placeKeys.production.live)),
    exitCode: 2,
    message: "may be of any of your contexts. Nothing was sent.",
  },
  "a key's file in a named context, without its service": {
    args: flags("--context", "production", "--api-key-file", keyFile(placeKeys.staging.test)),
    exitCode: 2,
    message: "may be of any of your contexts. Nothing was sent.",
  },
  "a key's file in a named context, with another service": {
    args: flags(
      "--context",
      "production",
      "--api-key-file",
      keyFile(placeKeys.staging.test),
      "--base-url",
      urlOf("staging"),
    ),
    exitCode: 2,
    message: "names another service",
  },
  "a live key's file in test mode": {
    args: flags("--mode", "test", "--api-key-file", keyFile(placeKeys.production.live)),
    exitCode: 4,
    message: "is a live key. Nothing was sent.",
  },
  "a variable that lacks a letter": {
    env: () => ({ PAYMENTS_CONTEXT: "prodction" }),
    exitCode: 2,
    message: `PAYMENTS_CONTEXT ${none}: prodction. Nothing was sent.\n  hint: Did you mean production?`,
  },
  "a variable that is empty": {
    env: () => ({ PAYMENTS_CONTEXT: "" }),
    exitCode: 2,
    message: "PAYMENTS_CONTEXT is empty.",
  },
  "a key pasted as a context's name": {
    env: () => ({ PAYMENTS_CONTEXT: placeKeys.production.live }),
    exitCode: 2,
    message: `PAYMENTS_CONTEXT ${none}. Nothing was sent.`,
  },
  "variables of a context and of another's service": {
    env: (places) => ({
      PAYMENTS_CONTEXT: "staging",
      PAYMENTS_BASE_URL: places.servers.production.url,
    }),
    exitCode: 2,
    message: "but PAYMENTS_BASE_URL names another service",
  },
  "a context's variable, and another's address": {
    env: () => ({ PAYMENTS_CONTEXT: "production" }),
    args: flags("--base-url", urlOf("staging")),
    exitCode: 2,
    message: "but --base-url names another service",
  },
  "a context's flag, and the variable of another's address": {
    env: (places) => ({ PAYMENTS_BASE_URL: places.servers.staging.url }),
    args: flags("--context", "production"),
    exitCode: 2,
    message: "but PAYMENTS_BASE_URL names another service",
  },
  "a key's variable, forgotten from another day": {
    env: () => ({ PAYMENTS_API_KEY: placeKeys.production.live }),
    exitCode: 2,
    message: "may be of any of your contexts. Nothing was sent.",
  },
  "a key's variable beside a context's": {
    env: () => ({ PAYMENTS_API_KEY: placeKeys.production.live, PAYMENTS_CONTEXT: "staging" }),
    exitCode: 2,
    message: "may be of any of your contexts",
  },
  "a key's variable beside embedded": {
    env: () => ({ PAYMENTS_API_KEY: placeKeys.production.live }),
    args: flags("--context", "embedded"),
    exitCode: 2,
    message: "may be of any of your contexts",
  },
  "an address's variable, forgotten from another day": {
    env: (places) => ({ PAYMENTS_BASE_URL: places.servers.production.url }),
    exitCode: 4,
    message: "There is no test key for http",
  },
  "a mode's variable, forgotten from another day": {
    env: () => ({ PAYMENTS_MODE: "live" }),
    exitCode: 4,
    message: "The context staging has no live key",
  },
  "the variables of two modes": {
    env: (places) => ({
      PAYMENTS_MODE: "test",
      PAYMENTS_API_KEY: placeKeys.production.live,
      PAYMENTS_BASE_URL: places.servers.production.url,
    }),
    exitCode: 4,
    message: "is a live key. Nothing was sent.",
  },
  "a flag against a variable": {
    env: () => ({ PAYMENTS_CONTEXT: "staging" }),
    args: flags("--context", "production"),
    exitCode: 0,
    message: "In production (live).",
  },
  "a service and a key given, whatever is in use": {
    env: (places) => ({
      PAYMENTS_API_KEY: placeKeys.production.live,
      PAYMENTS_BASE_URL: places.servers.production.url,
    }),
    exitCode: 0,
    message: /^In http:\/\/127\.0\.0\.1:\d+ \(live\)\.\n/,
  },
  "a context in use that was switched to in another terminal": {
    prepare: ({ directories }) => useContext(directories, "production"),
    exitCode: 0,
    message: "In production (live).",
  },
  "a mode that was switched in another terminal": {
    prepare: ({ place }) => storeMode(place("staging"), "live"),
    exitCode: 4,
    message: "The context staging has no live key",
  },
  "a context in use that another terminal has deleted": {
    inUse: "staging",
    prepare: ({ directories }) => {
      deleteContext(directories, "staging", keyringOfHome);
      useContext(directories, "staging"); // switched to at the same time
    },
    exitCode: 2,
    message: "The context in use, staging, is there no more. Nothing was sent.",
  },
  "the old name of a renamed context": {
    prepare: ({ directories }) =>
      renameContext(directories, { name: "production", newName: "main" }, keyringOfHome),
    args: flags("--context", "production"),
    exitCode: 2,
    message: none,
  },
  "the old name of a renamed context in a variable": {
    prepare: ({ directories }) =>
      renameContext(directories, { name: "production", newName: "main" }, keyringOfHome),
    env: () => ({ PAYMENTS_CONTEXT: "production" }),
    exitCode: 2,
    message: none,
  },
  "the last key of the context in use deleted: not the embedded service": {
    prepare: async ({ home }) => runPayments(["logout"], { home }),
    exitCode: 4,
    message: "The context staging has no test key. Nothing was sent.",
  },
  "a key deleted by hand: not the embedded service": {
    inUse: "production",
    prepare: ({ place }) => deleteLogin(place("production"), "live", keyringOfHome),
    exitCode: 4,
    message: "The context production has no live key. Nothing was sent.",
  },
  "a damaged choice of the context": {
    prepare: ({ home }) => writeFileSync(join(home, "context.json"), '{"in_use":"'),
    exitCode: 9,
    message: "context.json is damaged",
  },
  "a damaged login": {
    prepare: ({ home }) => writeFileSync(join(home, "contexts/staging/login-test.json"), "{"),
    exitCode: 9,
    message: "login-test.json is damaged",
  },
  "a mode switched in embedded, then another context": {
    prepare: async ({ home }) => {
      await runPayments(["context", "use", "embedded"], { home });
      await runPayments(["mode", "live"], { home });
      await runPayments(["context", "use", "staging"], { home });
    },
    args: flags("--context", "staging", "--mode", "live"),
    exitCode: 4,
    message: "no live key",
  },
  "a login of staging while production is in use": {
    inUse: "production",
    args: (places) => ["login", "--base-url", places.servers.staging.url],
    stdin: placeKeys.staging.test,
    exitCode: 6,
    message: "The context production is for http",
  },
  "a login of a sandbox over production": {
    inUse: "production",
    prepare: ({ place }) => {
      const login = { baseUrl: "https://payments.example.com", key: placeKeys.production.test };
      storeLogin(place("production"), "test", login, keyringOfHome);
    },
    args: (places) => ["login", "--sandbox", "--base-url", places.servers.staging.url],
    exitCode: 6,
    message: "Nothing was stored.",
  },
  "a login while embedded is in use": {
    inUse: "embedded",
    args: (places) => ["login", "--base-url", places.servers.production.url],
    stdin: other,
    exitCode: 2,
    message: "There is production and staging.",
  },
  "a login as embedded": {
    args: (places) => [
      "login",
      "--context",
      "embedded",
      "--base-url",
      places.servers.production.url,
    ],
    stdin: other,
    exitCode: 2,
    message: "The embedded service needs no login.",
  },
  "a login without the context's variable": {
    inUse: "production",
    env: () => ({ PAYMENTS_CONTEXT: "" }),
    args: (places) => ["login", "--base-url", places.servers.staging.url],
    stdin: placeKeys.staging.test,
    exitCode: 2,
    message: "PAYMENTS_CONTEXT is empty.",
  },
  "a sandbox command beside production": {
    inUse: "production",
    prepare: ({ place }) => deleteLogin(place("production"), "test", keyringOfHome),
    args: () => ["sandbox", "reset"],
    exitCode: 4,
    message: "The context production has no test key. Nothing was sent.",
  },
};

describe.concurrent("a payment in the wrong place", () => {
  test("is tried in forty ways and more", () => {
    expect(Object.keys(ways).length).toBeGreaterThanOrEqual(40);
  });

  test.each(Object.entries(ways))("by %s, is refused, or names the place", async (_, way) => {
    const places = await openPlaces(way.inUse === undefined ? {} : { inUse: way.inUse });
    await way.prepare?.(places);
    const ran = await runPayments((way.args ?? flags())(places), {
      home: places.home,
      env: way.env?.(places) ?? {},
      ...(way.stdin !== undefined && { stdin: way.stdin }),
    });
    expect(ran.stderr).toMatch(way.message);
    expect(ran).toMatchObject({ exitCode: way.exitCode });
    expect(ran.stderr).not.toMatch(/svc_live_sk_\w{5}/);
    const sent = way.exitCode === 0 ? [`POST production Bearer ${placeKeys.production.live}`] : [];
    expect(places.listSent()).toEqual(sent);
  });
});

describe.concurrent("a command that runs while another terminal changes its context", () => {
  const sentThere = ["GET", "POST"].map(
    (method) => `${method} production Bearer ${placeKeys.production.live}`,
  );

  test.each<[what: string, change: (places: Places) => unknown]>([
    [
      "renames it",
      ({ directories }) => {
        renameContext(directories, { name: "production", newName: "main" }, keyringOfHome);
      },
    ],
    ["switches to another one", ({ directories }) => useContext(directories, "staging")],
    ["switches its mode", ({ place }) => storeMode(place("production"), "test")],
    [
      "replaces its key",
      ({ place, servers }) => {
        const login = { baseUrl: servers.staging.url, key: other };
        storeLogin(place("production"), "live", login, keyringOfHome);
      },
    ],
    ["deletes it", ({ directories }) => deleteContext(directories, "production", keyringOfHome)],
  ])("which %s, ends where it began", async (_, change) => {
    const places: Places = await openPlaces({
      inUse: "production",
      before: () => change(places),
    });
    const ran = await runPayments(["refund", id, "--yes"], { home: places.home });
    expect(ran.exitCode).toBe(0);
    expect(ran.stderr).toMatch(/^In production \(live\)\.$/m);
    expect(places.listSent()).toEqual(sentThere);
  });
});
