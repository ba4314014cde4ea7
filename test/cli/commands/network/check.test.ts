import { beforeAll, describe, expect, test } from "vitest";
import { freePort } from "../../../testkit/sockets/tcp-proxy.ts";
import { replacePart, secret, startExampleAdapter } from "../../../testkit/documented-examples.ts";
import {
  parseError,
  parsePrinted,
  waitForEnd,
  runPayments,
  startPayments,
  type Ran,
} from "../../../testkit/command/run-payments.ts";

const env = { PAYMENTS_NETWORK_SECRET: secret };

async function check(url: string, ...flags: string[]): Promise<Ran> {
  return await runPayments(["network", "check", url, ...flags], { env });
}

describe("payments network check, of an adapter that follows the protocol", () => {
  let url = "";
  beforeAll(async () => {
    url = await startExampleAdapter();
  });

  test("prints a line with ok for each check", async () => {
    const { stdout, stderr, exitCode } = await check(url);
    expect([stderr, exitCode]).toEqual(["", 0]);
    const lines = stdout.trimEnd().split("\n");
    expect(lines).toContain("ok    a charge that is sent again is made once");
    expect(lines.at(-1)).toBe("ok    every charge is canceled or refunded");
    expect(lines.filter((line) => !line.startsWith("ok    "))).toEqual([]);
  });

  test("prints a line for each promise of a challenge, where a card is given for it", async () => {
    const flags = ["--challenge", "--challenge-card", "4000 0027 6000 3184"];
    const { stdout, stderr, exitCode } = await check(url, ...flags);
    expect([stderr, exitCode]).toEqual(["", 0]);
    const lines = stdout.trimEnd().split("\n");
    expect(lines).toContain("ok    a charge that is sent again begins one challenge");
    expect(lines.filter((line) => !line.startsWith("ok    "))).toEqual([]);
    expect((await check(url)).stdout).not.toContain("challenge");
  });

  test("fails the challenge's checks with a card that does not ask, and exits with 1", async () => {
    const flags = ["--challenge", "--challenge-card", "5555555555554444"];
    const { stdout, stderr, exitCode } = await check(url, ...flags);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^Error: The adapter fails 8 of \d+ checks\.\n$/);
    expect(stdout).toMatch(
      /^FAIL {2}a charge of the challenge's card .*: approved with the reference "charge-\S+", instead of action$/m,
    );
  });

  test("prints its object as JSON", async () => {
    const { checks, ...counted } = parsePrinted(await check(`${url}/`, "--json"));
    const every = checks as Record<string, unknown>[];
    expect(counted).toEqual({ object: "network_check", url, passed: every.length, failed: 0 });
    expect(every[1]).toEqual({
      name: "a charge that was never sent is answered with 404, unknown",
      ok: true,
      detail: "",
    });
  });
});

describe("payments network check, of an adapter that breaks the protocol", () => {
  const why = `the second answer: refunded with the reference "refund-`;
  let url = "";
  beforeAll(async () => {
    url = await startExampleAdapter(replacePart("if (!refunds.has(id))", "if (id)"));
  });

  test("prints the failed check with the reason, and exits with 1", async () => {
    const { stdout, stderr, exitCode } = await check(url);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^Error: The adapter fails 1 of \d+ checks\.\n$/);
    const failed = stdout.split("\n").filter((line) => line.startsWith("FAIL"));
    const name = "a refund is made once, also where it is sent twice at once, and again";
    expect(failed).toEqual([expect.stringContaining(`FAIL  ${name}: ${why}`)]);
  });
});

test("payments network check exits with 9 if the adapter is unreachable", async () => {
  const ran = await check(`http://127.0.0.1:${await freePort()}`, "--json");
  expect(ran.exitCode).toBe(9);
  expect(parseError(ran).message).toMatch(/^The adapter cannot be reached: .*ECONNREFUSED/);
});

test("payments network check exits with 9 if the adapter has another secret", async () => {
  const another = { PAYMENTS_NETWORK_SECRET: "another" };
  const args = ["network", "check", await startExampleAdapter(), "--json"];
  const ran = await runPayments(args, { env: another });
  expect(ran.exitCode).toBe(9);
  expect(parseError(ran).message).toBe(
    "Nothing was tried: the adapter refused the secret (HTTP 401). PAYMENTS_NETWORK_SECRET is to be the secret that the adapter was set up with.",
  );
});

test("payments network check sends no secret if certificates are not checked", async () => {
  const unchecked = { ...env, NODE_TLS_REJECT_UNAUTHORIZED: "0" };
  const ran = await runPayments(["network", "check", "https://127.0.0.1:9"], { env: unchecked });
  expect(ran).toMatchObject({ stdout: "", exitCode: 4 });
});

test("payments network check refunds everything after Ctrl-C", async () => {
  const url = await startExampleAdapter((code) =>
    [
      replacePart("const charges", "const going = Promise.withResolvers();\nconst charges"),
      replacePart(
        "async function answer(request) {",
        `async function answer(request) {
          if (request.url === "/books") return [200, [...charges.values()]];
          if (request.url === "/go") return [200, going.resolve()];`,
      ),
      replacePart(
        "return [200, charge(await json(request))]",
        "const made = charge(await json(request)); await going.promise; return [200, made]",
      ),
    ].reduce((made, step) => step(made), code),
  );
  const readBooks = async () => (await fetch(`${url}/books`)).text();
  const child = startPayments(["network", "check", url], { env });
  const ended = waitForEnd(child);
  await expect.poll(readBooks).toContain("approved");
  child.kill("SIGINT");
  await fetch(`${url}/go`);
  const { stdout, exitCode } = await ended;
  expect(exitCode).toBe(130);
  expect(stdout).toMatch(/^ok    every charge is canceled or refunded$/m);
  expect(await readBooks()).not.toContain("approved");
});
