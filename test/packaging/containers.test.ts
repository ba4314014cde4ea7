import { existsSync, readFileSync } from "node:fs";
import { Ajv } from "ajv";
import { validate as lintDockerfile } from "dockerfile-utils";
import { expect, test } from "vitest";
import { parse } from "yaml";

const file = (path: string) => new URL(`../../${path}`, import.meta.url);
const read = (path: string) => readFileSync(file(path), "utf8");
const dockerfile = read("packaging/Dockerfile");
const compose = read("packaging/compose.yml");

test("the Dockerfile has no fault that its linter knows", () => {
  expect(lintDockerfile(dockerfile).map(({ message }) => message)).toEqual([]);
});

test("the image runs the program as nobody's user, keeps its data in a volume and says its health", () => {
  const last = dockerfile.slice(dockerfile.lastIndexOf("\nFROM "));
  expect(last).toContain("FROM gcr.io/distroless/");
  expect(last).toMatch(/^USER 65532:65532$/m);
  expect(last).toMatch(/^VOLUME \["\/data"\]$/m);
  expect(last).toMatch(/^ENTRYPOINT \["payments"\]$/m);
  expect(last).toMatch(/^HEALTHCHECK .* CMD \["payments", "health"\]$/m);
  expect(last).not.toMatch(/^RUN/m); // there is no shell that could
});

test("the compose file follows the Compose Specification", () => {
  // Its dialect is named by a URL that the validator knows in its older form only.
  const schema = { ...JSON.parse(read("test/packaging/compose-spec.json")), $schema: undefined };
  const ajv = new Ajv({ strict: false, validateFormats: false });
  const isValid = ajv.compile(schema);
  isValid(parse(compose));
  expect(isValid.errors).toBeNull();
  const { services } = parse(compose) as {
    services: { payments: { build: { dockerfile: string } } };
  };
  expect(existsSync(file(services.payments.build.dockerfile))).toBe(true);
});

test("the compose file has no secret", () => {
  const passwords = compose.split("\n").filter((line) => /PASSWORD: |:\/\/\w+:/.test(line));
  expect(passwords.length).toBeGreaterThan(1);
  expect(passwords.filter((line) => !line.includes("${POSTGRES_PASSWORD:?"))).toEqual([]);
});
