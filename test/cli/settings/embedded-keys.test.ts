import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { embeddedKeys } from "../../../src/cli/settings/embedded-keys.ts";
import { apiKeyPattern } from "../../../src/contract/key.ts";
import { ids } from "../../../src/service/run/ids.ts";
import { newHome } from "./temporary-home.ts";

test("the embedded service's keys are made at the first use, and stay", () => {
  const data = newHome();
  const keys = embeddedKeys({ config: "/nowhere", data }, ids.secret);
  expect(keys.test).toMatch(/^svc_test_sk_/);
  expect(keys.live).toMatch(/^svc_live_sk_/);
  for (const key of Object.values(keys)) expect(key).toMatch(apiKeyPattern);
  expect(embeddedKeys({ config: "/nowhere", data }, ids.secret)).toEqual(keys);
});

test("two homes never share them", () => {
  const one = embeddedKeys({ config: "", data: newHome() }, ids.secret);
  const other = embeddedKeys({ config: "", data: newHome() }, ids.secret);
  expect(one.test).not.toBe(other.test);
  expect(one.live).not.toBe(other.live);
});

test("their file is for its owner alone", () => {
  const data = newHome();
  embeddedKeys({ config: "", data }, ids.secret);
  expect(statSync(join(data, "embedded-keys.json")).mode & 0o777).toBe(0o600);
});

test("a damaged file of them is told, and stays as it is", () => {
  const data = newHome();
  const file = join(data, "embedded-keys.json");
  writeFileSync(file, '{"test":"svc_test_sk_short"}');
  expect(() => embeddedKeys({ config: "", data }, ids.secret)).toThrow(
    expect.objectContaining({ kind: "storage", message: `The file ${file} is damaged.` }),
  );
  expect(readFileSync(file, "utf8")).toBe('{"test":"svc_test_sk_short"}');
});
