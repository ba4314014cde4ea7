import { describe, expect, test } from "vitest";
import { json, scriptedServer } from "../../../testkit/client/scripted-server.ts";
import { endpointWith } from "../../../testkit/webhook-objects.ts";
import { runInTerminal, keys, requireTerminals } from "../../../testkit/command/in-terminal.ts";
import { createServiceEnv, runPayments } from "../../../testkit/command/run-payments.ts";

const { id } = endpointWith();
const deleted = { id, object: "webhook_endpoint", deleted: true };
const question = "Delete this endpoint?";

async function serveEndpoint() {
  const server = await scriptedServer((response, request) =>
    json(200, request.method === "DELETE" ? deleted : endpointWith())(response, request),
  );
  return { ...server, methods: () => server.requests.map(({ method }) => method) };
}

/** Starts the command in a terminal. */
async function startDelete(...flags: string[]) {
  const server = await serveEndpoint();
  const env = createServiceEnv(server.url);
  return { server, terminal: runInTerminal(["webhooks", "delete", id, ...flags], { env }) };
}

describe.concurrent("payments webhooks delete", () => {
  test("shows the endpoint, and deletes it with --yes", async () => {
    const server = await serveEndpoint();
    const env = createServiceEnv(server.url);
    const ran = await runPayments(["webhooks", "delete", id, "--yes"], { env });
    expect(ran).toMatchObject({ stdout: `Deleted ${id}.\n`, exitCode: 0 });
    expect(ran.stderr).toMatch(new RegExp(`^Endpoint +${id}\nURL +https://shop`));
    expect(server.methods()).toEqual(["GET", "DELETE"]);
    const asJson = await runPayments(["webhooks", "delete", id, "--yes", "--json"], { env });
    expect(asJson).toEqual({ stdout: `${JSON.stringify(deleted)}\n`, stderr: "", exitCode: 0 });
  });
});

describe.concurrent("payments webhooks delete in a terminal", () => {
  requireTerminals();
  test("deletes after yes", async () => {
    const { server, terminal } = await startDelete();
    await terminal.appears("https://shop.example/hooks");
    await terminal.appears(`Test mode, ${server.url}.`);
    await terminal.appears(question);
    expect(server.methods()).toEqual(["GET"]);
    terminal.type(`y${keys.enter}`);
    expect(await terminal.exitCode).toBe(0);
    expect(terminal.screen()).toContain(`Deleted ${id}.`);
    expect(server.methods()).toEqual(["GET", "DELETE"]);
  });

  test.each(["n", "", keys.controlC])("deletes nothing after %j: exit 10", async (answer) => {
    const { server, terminal } = await startDelete();
    await terminal.appears(question);
    terminal.type(answer === keys.controlC ? answer : answer + keys.enter);
    expect(await terminal.exitCode).toBe(10);
    expect(terminal.screen()).toMatch(/Error:.* Canceled; nothing was (deleted|sent)\./);
    expect(server.methods()).toEqual(["GET"]);
  });

  test("does not prompt with --yes, and requires it with --no-input", async () => {
    const sure = await startDelete("--yes");
    expect(await sure.terminal.exitCode).toBe(0);
    expect(sure.terminal.screen()).not.toContain(question);
    const silent = await startDelete("--no-input");
    expect(await silent.terminal.exitCode).toBe(2);
    expect(silent.server.requests).toEqual([]);
  });
});
