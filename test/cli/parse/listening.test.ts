import { describe, expect, test } from "vitest";
import { parseListenFlags } from "../../../src/cli/parse/endpoint-flags.ts";

const nowMs = 1_794_744_000_000;
const none = { "only-new": false, name: "default" };
const of = (flags: Partial<Parameters<typeof parseListenFlags>[0]>) =>
  parseListenFlags({ ...none, ...flags }, nowMs);

describe("the events of listen", () => {
  test("are all, from the last stop on, by default", () => {
    expect(of({})).toEqual({ events: ["*"], from: {}, forwardTo: undefined, name: "default" });
  });

  test.each([
    [
      ["payment.refunded", "payment.failed", "payment.failed"],
      ["payment.failed", "payment.refunded"],
    ],
    [["payment.failed", "*"], ["*"]],
  ])("are the events %j, as the API has them", (events, expected) => {
    expect(of({ events }).events).toEqual(expected);
  });

  test("start at a time, or are only new ones", () => {
    expect(of({ since: "1h" }).from).toEqual({ since: nowMs / 1000 - 3600 });
    expect(of({ "only-new": true }).from).toEqual({ only_new: true });
  });

  test.each(["payment.faild", "payment", ""])("do not include %j", (type) => {
    expect(() => of({ events: [type] })).toThrow(
      /^--events must be payment\.pending, .+, or '\*' for all/,
    );
  });
});

describe("the address to forward to", () => {
  test("may be on any machine", () => {
    expect(of({ "forward-to": "http://10.0.0.1:3000/hooks?x=1" }).forwardTo?.href).toBe(
      "http://10.0.0.1:3000/hooks?x=1",
    );
  });

  test.each(["localhost:3000", "3000", "ftp://x/", "http://user:hunter2@127.0.0.1/", ""])(
    "may not be %j, and the error does not repeat it",
    (url) => {
      expect(() => of({ "forward-to": url })).toThrow(/^--forward-to must be an http or https/);
      expect(() => of({ "forward-to": url })).not.toThrow(/hunter2/);
    },
  );
});
