import { expect } from "vitest";
import type { Event } from "../../../src/contract/event.ts";
import { body, declining, listening, requestJson } from "../client/running-service.ts";
import { type Answer, scriptedServer } from "../client/scripted-server.ts";
import { openUntilFileEnds } from "../open-until-file-ends.ts";
import { createTemporaryHome } from "../temporary.ts";
import { listenPayments } from "./running-commands.ts";
import { createServiceEnv, runPayments } from "./run-payments.ts";

export type Shop = Awaited<ReturnType<typeof startShop>>;

/** A service, and the environment of commands of one home that use it. */
export async function startShop() {
  const server = await listening({ processingTimeMs: 50 }, {}, openUntilFileEnds);
  const options = { home: createTemporaryHome(), env: createServiceEnv(server.url, server.key) };
  const callApi = async (path: string, method: string, json?: object) => {
    const headers = {
      authorization: `Bearer ${server.key}`,
      ...(json && { "content-type": "application/json" }),
    };
    const sent = json && { body: JSON.stringify(json) };
    return await fetch(server.url + path, { method, headers, ...sent });
  };
  /** The only endpoint of the service. */
  const findListener = async () => {
    const { data } = (await (await callApi("/v1/webhook_endpoints", "GET")).json()) as {
      data: { id: string; events: string[]; status: string }[];
    };
    expect(data).toHaveLength(1);
    return data[0] ?? { id: "", events: [], status: "" };
  };
  return {
    ...server,
    options,
    ask: callApi,
    pay: async () => requestJson(server, "/v1/payments", body),
    decline: async () => requestJson(server, "/v1/payments", { ...body, card: declining }),
    listener: findListener,
    deliveries: async () => {
      const { id } = await findListener();
      return await (await callApi(`/v1/webhook_endpoints/${id}/deliveries`, "GET")).json();
    },
  };
}

/** The secret that the listener of a home signs with. */
export async function readSecret(options: {
  home: string;
  env: Record<string, string>;
}): Promise<string> {
  const { stdout, ...ran } = await runPayments(["listen", "--print-secret"], options);
  expect(ran).toEqual({ stderr: "", exitCode: 0 });
  expect(stdout).toMatch(/^whsec_[A-Za-z0-9+/]{43}=\n$/);
  return stdout.trimEnd();
}

/** Starts the command, and waits until it listens. */
export async function startListening(...[args, options]: Parameters<typeof listenPayments>) {
  const command = listenPayments(args, options);
  await command.says(/^Secret/);
  return command;
}

/** A receiver of forwarded events that gives these responses in turn. */
export async function startReceiver(...answers: Answer[]) {
  const { url, requests } = await scriptedServer(...answers);
  const listEvents = () => requests.map((each) => JSON.parse(each.body) as Event);
  return { url: `${url}/hooks`, requests, taken: listEvents };
}
