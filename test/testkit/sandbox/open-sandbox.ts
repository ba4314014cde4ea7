import { openUntilFileEnds } from "../open-until-file-ends.ts";
import { PaymentsClient } from "../../../src/client/client.ts";
import {
  startService,
  type RunningSandbox,
  type SandboxOptions,
} from "../../../src/service/server/start-service.ts";

/** A sandbox, and a client with its test key that retries nothing. */
export async function openSandbox(options: Omit<SandboxOptions, "sandbox"> = {}) {
  const sandbox = await startService({ sandbox: true, ...options });
  const client = clientOf(sandbox, sandbox.keys.test);
  openUntilFileEnds(async () => sandbox.close());
  return { sandbox, client };
}

export function clientOf(
  { url }: Pick<RunningSandbox, "url">,
  apiKey: string,
  maxRetries = 0,
): PaymentsClient {
  const client = new PaymentsClient({ baseUrl: url, apiKey, maxRetries });
  openUntilFileEnds(async () => client.close());
  return client;
}

/** The status and body of a request of a plain HTTP client, `lost` where the connection ended without an answer. */
export async function request(
  { url, keys }: Pick<RunningSandbox, "url" | "keys">,
  target: string,
  {
    body,
    key = keys.test,
    headers = {},
    signal,
  }: { body?: object; key?: string; headers?: object; signal?: AbortSignal } = {},
): Promise<{ status: number | "lost"; headers: Headers; body: unknown }> {
  const [method = "GET", path = "/"] = target.split(" ");
  try {
    const response = await fetch(url + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
    const received = method === "HEAD" ? undefined : await response.json();
    return { status: response.status, headers: response.headers, body: received };
  } catch {
    return { status: "lost", headers: new Headers(), body: undefined };
  }
}
