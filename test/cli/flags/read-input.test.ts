import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readInput, readJsonObject } from "../../../src/cli/flags/read-input.ts";
import { describeReadError } from "../../../src/cli/flags/read-text.ts";
import { createTemporaryHome } from "../../testkit/temporary.ts";

// Standard input is tested on the command: see test/commands/create-input.test.ts.

function writeTemporaryFile(content: string | Uint8Array): string {
  const file = join(createTemporaryHome(), "input.json");
  writeFileSync(file, content);
  return file;
}

describe("a file", () => {
  test("is read as UTF-8", async () => {
    expect(await readInput(writeTemporaryFile("Zoë 😀".repeat(50_000)), "--data")).toBe(
      "Zoë 😀".repeat(50_000),
    );
  });

  test("is read in UTF-16, as PowerShell writes it", async () => {
    const content = Buffer.from('\ufeff{"description":"Zoë"}\r\n', "utf16le");
    expect(await readJsonObject(writeTemporaryFile(content), "--data")).toEqual({
      description: "Zoë",
    });
  });

  test("in another encoding is a usage error with the command that converts it", async () => {
    const content = Buffer.from('{\n"description":"Zo\xeb"}', "latin1");
    await expect(readInput(writeTemporaryFile(content), "--data")).rejects.toMatchObject({
      exitCode: 2,
      message: "--data is not text in UTF-8: see line 2.",
      hint: expect.stringContaining("iconv -f WINDOWS-1252 -t UTF-8 FILE > NEWFILE") as string,
    });
  });

  test("that does not exist is a usage error, which does not repeat its name", async () => {
    await expect(readInput('{"number":"4242424242424242"}', "--data")).rejects.toMatchObject({
      exitCode: 2,
      message: "--data cannot be read: there is no such file.",
    });
  });

  test("may have at most 1 MiB", async () => {
    const mebibyte = 1024 * 1024;
    expect(await readInput(writeTemporaryFile("x".repeat(mebibyte)), "--data")).toHaveLength(
      mebibyte,
    );
    await expect(
      readInput(writeTemporaryFile("x".repeat(mebibyte + 1)), "--data"),
    ).rejects.toMatchObject({
      exitCode: 2,
      message: "--data is larger than 1 MiB.",
    });
  });

  test("without an end is not read to the end", async () => {
    await expect(readInput("/dev/zero", "--data")).rejects.toMatchObject({
      message: "--data is larger than 1 MiB.",
    });
  });
});

describe("a JSON object", () => {
  test("is read completely", async () => {
    const object = { amount: 4999, card: { number: "4242" }, unknown: null };
    expect(await readJsonObject(writeTemporaryFile(JSON.stringify(object)), "--data")).toEqual(
      object,
    );
  });

  test.each([
    ["", "line 1, column 1: it is empty."],
    ["{", "line 1, column 1: it ends before the { that begins here is closed."],
    ["amount=4999", "line 1, column 1: a text must stand in double quotes."],
    ['{"amount":1}{"amount":2}', "line 1, column 13: nothing may follow the end of the value."],
    [
      '{\n  "number": "4242424242424242"\n  "cvc": "123"\n}',
      "line 3, column 3: a comma is missing before this.",
    ],
  ])("is not %j, and the error does not repeat it", async (content, place) => {
    await expect(readJsonObject(writeTemporaryFile(content), "--card-file")).rejects.toMatchObject({
      exitCode: 2,
      message: `--card-file does not hold valid JSON: ${place}`,
    });
  });

  test.each([
    [
      "nothing but brackets",
      (levels: number) => `{"a":${"[".repeat(levels)}${"]".repeat(levels)}}`,
    ],
    [
      "a number with a point beside it, which is read in another way",
      (levels: number) => `{"n":1.5,"a":${"[".repeat(levels)}${"]".repeat(levels)}}`,
    ],
  ])("is refused where it is nested too deeply to be sent: %s", async (_, nest) => {
    await expect(readJsonObject(writeTemporaryFile(nest(100_000)), "--data")).rejects.toMatchObject(
      {
        exitCode: 2,
        message: "--data must hold a JSON object of at most 100 levels.",
      },
    );
    expect(await readJsonObject(writeTemporaryFile(nest(99)), "--data")).toHaveProperty("a");
  });

  test.each(["null", "[]", "4242424242424242", '"text"', "true"])("is not %s", async (content) => {
    await expect(readJsonObject(writeTemporaryFile(content), "--card-file")).rejects.toMatchObject({
      exitCode: 2,
      message: "--card-file must hold a JSON object.",
    });
  });
});

test.each([
  ["/nowhere/svc_live_sk_1", "there is no such file"],
  [`${import.meta.filename}/4242424242424242`, "there is no such file"],
  [import.meta.dirname, "it is a directory"],
  ["4242".repeat(1000), "that is not the name of a file"],
  ["a\0b", "that is not the name of a file"],
])("the reason why %s cannot be read does not repeat it", (path, reason) => {
  expect(describeReadError(readFailure(path))).toBe(reason);
});

test.each([
  [Object.assign(new Error("open '4242'"), { code: "EACCES" }), "this user may not read it"],
  [Object.assign(new Error("read '4242'"), { code: "EIO" }), "the system says EIO"],
  [new Error("4242"), "the system says no"],
])("%o", (error, reason) => {
  expect(describeReadError(error)).toBe(reason);
});

function readFailure(path: string): unknown {
  try {
    return readFileSync(path);
  } catch (error) {
    return error;
  }
}
