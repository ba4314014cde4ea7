import { describeFailure } from "../../runtime/dispatch.ts";
import { createHttpTransport } from "../../runtime/http-transport.ts";
import { tryParseJson } from "../../runtime/json.ts";

const timeoutMs = 3_000; // the service answers within 2 s, whatever its database does

/** The answer of an address to a probe. `elsewhere`: a payments service, whose probes are on another port. */
export type Readiness =
  | { state: "ready" }
  | { state: "unready"; reason: string }
  | { state: "elsewhere"; message: string }
  | { state: "other"; status: number }
  | { state: "unreachable"; reason: string };

type Body = { status?: unknown; reason?: unknown; error?: { code?: unknown; message?: unknown } };

/** Asks /readyz of an address, without a key. */
export async function askReadiness(url: string): Promise<Readiness> {
  const transport = createHttpTransport(url);
  try {
    const request = { method: "GET", path: "/readyz", headers: {}, timeoutMs } as const;
    const { status, headers, body } = await transport.send(request);
    const said = Object(tryParseJson(body)) as Body;
    if (status === 200 && said.status === "ready") return { state: "ready" };
    if (said.status === "unready" && typeof said.reason === "string")
      return { state: "unready", reason: said.reason };
    const isService = headers["service-request-id"] !== undefined;
    if (isService && said.error?.code === "endpoint_not_found")
      return { state: "elsewhere", message: String(said.error.message) };
    return { state: "other", status };
  } catch (error) {
    return { state: "unreachable", reason: describeFailure(error) };
  } finally {
    await transport.close();
  }
}
