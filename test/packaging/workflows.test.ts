import { existsSync, globSync, readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { basename } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import manifest from "../../package.json" with { type: "json" };

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
hooks.deregister();

const root = new URL("../..", import.meta.url).pathname;
const workflows = globSync(".github/workflows/*.yml", { cwd: root }).map((path) => {
  const content = readFileSync(root + path, "utf8");
  return { name: basename(path), content, workflow: parse(content) as Workflow };
});

const findIn = (texts: string[], pattern: RegExp) =>
  texts.flatMap((text) => [...text.matchAll(pattern)].map(([, found = ""]) => found));

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
