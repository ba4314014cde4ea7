import { describe, expect, test } from "vitest";
import { json, scriptedServer } from "../../../testkit/client/scripted-server.ts";
import { deliveryWith, endpointWith, listWith } from "../../../testkit/webhook-objects.ts";
import { eventWith } from "../../../testkit/event-with.ts";
import { createServiceEnv, runPayments, type Ran } from "../../../testkit/command/run-payments.ts";

const { id } = endpointWith();
const event = eventWith().id;
const url = "https://shop.example/hooks";
const secret = "whsec_c2VjcmV0";

async function runAnswered(answer: object, ...args: string[]): Promise<Ran> {
  const server = await scriptedServer(json(200, answer));
  return await runPayments(args, { env: { ...createServiceEnv(server.url), TZ: "UTC" } });
}

describe.concurrent("in text output", () => {
  test("create shows the secret, and notes that it is shown only once", async () => {
    const ran = await runAnswered(endpointWith({ secret }), "webhooks", "create", "--url", url);
    expect(ran.stdout).toMatch(
      new RegExp(`^Endpoint +${id}\nURL +${url}\n(?:.+\n)*Secret +${secret}\n`),
    );
    expect(ran.stderr).toBe("Store the secret now: it is not shown again.\n");
    expect(ran.exitCode).toBe(0);
  });

  test.each([
    ["24h", "The old secret signs as well for another 24h.\n"],
    ["0h", "The old secret no longer signs.\n"],
  ])("roll --overlap %s says how long the old secret signs", async (overlap, note) => {
    const args = ["webhooks", "roll", id, "--overlap", overlap];
    const ran = await runAnswered(endpointWith({ secret }), ...args);
    expect(ran.stdout).toContain(secret);
    expect(ran.stderr).toBe(`Store the secret now: it is not shown again.\n${note}`);
  });

  test("create and roll print the secret as CSV, and accept it in --fields", async () => {
    const created = endpointWith({ secret });
    const asCsv = await runAnswered(created, "webhooks", "create", "--url", url, "-o", "csv");
    expect(asCsv.stdout).toBe(
      `id,object,url,events,description,status,disabled_reason,secret,created,livemode\n${id},webhook_endpoint,${url},"[""*""]",,enabled,,${secret},1794744000,false\n`,
    );
    const field = await runAnswered(
      created,
      "webhooks",
      "roll",
      id,
      "--fields",
      "secret",
      "--json",
    );
    expect(field).toEqual({ stdout: `{"secret":"${secret}"}\n`, stderr: "", exitCode: 0 });
  });

  test("list shows the endpoints without secrets, and notes if there are none", async () => {
    const listed = listWith("/v1/webhook_endpoints", endpointWith());
    const ran = await runAnswered(listed, "webhooks", "list");
    expect(ran).toMatchObject({ stderr: "", exitCode: 0 });
    expect(ran.stdout).toMatch(/^ID +URL +STATUS +EVENTS +CREATED +DESCRIPTION\nwe_/);
    expect((await runAnswered(listed, "webhooks", "list", "-o", "csv")).stdout).not.toContain(
      "secret",
    );
    expect(await runAnswered(listWith("/v1/webhook_endpoints"), "webhooks", "list")).toEqual({
      stdout: "",
      stderr: "No endpoints. Make one with payments webhooks create.\n",
      exitCode: 0,
    });
  });

  test("deliveries and resend show a table of deliveries", async () => {
    const some = listWith(`/v1/webhook_endpoints/${id}/deliveries`, deliveryWith());
    const [listed, resent] = await Promise.all([
      runAnswered(some, "webhooks", "deliveries", id),
      runAnswered(some, "events", "resend", event),
    ]);
    expect(listed).toMatchObject({ stderr: "", exitCode: 0 });
    expect(listed.stdout).toMatch(/^EVENT +STATUS +ATTEMPTS +LAST +NEXT +CREATED +TYPE +ID\nevt_/);
    expect(resent).toEqual(listed);
  });

  test("deliveries notes how to get the next page, and if there are none", async () => {
    const some = listWith(`/v1/webhook_endpoints/${id}/deliveries`, deliveryWith());
    const first = await runAnswered(
      { ...some, has_more: true },
      "webhooks",
      "deliveries",
      id,
      "--limit",
      "1",
    );
    expect(first.stderr).toBe(
      `There are older ones: --starting-after ${deliveryWith().id}, or --all\n`,
    );
    const none = await runAnswered(listWith(some.url), "webhooks", "deliveries", id);
    expect(none).toEqual({ stdout: "", stderr: "No deliveries.\n", exitCode: 0 });
  });

  test("resend notes why nothing was queued", async () => {
    expect(await runAnswered(listWith("/"), "events", "resend", event)).toEqual({
      stdout: "",
      stderr: "Nothing was queued: no endpoint is enabled. See payments webhooks list.\n",
      exitCode: 0,
    });
  });
});
