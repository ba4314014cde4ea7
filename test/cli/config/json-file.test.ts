import { execFileSync } from "node:child_process";
import {
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { deleteFile, readJsonFile, writeJsonFile } from "../../../src/cli/config/profile.ts";
import { CommandError } from "../../../src/cli/output/command-error.ts";
import { createTemporaryHome } from "../../testkit/temporary.ts";

const pipeMaker = "mkfifo"; // of every system that has pipes with names
const named = z.object({ name: z.string() });
const isNamed = (value: unknown): value is z.infer<typeof named> => named.safeParse(value).success;
const toPath = (home: string) => join(home, "deep", "er", "file.json");

describe("a file", () => {
  test("can be read after it is written", () => {
    const file = toPath(createTemporaryHome());
    writeJsonFile(file, { name: "Ada" });
    writeJsonFile(file, { name: "Grace" });
    expect(readJsonFile(file, isNamed)).toEqual({ name: "Grace" });
  });

  test("and its folder are accessible only to their owner", () => {
    const file = toPath(createTemporaryHome());
    writeJsonFile(file, { name: "Ada" });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
    expect(statSync(dirname(dirname(file))).mode & 0o777).toBe(0o700);
  });

  test("that others could read is private after it is written again", () => {
    const file = join(createTemporaryHome(), "file.json");
    writeFileSync(file, "{}", { mode: 0o644 });
    writeJsonFile(file, { name: "Ada" });
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test("that does not exist reads as undefined", () => {
    expect(readJsonFile(toPath(createTemporaryHome()), isNamed)).toBeUndefined();
  });

  test.each(["", "{", "null", "[]", '{"name":1}', "\u0000"])(
    "that contains %j is damaged, and the error names it",
    (content) => {
      const file = join(createTemporaryHome(), "file.json");
      writeFileSync(file, content);
      expect(() => readJsonFile(file, isNamed)).toThrow(
        expect.objectContaining({ ending: "unavailable", message: `The file ${file} is damaged.` }),
      );
    },
  );

  test("that cannot be written leaves no partial file", () => {
    const home = createTemporaryHome();
    const file = join(home, "file.json");
    mkdirSync(join(file, "in-the-way"), { recursive: true });
    expect(() => {
      writeJsonFile(file, { name: "Ada" });
    }).toThrow(expect.objectContaining({ ending: "unavailable" }));
    expect(readdirSync(home)).toEqual(["file.json"]);
    expect(() => readJsonFile(file, isNamed)).toThrow(CommandError);
  });
});

test.each([undefined, "/snap/editor/1"])(
  "a file is replaced, not overwritten, with SNAP=%s",
  (snap) => {
    const file = toPath(createTemporaryHome());
    writeJsonFile(file, { name: "first" });
    const before = openSync(file, "r");
    vi.stubEnv("SNAP", snap);
    try {
      writeJsonFile(file, { name: "second" });
      expect(process.env["SNAP"]).toBe(snap);
      expect(readFileSync(before, "utf8")).toBe('{\n  "name": "first"\n}\n');
      expect(readFileSync(file, "utf8")).toBe('{\n  "name": "second"\n}\n');
    } finally {
      closeSync(before);
      vi.unstubAllEnvs();
    }
  },
);

test.each(["", "{", "null", "[]", "\u0000"])(
  "a file that contains %j can be written",
  (content) => {
    const file = join(createTemporaryHome(), "file.json");
    writeFileSync(file, content);
    writeJsonFile(file, { name: "Ada" });
    expect(readFileSync(file, "utf8")).toBe('{\n  "name": "Ada"\n}\n');
  },
);

test("reading an existing or a missing file writes nothing", () => {
  const home = createTemporaryHome();
  const file = join(home, "file.json");
  expect(readJsonFile(join(home, "folder", "file.json"), isNamed)).toBeUndefined();
  expect(readdirSync(home)).toEqual([]);
  writeFileSync(file, '{"name":"Ada","more":1}', { mode: 0o644 });
  const before = statSync(file);
  expect(readJsonFile(file, isNamed)).toEqual({ name: "Ada", more: 1 });
  const { ino, mode, ctimeMs, mtimeMs } = before;
  expect(statSync(file)).toMatchObject({ ino, mode, ctimeMs, mtimeMs });
  expect(readdirSync(home)).toEqual(["file.json"]);
});

test("writing a file leaves no temporary one behind", () => {
  const file = toPath(createTemporaryHome());
  writeJsonFile(file, { name: "first" });
  writeJsonFile(file, { name: "second" });
  expect(readdirSync(dirname(file))).toEqual(["file.json"]);
  expect(readFileSync(file, "utf8").endsWith("\n")).toBe(true);
});

test("deleting a missing file does nothing", () => {
  const file = toPath(createTemporaryHome());
  deleteFile(file);
  writeJsonFile(file, { name: "Ada" });
  deleteFile(file);
  expect(readJsonFile(file, isNamed)).toBeUndefined();
});

/** A link in one folder to a file in another one that does not exist yet. */
function createLink() {
  const [home, elsewhere] = [createTemporaryHome(), createTemporaryHome()];
  const [file, target] = [join(home, "file.json"), join(elsewhere, "target.json")];
  symlinkSync(target, file);
  return { home, elsewhere, file, target };
}

describe("a link instead of a file", () => {
  test("stays, and its target is replaced", () => {
    const { home, elsewhere, file, target } = createLink();
    writeFileSync(target, '{"name":"Ada"}', { mode: 0o644 });
    expect(readJsonFile(file, isNamed)).toEqual({ name: "Ada" });
    writeJsonFile(file, { name: "Grace" });
    expect(readlinkSync(file)).toBe(target);
    expect(JSON.parse(readFileSync(target, "utf8"))).toEqual({ name: "Grace" });
    expect(statSync(target).mode & 0o777).toBe(0o600);
    expect([home, elsewhere].flatMap((folder) => readdirSync(folder))).toEqual([
      "file.json",
      "target.json",
    ]);
  });

  test("is deleted together with its target, which may hold a key", () => {
    const { file, target } = createLink();
    writeFileSync(target, "{}");
    expect(deleteFile(file)).toBe(true);
    expect(existsSync(target)).toBe(false);
    expect(deleteFile(file)).toBe(false);
  });

  test("without a target is an error, and nothing is created", () => {
    const { elsewhere, file, target } = createLink();
    const refusal = expect.objectContaining({
      ending: "unavailable",
      message: `The file ${file} cannot be used: it is a link that leads nowhere.`,
      hint: expect.stringMatching(/^Put back what it leads to, remove the link, or /) as unknown,
    }) as Error;
    expect(() => readJsonFile(file, isNamed)).toThrow(refusal);
    expect(() => writeJsonFile(file, {})).toThrow(refusal);
    expect(readdirSync(elsewhere)).toEqual([]);
    expect(readlinkSync(file)).toBe(target);
    expect(deleteFile(file)).toBe(true);
  });

  test("to a pipe or a device is refused, since that would be replaced or deleted", () => {
    const file = join(createTemporaryHome(), "file.json");
    const pipe = join(createTemporaryHome(), "pipe"); // not /dev/null: a fault here would take it from everybody
    execFileSync(pipeMaker, [pipe]);
    symlinkSync(pipe, file);
    expect(() => writeJsonFile(file, {})).toThrow("it is not a file");
    expect(() => readJsonFile(file, isNamed)).toThrow("it is not a file");
    deleteFile(file);
    expect(lstatSync(pipe).isFIFO()).toBe(true);
  });
});
