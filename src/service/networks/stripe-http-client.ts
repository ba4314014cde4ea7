import type { Stripe } from "stripe";
import { describeFailure } from "../../client/failure-reason.ts";
import { createHttpTransport, type TransportAnswer } from "../../client/transport.ts";
import { isJsonObject, tryParseJson } from "../../runtime/json.ts";

const limits = { connections: 64, maxResponseBytes: 1024 * 1024 };

/** Says of an answer that Stripe has only repeated what it answered before under the same key. */
export const replayedHeader = "idempotent-replayed";

/**
 * The way of the library's requests: on the transport that all others take, with a limit for the whole
 * answer and its size, without redirects. The library gets to see only what is an answer of Stripe's: on
 * a JSON text or number it ends the process, and a failure that does not say `error` it takes for success.
 */
export function createStripeHttpClient(
  baseUrl: string,
): Stripe.HttpClient & { close(): Promise<void> } {
  const transport = createHttpTransport(baseUrl, limits);
  return {
    getClientName: () => "payments",
    makeRequest: async (_host, _port, path, method, headers, body, _protocol, timeoutMs) => {
      try {
        const answer = await transport.send({
          method: method === "POST" ? "POST" : "GET",
          path,
          headers: Object.fromEntries(
            Object.entries(headers).map(([name, value]) => [name, String(value)]),
          ),
          ...(method === "POST" && { body }),
          timeoutMs,
        });
        return toResponse(answer);
      } catch (error) {
        // A new one has no code, at which the library would ask a second time by itself.
        throw new Error(describeFailure(error as Error), { cause: error });
      }
    },
    close: async () => transport.close(),
  };
}

function toResponse(answer: TransportAnswer): Stripe.HttpClientResponse {
  const { status, headers } = answer;
  const value = parseBody(answer);
  // No other header: one of them has the library write what it says to standard error.
  const passedOn = { [replayedHeader]: headers[replayedHeader] ?? "false" };
  return {
    getStatusCode: () => status,
    getHeaders: () => passedOn,
    getRawResponse: () => ({ statusCode: status, headers: passedOn }),
    toStream: () => {
      throw new Error("Answers are not streamed.");
    },
    toJSON: async () => value,
  };
}

/** What Stripe says. Errors: it is no answer of Stripe's. */
function parseBody({ status, body }: TransportAnswer): object {
  const value = tryParseJson(body);
  const isSuccess = status >= 200 && status < 300;
  if (isJsonObject(value) && isSuccess !== isJsonObject(value["error"])) return value;
  throw new Error(`HTTP ${status}, and no answer of Stripe's`);
}
