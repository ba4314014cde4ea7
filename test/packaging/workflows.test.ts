import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { registerHooks } from "node:module";
import type { AddressInfo } from "node:net";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import manifest from "../../package.json" with { type: "json" };
import { runInShell } from "../testkit/command/run-payments.ts";
import { documentedCode } from "../testkit/documented-examples.ts";
import { openUntilFileEnds } from "../testkit/open-until-file-ends.ts";
import { createTemporaryHome } from "../testkit/temporary.ts";

interface Step {
  run?: string;
  uses?: string;
}
interface Job {
  steps?: Step[];
  uses?: string;
  permissions?: Record<string, string>;
  "timeout-minutes"?: number;
}
interface Workflow {
  permissions: Record<string, string>;
  jobs: Record<string, Job>;
}

// GitHub's own parser imports its schema as Node does not allow: without saying that it is JSON.
const hooks = registerHooks({
  load: (url, context, next) =>
    next(url, url.endsWith(".json") ? { ...context, importAttributes: { type: "json" } } : context),
});
const { NoOperationTraceWriter, parseWorkflow } = await import("@actions/workflow-parser");
const { parseAction } = await import("@actions/workflow-parser/actions/action-parser");
hooks.deregister();

const root = new URL("../..", import.meta.url).pathname;
const workflows = globSync(".github/workflows/*.yml", { cwd: root }).map((path) => {
  const content = readFileSync(root + path, "utf8");
  return { name: basename(path), content, workflow: parse(content) as Workflow };
});

const hash = (content: Buffer) => createHash("sha256").update(content).digest("hex");

const findIn = (texts: string[], pattern: RegExp) =>
  texts.flatMap((text) => [...text.matchAll(pattern)].map(([, found = ""]) => found));

test.each([
  ["examples/ci/payments.yml", readFileSync(join(root, "examples/ci/payments.yml"), "utf8")],
  ["docs/testing.md", documentedCode("testing.md", "yaml")],
])("the workflow of %s follows GitHub's schema", (name, content) => {
  const { context } = parseWorkflow({ name, content }, new NoOperationTraceWriter());
  expect(context.errors.getErrors().map(({ message }) => message)).toEqual([]);
});

describe("the action that installs the executable", () => {
  const folder = join(root, "packaging/setup-payments");

  test("follows GitHub's schema of actions", () => {
    const action = {
      name: "action.yml",
      content: readFileSync(join(folder, "action.yml"), "utf8"),
    };
    const { context } = parseAction(action, new NoOperationTraceWriter());
    expect(context.errors.getErrors().map(({ message }) => message)).toEqual([]);
  });

  /** Runs the action's program with a release that has a stand-in for the executable. */
  async function install(sum: (archive: Buffer) => string) {
    const home = createTemporaryHome();
    writeFileSync(join(home, "payments"), "#!/bin/sh\necho payments-cli/1.1.0\n", { mode: 0o755 });
    execFileSync("tar", ["-czf", "archive", "payments"], { cwd: home });
    const archive = readFileSync(join(home, "archive"));
    const asked: string[] = [];
    const server = createServer(({ url = "" }, response) => {
      asked.push(url);
      response.end(
        url.endsWith("SUMS") ? `${sum(archive)}  ${asked[0]?.split("/").at(-1)}\n` : archive,
      );
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    openUntilFileEnds(() => server.close());
    const { port } = server.address() as AddressInfo;
    const added = join(home, "path");
    const env = {
      VERSION: "v1.1.0",
      REPOSITORY: "owner/payments",
      GITHUB_SERVER_URL: `http://127.0.0.1:${port}`,
      GITHUB_PATH: added,
      RUNNER_TEMP: home,
    };
    const ran = await runInShell(join(folder, "install"), { home, env });
    return { ...ran, asked, path: existsSync(added) ? readFileSync(added, "utf8").trim() : "" };
  }

  test("puts it on the path, once its sum is right", async () => {
    const { exitCode, asked, path } = await install(hash);
    expect(exitCode).toBe(0);
    expect(asked[0]).toMatch(
      /^\/owner\/payments\/releases\/download\/v1\.1\.0\/payments-v1\.1\.0-\w+-\w+\.tar\.gz$/,
    );
    expect(execFileSync(join(path, "payments"), { encoding: "utf8" })).toBe("payments-cli/1.1.0\n");
    const { exitCode: refused, path: none } = await install(() => hash(Buffer.from("another")));
    expect([refused, none]).toEqual([1, ""]);
  });
});

test("there is a workflow for changes and one for releases", () => {
  expect(workflows.map(({ name }) => name).toSorted()).toEqual(["ci.yml", "release.yml"]);
});

describe.each(workflows)("$name", ({ name, content, workflow }) => {
  const jobs = Object.entries(workflow.jobs);
  const steps = jobs.flatMap(([, { steps: all = [] }]) => all);
  const commands = steps.flatMap(({ run = [] }) => run);

  test("follows GitHub's schema of workflows", () => {
    const { context } = parseWorkflow({ name, content }, new NoOperationTraceWriter());
    expect(context.errors.getErrors().map(({ message }) => message)).toEqual([]);
  });

  test("names every action by its commit, and says which version that is", () => {
    const lines = content.split("\n").filter((line) => /^ +-? *uses: (?!\.\/)/.test(line));
    const isPinned = /uses: [\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.filter((line) => !isPinned.test(line))).toEqual([]);
  });

  test("may only read, unless a job says what it writes", () => {
    expect(workflow.permissions).toEqual({ contents: "read" });
    const writers = jobs.filter(([, { permissions }]) => permissions).map(([job]) => job);
    expect(writers).toEqual(name === "release.yml" ? ["publish"] : []);
  });

  test("limits the time of each job", () => {
    const limitless = jobs.filter(([, job]) => job.steps && !job["timeout-minutes"]);
    expect(limitless.map(([job]) => job)).toEqual([]);
  });

  test("runs scripts and files that exist", () => {
    const scripts = findIn(commands, /npm run ([\w:]+)/g);
    expect(scripts.filter((script) => !Object.hasOwn(manifest.scripts, script))).toEqual([]);
    const called = jobs.flatMap(([, { uses = [] }]) => uses);
    const paths = [...findIn(commands, /\b((?:bin|packaging)\/[\w./-]+)/g), ...called];
    expect(paths.filter((path) => !existsSync(root + path))).toEqual([]);
  });

  test("passes nothing into a shell that a stranger could have written", () => {
    const inserted = findIn(commands, /\$\{\{ *([\w.]+) *\}\}/g);
    expect(inserted.filter((value) => !value.startsWith("matrix."))).toEqual([]);
  });
});
