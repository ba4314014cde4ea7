import { once } from "node:events";
import { expect, test } from "vitest";
import { spawnPayments, temporaryFolder } from "./installed-command.ts";

test("a service and a command use what Node has compiled for the other", async () => {
  const home = temporaryFolder();
  const variables = { TMPDIR: home, NODE_DEBUG_NATIVE: "COMPILE_CACHE" };
  const told = async (...argv: string[]) => {
    const child = spawnPayments(home, argv, variables);
    let stderr = "";
    child.stderr?.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
    child.stdout?.once("data", () => child.kill("SIGTERM")); // a service that listens; a command is ending
    await once(child, "close");
    return stderr;
  };
  const service = ["serve", "--port", "0"];
  await told(...service);
  await told("list", "--json");
  const [again, anew] = [await told(...service), await told("list", "--json")];
  for (const stderr of [again, anew]) {
    expect(stderr).toContain("was accepted");
    expect(stderr.split("\n").filter((line) => line.includes("was rejected"))).toEqual([]);
  }
});
