import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { byteRoom } from "../../../src/service/http/byte-room.ts";

const MiB = 1024 * 1024;

/** A room, and who has entered it by now, in their order. */
function openRoom(limit: number, isAccepting = () => false) {
  const room = byteRoom(limit, isAccepting);
  const entered: string[] = [];
  const refused: string[] = [];
  const enter = (name: string, bytes: number, response = new EventEmitter() as ServerResponse) =>
    void room.enter(bytes, response).then((hasRoom) => (hasRoom ? entered : refused).push(name));
  return { room, entered, refused, enter };
}

const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn++) await new Promise(setImmediate);
};

test("what finds no room waits until some is given back, whoever needs the least first", async () => {
  const { room, entered, enter } = openRoom(4 * MiB);
  room.change(3.75 * MiB);
  enter("large", MiB);
  enter("small", MiB / 2 + 1);
  enter("smaller", MiB / 2);
  await turns(1);
  expect(entered).toEqual([]);
  room.change(-1.25 * MiB);
  await turns(1);
  expect(entered).toEqual(["smaller", "small"]);
  room.came(MiB / 2, 0);
  room.came(MiB / 2 + 1, 0); // they turned out to need nothing
  await turns(1);
  expect(entered).toEqual(["smaller", "small"]);
  room.change(-MiB / 2);
  await turns(1);
  expect(entered).toEqual(["smaller", "small", "large"]);
});

test("those who ask for the most leave a quarter to all the others", async () => {
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

test("no more than 8 MiB are on their way into memory at once, however much room there is", async () => {
  const { room, entered, enter } = openRoom(1024 * MiB);
  for (let nth = 1; nth <= 10; nth++) enter(String(nth), MiB);
  await turns(1);
  expect(entered).toHaveLength(6);
  room.came(MiB, MiB);
  await turns(1);
  expect(entered).toHaveLength(7);
});

test("one who has left waits no more, nor does the largest of more than a thousand", async () => {
  const { room, entered, refused, enter } = openRoom(MiB);
  room.change(MiB);
  const leaving = new EventEmitter() as ServerResponse;
  enter("gone", 1, leaving);
  for (let nth = 0; nth < 999; nth++) enter("waiting", 2);
  leaving.emit("close");
  await turns(1);
  expect(refused).toEqual(["gone"]);
  enter("large", 4);
  enter("late", 3);
  await turns(1);
  expect(refused).toEqual(["gone", "large"]);
  room.change(-MiB);
  await turns(1);
  expect(entered).toHaveLength(1_000);
});

test("new connections come before those who wait, for a while", async () => {
  let accepted = 0;
  const { room, entered, enter } = openRoom(MiB, () => accepted-- > 0);
  room.change(MiB);
  enter("waiting", MiB / 2);
  accepted = 3;
  room.change(-MiB);
  await turns(1);
  expect(entered).toEqual([]);
  await turns(3);
  expect(entered).toEqual(["waiting"]);

  accepted = Infinity; // who keeps connecting does not keep the others waiting for ever
  room.change(MiB / 2);
  enter("also waiting", MiB / 2);
  room.change(-MiB / 2);
  await turns(200);
  expect(entered).toEqual(["waiting", "also waiting"]);
});
