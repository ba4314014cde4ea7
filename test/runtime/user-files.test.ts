import { mkdirSync, realpathSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { describeFsError, expandHome, findFile, makeFolder } from "../../src/runtime/user-files.ts";
import { createTemporaryHome } from "../testkit/temporary.ts";

describe("a folder is made", () => {
  test("with those above it, for its owner alone", () => {
    const home = createTemporaryHome();
    makeFolder(join(home, "a", "b", "c"));
    for (const folder of ["a", "a/b", "a/b/c"]) {
      expect(statSync(join(home, folder)).mode & 0o777).toBe(0o700);
    }
    makeFolder(join(home, "a", "b", "c"));
  });

  test("through a link to a folder", () => {
    const home = createTemporaryHome();
    symlinkSync(createTemporaryHome(), join(home, "link"));
    makeFolder(join(home, "link", "a"));
    expect(statSync(join(home, "link", "a")).isDirectory()).toBe(true);
  });

  test.each(["file", "file/a", "none", "none/a"])(
    "but not at %s, which cannot have one",
    (name) => {
      const home = createTemporaryHome();
      writeFileSync(join(home, "file"), "");
      symlinkSync(join(home, "nowhere"), join(home, "none"));
      expect(findFailure(() => makeFolder(join(home, name)))).toBe(
        "a part of its path is not a folder",
      );
    },
  );
});

describe("a path that no shell has seen", () => {
  test.each([
    ["~", homedir()],
    ["~/", `${homedir()}/`],
    ["~/pay/pay.db", `${homedir()}/pay/pay.db`],
    ["./~/pay.db", "./~/pay.db"],
    ["/srv/~/pay.db", "/srv/~/pay.db"],
    ["~$books.csv", "~$books.csv"],
    ["~copy.db", "~copy.db"],
    ["pay.db~", "pay.db~"],
    ["", ""],
  ])("%j is %j", (path, expanded) => {
    expect(expandHome(path)).toBe(expanded);
  });

  test.each(["~ada/pay.db", "~ada", "~_svc-1/x"])(
    "%j is another user's home, which is refused, and not made as a folder",
    (path) => {
      expect(() => expandHome(path)).toThrow(
        expect.objectContaining({
          name: "ConfigError",
          message: "A path that begins with ~NAME is expanded by a shell only. Nothing was done.",
          hint: "Write that user's home in full; a file of that name is ./~NAME.",
        }),
      );
    },
  );
});

describe("the file at a path", () => {
  test("is found, also behind links", () => {
    const home = createTemporaryHome();
    const file = join(home, "file");
    writeFileSync(file, "");
    symlinkSync("file", join(home, "link"));
    symlinkSync("link", join(home, "second"));
    expect(["file", "link", "second"].map((name) => findFile(join(home, name)))).toEqual(
      Array.from({ length: 3 }, () => realpathSync(file)),
    );
  });

  test("is undefined if there is none", () => {
    expect(findFile(join(createTemporaryHome(), "none"))).toBeUndefined();
    expect(findFile(join(createTemporaryHome(), "none", "none"))).toBeUndefined();
  });

  test.each([
    ["folder", "it is a folder"],
    ["dead", "it is a link that leads nowhere"],
    ["circle", "its links lead in a circle"],
    ["file/below", "a part of its path is not a folder"],
    ["device", "it is not a file"],
    ["x".repeat(1_000), "its path is too long"],
  ])("is no file: %s", (name, reason) => {
    const home = createTemporaryHome();
    mkdirSync(join(home, "folder"));
    writeFileSync(join(home, "file"), "");
    symlinkSync("nowhere", join(home, "dead"));
    symlinkSync("circle", join(home, "circle"));
    symlinkSync("/dev/null", join(home, "device"));
    expect(findFailure(() => findFile(join(home, name)))).toBe(reason);
  });
});

test.each([
  ["ENOSPC", "the disk is full"],
  ["EDQUOT", "the disk is full"],
  ["EROFS", "its disk can only be read"],
  ["EACCES", "this user may not read or write it"],
])("%s means that %s", (code, reason) => {
  expect(describeFsError(Object.assign(new Error(code), { code }))).toMatchObject({
    reason,
    remedy: expect.stringMatching(/^(?:Make|Check) /) as unknown,
  });
});

function findFailure(work: () => unknown): string | undefined {
  try {
    work();
  } catch (error) {
    return describeFsError(error).reason;
  }
  return undefined;
}
