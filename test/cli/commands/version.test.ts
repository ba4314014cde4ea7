import { expect, test } from "vitest";
import manifest from "../../../package.json" with { type: "json" };
import { runPayments } from "../../testkit/command/run-payments.ts";

test.each(["--version", "-v", "-V", "version"])("%s prints the version", async (flag) => {
  expect(await runPayments([flag])).toEqual({
    stdout: `${manifest.name}/${manifest.version} ${process.platform}-${process.arch} node-${process.version}\n`,
    stderr: "",
    exitCode: 0,
  });
});
