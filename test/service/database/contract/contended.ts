import * as vitest from "vitest";

const { describe: begin, test: add } = vitest;

let isContendedOnly = false;
let path: string[] = [];

/** Calls the contracts so that only their tests of what contends run. */
export function registerContended(register: () => void): void {
  isContendedOnly = true;
  test = noTest;
  register();
  test = add;
  isContendedOnly = false;
}

const noTest = Object.assign(() => {}, {
  each: () => () => {},
  for: () => () => {},
}) as unknown as typeof add;

/** A test of one request after the other, which an isolation level cannot change. */
export let test = add;

/** A test of what several requests or processes do at once. */
export function contended(name: string, run: () => Promise<void>): void {
  add([...path, name].join(" "), run);
}

/** As Vitest's, but without a group of its own where that might have no test. */
export function describe(name: string, register: () => void): void {
  if (!isContendedOnly) {
    begin(name, register);
    return;
  }
  path.push(name);
  register();
  path = path.slice(0, -1);
}
