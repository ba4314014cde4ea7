import { testCards } from "../../contract/card.ts";
import type { EventType } from "../../contract/field-values.ts";
import { usageError } from "../errors/command-error.ts";
import type { PaymentFlags } from "./payment-flags.ts";
import { cardSources, parsePaymentRequest, type PaymentRequest } from "./payment-request.ts";

/** A request whose payment ends with an event, and its expected outcome; undefined: it stays pending. */
type TriggerRequest = { request: PaymentRequest; expected: string | undefined };

/**
 * Builds the request of `payments trigger`. What the flags or the body in `--data` leave out is chosen so that the
 * payment ends with the event: the card above all.
 */
export async function parseTriggerRequest(
  type: EventType,
  { decline, ...flags }: PaymentFlags & { decline?: string | undefined },
): Promise<TriggerRequest> {
  if (decline !== undefined && type !== "payment.failed") {
    throw usageError("--decline is allowed only with payment.failed.");
  }
  const hosted = type === "payment.pending";
  const pageFlag = hostedPageFlags.find((name) => flags[name] !== undefined);
  if (pageFlag !== undefined && !hosted) {
    throw usageError(`--${pageFlag} is allowed only with payment.pending, which has a page.`);
  }
  const amount = "4999";
  const currency = "eur";
  const description = `payments trigger ${type}`;
  const testCard = findTestCard(type, decline);
  const hasCard = cardSources.some((name) => flags[name] !== undefined);
  const card = hosted || hasCard ? {} : { "test-card": testCard };
  const defaults = { amount, currency, description, hosted, ...card };
  const expectedOf = (isChosen: boolean) => parseOutcome(type, decline, isChosen);
  if (flags.data === undefined) {
    const request = await parsePaymentRequest({ ...defaults, ...flags }, "test");
    return { request, expected: expectedOf(!hasCard) };
  }
  const { body: given } = await parsePaymentRequest({ ...flags, hosted }, "test");
  const { body } = await parsePaymentRequest(defaults, "test");
  const request = { hosted, body: { ...body, ...given } } as PaymentRequest;
  return { request, expected: expectedOf(!("card" in given)) };
}

const hostedPageFlags = ["return-url", "expires-in"] as const;

/** The outcome that leads to the event. With a card that the user has chosen, any decline will do. */
function parseOutcome(
  type: EventType,
  decline: string | undefined,
  isChosenHere: boolean,
): string | undefined {
  if (type === "payment.pending") return undefined;
  const status = type.slice("payment.".length);
  if (status !== "failed") return status;
  return decline ?? (isChosenHere ? defaultDecline : status);
}

const defaultDecline = "generic_decline";

/** The test card whose payment has this outcome, or can be refunded. */
function findTestCard(type: EventType, decline = defaultDecline): string | undefined {
  const outcome = type === "payment.failed" ? decline : "succeeded";
  return testCards.find((card) => card.outcome === outcome)?.name;
}
