import type { Stripe } from "stripe";
import { describeFailure } from "../../client/failure-reason.ts";
import { createHttpTransport, type TransportAnswer } from "../../client/transport.ts";
import { isJsonObject, tryParseJson } from "../../runtime/json.ts";

const limits = { connections: 64, maxResponseBytes: 1024 * 1024 };

/** The header of a stored answer that Stripe repeats for its idempotency key. */
export const replayedHeader = "idempotent-replayed";

/**
 * Sends the library's requests on the service's transport, with limits for an answer's time and size, and without
 * redirects. Only a valid answer of Stripe reaches the library: a JSON text or number would end the process, and it
 * takes a failure without `error` for success.
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
        // A new error without a code: on some codes the library retries by itself.
        throw new Error(describeFailure(error as Error), { cause: error });
      }
    },
    close: async () => transport.close(),
  };
}

function toResponse(answer: TransportAnswer): Stripe.HttpClientResponse {
  const { status, headers } = answer;
  const value = parseBody(answer);
  // No other header: the library writes the value of one of them to standard error.
  const passedHeaders = { [replayedHeader]: headers[replayedHeader] ?? "false" };
  return {
    getStatusCode: () => status,
    getHeaders: () => passedHeaders,
    getRawResponse: () => ({ statusCode: status, headers: passedHeaders }),
    toStream: () => {
      throw new Error("Answers are not streamed.");
    },
    toJSON: async () => value,
  };
}

/** Throws where a response is no answer of Stripe. */
function parseBody({ status, body }: TransportAnswer): object {
  const value = tryParseJson(body);
  const isSuccess = status >= 200 && status < 300;
  if (isJsonObject(value) && isSuccess !== isJsonObject(value["error"])) return value;
  throw new Error(`HTTP ${status}, and no answer of Stripe's`);
}
