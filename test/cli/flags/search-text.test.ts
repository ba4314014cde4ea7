import { describe, expect, test } from "vitest";
import { checkSearchText, describeSearch } from "../../../src/cli/flags/checked-values.ts";
import { someKeys } from "../../testkit/temporary.ts";

describe("a typed text", () => {
  test.each([
    "ada",
    "  ada  books ",
    "ORD-1001",
    "49.99",
    "4242-4242-4242-4242abcdefab",
    "a".repeat(200),
  ])("is searched: %j", (typed) => {
    expect(checkSearchText(typed)).toEqual({ kind: "search", search: typed.trim() });
  });

  test.each([
    ["", "blank"],
    [" \t", "blank"],
    ["--", "not_searchable"],
    ["a b c d e f g h i", "not_searchable"],
    ["a".repeat(201), "not_searchable"],
    ["a\0", "not_searchable"],
    [someKeys.test, "not_searchable"],
    [`x ${someKeys.live.toUpperCase()}`, "not_searchable"],
    ["4242424242424242", "card_number"],
    ["ada 4242-4242-4242-4242", "card_number"],
  ])("is not sent: %j, because it is %s", (typed, kind) => {
    expect(checkSearchText(typed)).toEqual({ kind });
  });
});

describe("where an id is expected, the hint", () => {
  test.each(["ada", "Ada Lovelace", "ada@example.com", "o'brien", "9def-0123456789ab"])(
    "repeats what can be searched: %s",
    (typed) => {
      expect(describeSearch(` ${typed} `)).toMatch(`: payments list --search "${typed}"`);
    },
  );

  test.each([
    "",
    "--",
    "4242424242424242",
    "4539.5787.6362.1486",
    "424242424242424",
    "$(rm x)",
    "`rm x`",
    'a" b',
    "a\\",
    "a!!",
    "a\nb",
    "a\u202Eb",
    someKeys.test,
  ])("does not repeat %j", (typed) => {
    expect(describeSearch(typed)).toMatch(/: payments list --search "WORDS"$/);
  });
});
