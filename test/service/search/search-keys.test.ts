import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  countBelow,
  cutKeys,
  joinKeys,
  markCommon,
  takeMarked,
} from "../../../src/service/search/search-keys.ts";

const key = fc.integer({ min: 0, max: 60 });
const keyList = fc
  .uniqueArray(key, { maxLength: 40 })
  .map((keys) => new Float64Array(keys).toSorted());

test("a list is cut at a bound, and to a range", () => {
  const cases = fc.property(keyList, key, key, (keys, low, high) => {
    expect(countBelow(keys, low)).toBe(keys.filter((each) => each < low).length);
    const range = keys.filter((each) => each >= low && each <= high);
    expect([...cutKeys(keys, { low, high })]).toEqual([...range]);
  });
  fc.assert(cases);
});

test("lists are joined in order, each key once", () => {
  const cases = fc.property(fc.array(keyList, { maxLength: 4 }), (lists) => {
    const all = new Set(lists.flatMap((keys) => [...keys]));
    expect([...joinKeys(lists)]).toEqual([...all].toSorted((a, b) => a - b));
  });
  fc.assert(cases);
});

test("keys that stand in one of several lists are taken", () => {
  const cases = fc.property(keyList, fc.array(keyList, { maxLength: 3 }), (keys, others) => {
    const marks = new Uint8Array(keys.length);
    for (const other of others) markCommon(keys, other, marks);
    const expected = keys.filter((each) => others.some((other) => other.includes(each)));
    expect([...takeMarked(keys, marks)]).toEqual([...expected]);
  });
  fc.assert(cases);
});
