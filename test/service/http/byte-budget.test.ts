import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { createByteBudget } from "../../../src/service/http/byte-budget.ts";

const MiB = 1024 * 1024;

/** A budget, and the requests that were admitted or refused so far. A request's owner is the part of its name before a dash. */
function openBudget(limit: number, defer = (work: () => void) => work()) {
  const budget = createByteBudget(limit, defer);
  const admitted: string[] = [];
  const refused: string[] = [];
  const reserve = (name: string, bytes: number, response = new EventEmitter() as ServerResponse) =>
    void budget
      .reserve(bytes, parseOwner(name), response)
      .then((hasRoom) => (hasRoom ? admitted : refused).push(name));
  const change = (bytes: number) => budget.change(bytes, "other");
  const settle = (name: string, reserved: number, bytes: number) =>
    budget.settle(reserved, bytes, parseOwner(name));
  return { budget, admitted, refused, reserve, change, settle };
}

function parseOwner(name: string): string {
  return name.split("-", 1)[0] ?? "";
}

const waitTurns = async (count: number) => {
  for (let turn = 0; turn < count; turn++) await new Promise(setImmediate);
};

test("requests wait until there is budget, and the smallest is admitted first", async () => {
  const { admitted, reserve, change, settle } = openBudget(4 * MiB);
  change(3.75 * MiB);
  reserve("large", MiB);
  reserve("small", MiB / 2 + 1);
  reserve("smaller", MiB / 2);
  await waitTurns(1);
  expect(admitted).toEqual([]);
  change(-1.25 * MiB);
  await waitTurns(1);
  expect(admitted).toEqual(["smaller", "small"]);
  settle("smaller", MiB / 2, 0);
  settle("small", MiB / 2 + 1, 0); // their responses were empty
  await waitTurns(1);
  expect(admitted).toEqual(["smaller", "small"]);
  change(-MiB / 2);
  await waitTurns(1);
  expect(admitted).toEqual(["smaller", "small", "large"]);
});

test("the largest requests leave a quarter to all others", async () => {
  const { budget, admitted, reserve } = openBudget(4 * MiB);
  for (const name of ["a", "b", "c", "d"]) reserve(name, MiB);
  await waitTurns(1);
  expect(admitted).toEqual(["a", "b", "c"]);
  reserve("small", MiB - 1);
  await waitTurns(1);
  expect(admitted).toEqual(["a", "b", "c", "small"]);
  expect(budget.hasRoomFor(1)).toBe(true);
  expect(budget.hasRoomFor(2)).toBe(false);
});

test("one owner leaves a quarter of the budget to others", async () => {
  const { budget, admitted, reserve } = openBudget(4 * MiB);
  for (let nth = 1; nth <= 8; nth++) reserve(`a-${nth}`, MiB / 2);
  await waitTurns(1);
  expect(admitted).toHaveLength(6);
  expect(budget.hasRoomFor(MiB / 2)).toBe(true);
  reserve("b", MiB / 2);
  await waitTurns(1);
  expect(admitted.slice(6)).toEqual(["b"]);

  const { budget: bodies } = openBudget(4 * MiB);
  bodies.change(1.5 * MiB, "a");
  expect(["a", "b"].map((owner) => bodies.hasRoomForBody(1, owner))).toEqual([false, true]);
});

test("of waiting requests, the one whose owner would use the fewest bytes is admitted first", async () => {
  const { budget, admitted, reserve, change } = openBudget(4 * MiB);
  budget.change(MiB, "a");
  change(2.75 * MiB);
  reserve("a-small", MiB / 2);
  reserve("b-large", MiB - 1);
  reserve("b-later", MiB / 2);
  await waitTurns(1);
  change(-2.75 * MiB);
  await waitTurns(1);
  expect(admitted).toEqual(["b-later", "b-large", "a-small"]);
});

test("no more than 8 MiB are reserved at once, however large the budget is", async () => {
  const { admitted, reserve, settle } = openBudget(1024 * MiB);
  for (let nth = 1; nth <= 10; nth++) reserve(String(nth), MiB);
  await waitTurns(1);
  expect(admitted).toHaveLength(6);
  settle("1", MiB, MiB);
  await waitTurns(1);
  expect(admitted).toHaveLength(7);
});

test("a request whose client has left is refused", async () => {
  const { refused, reserve, change } = openBudget(MiB);
  change(MiB);
  const leaving = new EventEmitter() as ServerResponse;
  reserve("gone", 1, leaving);
  leaving.emit("close");
  await waitTurns(1);
  expect(refused).toEqual(["gone"]);
});

test("a thousand requests wait at most, of which one owner leaves a quarter to others", async () => {
  const { admitted, refused, reserve, change } = openBudget(MiB);
  change(MiB);
  for (let nth = 0; nth < 751; nth++) reserve("a", 2);
  reserve("b", 2);
  await waitTurns(1);
  expect(refused).toEqual(["a"]);
  change(-MiB);
  await waitTurns(1);
  expect(admitted).toHaveLength(751);
});

test("new connections come before waiting requests", async () => {
  const deferred: (() => void)[] = [];
  const { admitted, reserve, change } = openBudget(MiB, (work) => deferred.push(work));
  change(MiB);
  reserve("waiting", MiB / 2);
  change(-MiB);
  change(1);
  await waitTurns(1);
  expect(admitted).toEqual([]);
  expect(deferred).toHaveLength(1);
  deferred[0]?.();
  await waitTurns(1);
  expect(admitted).toEqual(["waiting"]);
});
