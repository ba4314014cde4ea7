import { expect, test } from "vitest";
import { createChildEnvironment } from "../../src/runtime/child-programs.ts";

test("a child process gets every variable but this program's own", () => {
  const others = {
    PATH: "/bin",
    LANG: "C",
    HOME: "/",
    HTTPS_PROXY: "p",
    PGP_KEY: "k",
    payments: "1",
  };
  const own = { PAYMENTS_API_KEY: "k", PAYMENTS_ANYTHING: "", PGPASSWORD: "p", PGHOST: "h" };
  const onWindows = { Payments_Api_Key: "k", PgPassword: "p" };
  expect(createChildEnvironment({ ...own, ...others, ...onWindows })).toEqual(others);
});
