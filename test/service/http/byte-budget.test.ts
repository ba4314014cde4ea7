import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { createByteBudget } from "../../../src/service/http/byte-budget.ts";

const MiB = 1024 * 1024;

/** A room, and who has entered it by now, in their order; each is an owner by itself, unless its name has one before a dash. */
function openRoom(limit: number, isAccepting = () => false) {
  const room = createByteBudget(limit, isAccepting);
  const entered: string[] = [];
  const refused: string[] = [];
  const enter = (name: string, bytes: number, response = new EventEmitter() as ServerResponse) =>
    void room
      .reserve(bytes, ownerOf(name), response)
      .then((hasRoom) => (hasRoom ? entered : refused).push(name));
  const change = (bytes: number) => room.change(bytes, "somebody");
  const came = (name: string, kept: number, bytes: number) =>
    room.settle(kept, bytes, ownerOf(name));
  return { room, entered, refused, enter, change, came };
}

function ownerOf(name: string): string {
  return name.split("-", 1)[0] ?? "";
}

const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn++) await new Promise(setImmediate);
};

test("a request that finds no room waits until there is some, the smallest first", async () => {
  const { entered, enter, change, came } = openRoom(4 * MiB);
  change(3.75 * MiB);
  enter("large", MiB);
  enter("small", MiB / 2 + 1);
  enter("smaller", MiB / 2);
  await turns(1);
  expect(entered).toEqual([]);
  change(-1.25 * MiB);
  await turns(1);
  expect(entered).toEqual(["smaller", "small"]);
  came("smaller", MiB / 2, 0);
  came("small", MiB / 2 + 1, 0); // they turned out to need nothing
  await turns(1);
  expect(entered).toEqual(["smaller", "small"]);
  change(-MiB / 2);
  await turns(1);
  expect(entered).toEqual(["smaller", "small", "large"]);
});

test("the largest requests leave a quarter to all others", async () => {
  const { room, entered, enter } = openRoom(4 * MiB);
  for (const name of ["a", "b", "c", "d"]) enter(name, MiB);
  await turns(1);
  expect(entered).toEqual(["a", "b", "c"]);
  enter("small", MiB - 1);
  await turns(1);
  expect(entered).toEqual(["a", "b", "c", "small"]);
  expect(room.hasRoomFor(1)).toBe(true);
  expect(room.hasRoomFor(2)).toBe(false);
});

test("one owner leaves a quarter of what there is for it to others", async () => {
  const { room, entered, enter } = openRoom(4 * MiB);
  for (let nth = 1; nth <= 8; nth++) enter(`a-${nth}`, MiB / 2);
  await turns(1);
  expect(entered).toHaveLength(6);
  expect(room.hasRoomFor(MiB / 2)).toBe(true);
  enter("b", MiB / 2);
  await turns(1);
  expect(entered.slice(6)).toEqual(["b"]);

  const { room: bodies } = openRoom(4 * MiB);
  bodies.change(1.5 * MiB, "a");
  expect(["a", "b"].map((owner) => bodies.hasRoomForBody(1, owner))).toEqual([false, true]);
});

test("of waiting requests, the one whose owner would use the least goes first", async () => {
  const { room, entered, enter, change } = openRoom(4 * MiB);
  room.change(MiB, "a");
  change(2.75 * MiB);
  enter("a-small", MiB / 2);
  enter("b-large", MiB - 1);
  enter("b-later", MiB / 2);
  await turns(1);
  change(-2.75 * MiB);
  await turns(1);
  expect(entered).toEqual(["b-later", "b-large", "a-small"]);
});

test("no more than 8 MiB are on their way into memory at once, however much room there is", async () => {
  const { entered, enter, came } = openRoom(1024 * MiB);
  for (let nth = 1; nth <= 10; nth++) enter(String(nth), MiB);
  await turns(1);
  expect(entered).toHaveLength(6);
  came("1", MiB, MiB);
  await turns(1);
  expect(entered).toHaveLength(7);
});

test("a request whose client has left waits no more, nor does the largest of more than a thousand", async () => {
  const { entered, refused, enter, change } = openRoom(MiB);
  change(MiB);
  const leaving = new EventEmitter() as ServerResponse;
  enter("gone", 1, leaving);
  for (let nth = 0; nth < 999; nth++) enter("a-waiting", 2);
  leaving.emit("close");
  await turns(1);
  expect(refused).toEqual(["gone"]);
  enter("a-large", 4);
  enter("a-late", 3);
  await turns(1);
  expect(refused).toEqual(["gone", "a-large"]);
  change(-MiB);
  await turns(1);
  expect(entered).toHaveLength(1_000);
});

test("of more than a thousand the largest one gives up, of the owner with the largest queue", async () => {
  const { refused, enter, change } = openRoom(MiB);
  change(MiB);
  for (let nth = 0; nth < 999; nth++) enter("a-small", 2);
  enter("a-large", 3);
  enter("b", MiB);
  await turns(1);
  enter("c", 4);
  await turns(1);
  expect(refused).toEqual(["b", "a-large"]);
});

test("new connections come before waiting requests, for a while", async () => {
  let accepted = 0;
  const { entered, enter, change } = openRoom(MiB, () => accepted-- > 0);
  change(MiB);
  enter("waiting", MiB / 2);
  accepted = 3;
  change(-MiB);
  await turns(1);
  expect(entered).toEqual([]);
  await turns(3);
  expect(entered).toEqual(["waiting"]);

  accepted = Infinity; // who keeps connecting does not keep the others waiting for ever
  change(MiB / 2);
  enter("also waiting", MiB / 2);
  change(-MiB / 2);
  await turns(200);
  expect(entered).toEqual(["waiting", "also waiting"]);
});
