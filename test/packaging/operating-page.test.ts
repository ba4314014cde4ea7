import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { documentedCode } from "../testkit/documented-examples.ts";

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

test.each([
  ["payments@.service", "ini", "User=payments"],
  ["nginx.conf", "nginx", "upstream payments"],
  ["pgbouncer.ini", "ini", "[pgbouncer]"],
  ["prometheus/payments.rules.yml", "yaml", "groups:"],
])("docs/operating.md quotes packaging/%s as it is", (file, language, part) => {
  expect(documentedCode("operating.md", language, part)).toBe(read(`packaging/${file}`));
});
