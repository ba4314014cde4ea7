import { expect, test } from "vitest";
import { isStatusFilter, parseStatusFilter } from "../../src/contract/field-values.ts";

test.for<[string, number[]]>([
  ["404", [404]],
  ["2xx", [200, 201]],
  ["5xx,404,500", [404, 500, 503]],
  ["3xx", []],
])("the filter %s names %j", ([text, statuses]) => {
  expect(isStatusFilter(text)).toBe(true);
  expect(parseStatusFilter(text)).toEqual(statuses);
});

test.for(["", "4", "4x", "xxx", "1xx", "600", "404,", "404, 500", "4xx;5xx", "4XX"])(
  "%j is no filter",
  (text) => {
    expect(isStatusFilter(text)).toBe(false);
  },
);
