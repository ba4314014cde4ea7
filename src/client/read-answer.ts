import {
  isAccount,
  isDeliveryList,
  isEndpoint,
  isEndpointList,
  isEvent,
  isEventList,
  isPayment,
  isPaymentList,
} from "../contract/fast-checks.ts";
import { tryParseJson } from "../runtime/json.ts";
import { parseKeyMode } from "../contract/key.ts";
import type { Answers, Route } from "../contract/routes.ts";
import {
  ApiError,
  ModeMismatchError,
  type PaymentsError,
  UnexpectedAnswerError,
} from "./errors.ts";
import { parseRetryAfter } from "./retry-timing.ts";
import type { TransportAnswer } from "./transport.ts";

/** What a try ends with. */
export type AttemptResult = { value: unknown } | { error: PaymentsError };

/** What was asked, with which key, and of which object where the path names one. */
type Asked = { apiKey: string; route: Route; id: string | undefined };

/** What an answer means to whoever asked: what the service sent, once it is known to be that, or an error. */
export async function readResponse(asked: Asked, answer: TransportAnswer): Promise<AttemptResult> {
  if (answer.status >= 200 && answer.status < 300) {
    return await accepted(asked, answer);
  }
  const error = await refused(answer);
  error.retryAfterMs = parseRetryAfter(answer.headers["retry-after"], Date.now());
  return { error };
}

async function accepted(
  { apiKey, route, id }: Asked,
  answer: TransportAnswer,
): Promise<AttemptResult> {
  const value = tryParseJson(answer.body);
  if (!(await isAnswer(route.answer, value))) {
    const what = value === undefined ? "is not JSON" : "is not what the payments API answers";
    return {
      error: new UnexpectedAnswerError(answer.status, `The service's answer ${what}.`),
    };
  }
  const mode = parseKeyMode(apiKey);
  const stranger = objectsIn(value).find(
    ({ livemode }) => livemode !== undefined && livemode !== (mode === "live"),
  );
  if (mode && stranger) {
    const written = route.method === "POST" ? stranger.id : undefined;
    return { error: new ModeMismatchError(mode, written) };
  }
  // The write may have hit what was asked for, this, or none: nobody can tell.
  const isOfId = id !== undefined && kindsOfTheirId.has(route.answer);
  if (isOfId && objectsIn(value).some((each) => each.id !== id)) {
    const message = `The service's answer is about another ${nameOf(route)} than the one asked for.`;
    return { error: new UnexpectedAnswerError(answer.status, message) };
  }
  return { value };
}

/** What answers a request for it by its id. */
const kindsOfTheirId = new Set<keyof Answers>(["payment", "event", "endpoint", "deletedEndpoint"]);

function nameOf({ answer }: Route): string {
  return answer === "payment" || answer === "event" ? answer : "webhook endpoint";
}

const glances: Partial<Record<keyof Answers, (value: unknown) => boolean>> = {
  payment: isPayment,
  list: isPaymentList,
  account: isAccount,
  event: isEvent,
  eventList: isEventList,
  endpoint: isEndpoint,
  endpointList: isEndpointList,
  deliveryList: isDeliveryList,
};

/** What passes at a glance keeps the contract; of the rest the contract itself knows. */
async function isAnswer(kind: keyof Answers, value: unknown): Promise<boolean> {
  if (glances[kind]?.(value)) return true;
  const { answerSchemas } = await import("../contract/schemas.ts");
  return answerSchemas[kind].safeParse(value).success;
}

function objectsIn(answer: unknown): { id: string; livemode?: boolean }[] {
  const objects = (answer as { data?: unknown }).data;
  return (Array.isArray(objects) ? objects : [answer]) as { id: string; livemode?: boolean }[];
}

async function refused({ status, headers, body }: TransportAnswer): Promise<PaymentsError> {
  if (status < 400) {
    const to = headers["location"] ? ", elsewhere" : "";
    return new UnexpectedAnswerError(
      status,
      `The service answered with a redirect${to} (HTTP ${status}), which is not followed.`,
    );
  }
  const { errorEnvelope } = await import("../contract/error.ts");
  const envelope = errorEnvelope.safeParse(tryParseJson(body));
  return envelope.success
    ? new ApiError(status, envelope.data)
    : new UnexpectedAnswerError(
        status,
        `What answered with HTTP ${status} is not the payments API.`,
      );
}
