import { existsSync, readFileSync } from "node:fs";
import { Ajv } from "ajv";
import { validate as lintDockerfile } from "dockerfile-utils";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { runPayments } from "../testkit/command/run-payments.ts";
import { watchPayments } from "../testkit/command/running-commands.ts";
import { documentedCode } from "../testkit/documented-examples.ts";

const file = (path: string) => new URL(`../../${path}`, import.meta.url);
const read = (path: string) => readFileSync(file(path), "utf8");
const dockerfile = read("packaging/Dockerfile");
const compose = read("packaging/compose.yml");
const sandboxCompose = read("examples/ci/compose.yml");
const testingPage = read("docs/testing.md");

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

test.each([compose, sandboxCompose])("a compose file follows the Compose Specification", (text) => {
  // Its dialect is named by a URL that the validator knows in its older form only.
  const schema = { ...JSON.parse(read("test/packaging/compose-spec.json")), $schema: undefined };
  const ajv = new Ajv({ strict: false, validateFormats: false });
  const isValid = ajv.compile(schema);
  isValid(parse(text));
  expect(isValid.errors).toBeNull();
});

test("the compose file builds the image", () => {
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

describe("the recipes for a sandbox in a container", () => {
  type Recipe = { command: string | string[] };
  const workflow = documentedCode("testing.md", "yaml");
  const [, run = ""] =
    /payments (sandbox .*)$/m.exec(documentedCode("testing.md", "sh", "docker")) ?? [];
  const { services } = parse(sandboxCompose) as { services: { payments: Recipe; shop: object } };

  test("say that they were tried in none", () => {
    const chapter = testingPage.split("## In containers")[1]?.split("\n## ")[0] ?? "";
    expect(chapter.trimStart()).toMatch(
      /^No container engine was there .* nothing of it was tried in one\.\n/,
    );
    for (const language of ["js", "java", "go", "python"])
      expect(chapter).toContain(`\n\`\`\`${language}\n`);
  });

  test("start the sandbox alike, as it starts without a container, and find it healthy", async () => {
    const job = (parse(workflow) as { jobs: { test: { services: { payments: Recipe } } } }).jobs
      .test;
    expect(job.services.payments.command).toBe(run);
    expect([services.payments.command].flat().join(" ")).toBe(run);
    const sandbox = watchPayments([...run.split(" "), "--port", "0"]);
    const [, port] = /:(\d+) \(all interfaces\)$/.exec(await sandbox.shows(/^Sandbox at/)) ?? [];
    await sandbox.shows(/^Dashboard: http:\/\/127\.0\.0\.1:8402\/dashboard/);
    const health = await runPayments(["health", `http://127.0.0.1:${port}`]);
    expect(health.exitCode).toBe(0);
    expect((await sandbox.end("SIGTERM")).exitCode).toBe(0);
  });

  test("let the application wait until it is healthy", () => {
    expect(services.payments).toMatchObject({
      healthcheck: { test: ["CMD", "payments", "health", "http://127.0.0.1:8402"] },
    });
    expect(services.shop).toMatchObject({
      depends_on: { payments: { condition: "service_healthy" } },
    });
  });
});
