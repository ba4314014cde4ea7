import { describe, expect, test } from "vitest";
import { render, type Renderable } from "../../../src/cli/output/write-output.ts";

const records = [{ id: "1" }, { id: "2" }];
const result: Renderable = {
  value: { object: "list", data: records },
  records,
  columns: ["id"],
  text: () => "ID\n1\n2",
};

describe("data", () => {
  test.each([
    ["table", "ID\n1\n2"],
    ["json", '{"object":"list","data":[{"id":"1"},{"id":"2"}]}'],
    ["ndjson", '{"id":"1"}\n{"id":"2"}'],
    ["csv", "id\n1\n2"],
  ] as const)("as %s", (format, expected) => {
    expect(render(result, format, { indented: false })).toBe(expected);
  });

  test("without records is empty as JSON lines, and the heading as CSV", () => {
    const none = { ...result, records: [] };
    expect(render(none, "ndjson", { indented: false })).toBe("");
    expect(render(none, "csv", { indented: false })).toBe("id");
  });

  test("is indented for a person, except for JSON lines", () => {
    expect(render(result, "json", { indented: true })).toContain('\n  "object"');
    expect(render(result, "ndjson", { indented: true })).toBe('{"id":"1"}\n{"id":"2"}');
  });
});
