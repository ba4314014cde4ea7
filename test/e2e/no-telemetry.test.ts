import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import {
  createKey,
  createTemporaryFolder,
  spawnPayments,
  startServingWith,
} from "../testkit/command/installed-command.ts";
import { openUntilFileEnds } from "../testkit/open-until-file-ends.ts";

const recorder = fileURLToPath(new URL("../programs/record-connections.cjs", import.meta.url));
const createCard = ["--amount", "4999", "--currency", "eur", "--test-card", "visa"];

/** Variables that have each process of the command record its connections, and a reader of what it recorded. */
function recordConnections() {
  const file = join(createTemporaryFolder(), "connections");
  return {
    variables: { NODE_OPTIONS: `--require=${recorder}`, CONNECTIONS_FILE: file },
    read: () =>
      existsSync(file)
        ? readFileSync(file, "utf8")
            .trimEnd()
            .split("\n")
            .map((line) => JSON.parse(line) as { to?: string; name?: string })
        : [],
  };
}

async function run(home: string, variables: Record<string, string>, argv: string[]) {
  const child = spawnPayments(home, argv, variables);
  child.stdin?.end();
  child.stdout?.resume();
  child.stderr?.resume();
  const [status] = (await once(child, "close")) as [number | null];
  return status;
}

it("opens no connection at all on the embedded service", async () => {
  const { variables, read } = recordConnections();
  const home = createTemporaryFolder();
  expect(await run(home, variables, ["create", ...createCard])).toBe(0);
  expect(await run(home, variables, ["list", "--all", "-o", "ndjson"])).toBe(0);
  expect(await run(home, variables, ["help"])).toBe(0);
  expect(await run(home, variables, ["--version"])).toBe(0);
  expect(await run(home, variables, ["lst"])).toBe(2);
  expect(await run(home, variables, ["get", "pay_unknown-1"])).toBe(5);
  expect(read()).toEqual([]);
});

it("connects to the service alone, from a login to a refusal, and the service connects to nobody", async () => {
  const ofCommands = recordConnections();
  const ofService = recordConnections();
  const home = createTemporaryFolder();
  const { key } = await createKey(home);
  const { url } = await startServingWith(ofService.variables, home, "--dashboard");
  const variables = {
    ...ofCommands.variables,
    PAYMENTS_BASE_URL: url,
    PAYMENTS_API_KEY: key,
  };
  expect(await run(home, variables, ["create", ...createCard])).toBe(0);
  const hosted = ["create", "--hosted", "--amount", "4999", "--currency", "eur"];
  expect(await run(home, variables, hosted)).toBe(0);
  expect(await run(home, variables, ["list"])).toBe(0);
  expect(await run(home, variables, ["whoami"])).toBe(0);
  expect(await run(home, variables, ["report"])).toBe(0);
  expect(await run(home, variables, ["get", "pay_unknown-1"])).toBe(5);
  const seen = ofCommands.read();
  expect(seen.length).toBeGreaterThanOrEqual(5);
  expect(seen.filter(({ to }) => to !== new URL(url).host)).toEqual([]);
  expect(ofService.read()).toEqual([{ name: "127.0.0.1" }]); // it looks up where it is to listen
});

it("would see a connection that goes elsewhere", async () => {
  const elsewhere = createServer((socket) => socket.destroy());
  elsewhere.listen(0, "127.0.0.1");
  await once(elsewhere, "listening");
  openUntilFileEnds(() => elsewhere.close());
  const address = elsewhere.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const { variables, read } = recordConnections();
  const reporting = `fetch("http://localhost:${port}").catch(() => {})`;
  const program = `data:text/javascript,${encodeURIComponent(reporting)}`;
  const loaded = { ...variables, NODE_OPTIONS: `${variables.NODE_OPTIONS} --import=${program}` };
  await run(createTemporaryFolder(), loaded, ["--version"]);
  expect(read()).toContainEqual({ name: "localhost" });
});
