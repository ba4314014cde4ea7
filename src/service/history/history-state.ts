import type { Activity } from "../../contract/administration.ts";
import { type ErrorCode, errorCodes } from "../../contract/error.ts";
import type { DeclineCode } from "../../contract/field-values.ts";
import { formatMoney } from "../../contract/money.ts";
import { type DueMoment, type History, type Moment, maxMoments } from "../../contract/history.ts";
import { parseCreatedMs } from "../../runtime/time.ts";
import type { StoredCharge } from "../payments/charges-sql.ts";
import type { Payment } from "../payments/payment-state.ts";
import type { StoredRequest } from "../requests/requests-store.ts";
import type { TriedDelivery } from "../webhooks/deliveries-sql.ts";
import {
  type StoredHistory,
  type TimedMoment,
  buildMoment,
  describeCard,
  describeEndpoint,
  dropStop,
  findRequest,
  formatSpan,
  getAuthor,
  getCustomer,
  getDecider,
  getNetwork,
  isCreation,
  placeInSecond,
  quoteReason,
  serviceItself,
  withKey,
} from "./moment-state.ts";

/** Tells the history of a payment from its rows. Its sentences are written here alone. */
export function tellHistory(stored: StoredHistory): History {
  const paymentMoments = tellPayment(stored);
  const told = [
    ...paymentMoments,
    ...tellOtherRequests(stored, paymentMoments),
    ...stored.deliveries.flatMap((delivery) => tellDelivery(stored, delivery)),
  ].toSorted((a, b) => a.atMs - b.atMs);
  const newest = told.slice(-maxMoments);
  return {
    object: "history",
    payment: stored.payment.id,
    data: newest.map(toMoment),
    due: tellDue(stored),
    has_more: stored.isCut || newest.length < told.length,
  };
}

function toMoment({ atMs, ...moment }: TimedMoment): Moment {
  return { at: Math.floor(atMs / 1000), ...moment };
}

/** What the payment itself has been through, in order. */
function tellPayment(stored: StoredHistory): TimedMoment[] {
  const {
    succeeded_at: succeededAt,
    failed_at: failedAt,
    refunded_at: refundedAt,
  } = stored.payment;
  const outcome =
    succeededAt !== null
      ? tellSuccess(stored, succeededAt)
      : failedAt !== null
        ? tellFailure(stored, failedAt)
        : undefined;
  return [
    tellCreation(stored),
    ...tellChallenge(stored, outcome),
    ...(outcome ? [outcome] : []),
    ...tellRefundRequests(stored),
    ...(refundedAt === null ? [] : [tellRefund(stored, refundedAt)]),
  ];
}

function tellCreation(stored: StoredHistory): TimedMoment {
  const { payment, page, requests } = stored;
  const { id, amount, currency } = payment;
  const atMs = parseCreatedMs(id);
  const request = requests.findLast(isCreation);
  const how = page
    ? `with a payment page that stays open for ${formatSpan(page.expiresAtMs - atMs)}`
    : `for ${describeCard(payment)}`;
  const key = withKey(request).replace(" with", page ? " and with" : " with");
  const text = `The payment of ${formatMoney(amount, currency)} was created ${how}${key}.`;
  return buildMoment(atMs, "created", text, {
    by: getAuthor(undefined, request),
    request: request?.id,
    event: findEvent(stored, "pending"),
  });
}

function tellSuccess(stored: StoredHistory, at: number): TimedMoment {
  const { payment } = stored;
  const money = formatMoney(payment.amount, payment.currency);
  const card = describeCard(payment);
  const event = findEvent(stored, "succeeded");
  const text =
    payment.redirect_url === null
      ? `The payment succeeded: ${money} was charged to ${card}.`
      : `The customer paid ${money} on the payment page with ${card}: the payment succeeded.`;
  return buildMoment(placeInSecond(at, event), "succeeded", text + noteSilence(stored, event), {
    by: getDecider(stored),
    event,
  });
}

/** A payment that was canceled has failed, too: that is not told twice. */
function tellFailure(stored: StoredHistory, at: number): TimedMoment {
  const { payment } = stored;
  const code = payment.decline_code as DeclineCode;
  const event = findEvent(stored, "failed");
  const atMs = placeInSecond(at, event);
  const silence = noteSilence(stored, event);
  if (code === "customer_canceled") {
    const text = `The customer canceled the payment on its page.${silence}`;
    return buildMoment(atMs, "canceled", text, { by: getCustomer(payment), event });
  }
  if (code === "canceled") {
    const entry = findEntry(stored, "payment.canceled");
    const request = findRequest(stored, `/v1/payments/${payment.id}/cancel`, { atMs, entry });
    const text = `The payment was canceled${withKey(request)}: its page can no longer be paid.${silence}`;
    const by = getAuthor(entry, request);
    return buildMoment(atMs, "canceled", text, { by, request: request?.id, event });
  }
  const advice = declineAdvice[code] ?? "";
  const text = `The payment failed with ${code}. ${payment.decline_message}${advice}${silence}`;
  const by = code === "hpp_expired" ? serviceItself : getDecider(stored);
  return buildMoment(atMs, "failed", text, { by, event });
}

/** What to do, where the message of a decline does not say it. */
const declineAdvice: Partial<Record<DeclineCode, string>> = {
  insufficient_funds: " The customer should use another card, or try again later.",
  test_mode_live_card: " Use a test card here, or a live key with a real card.",
  hpp_expired: " If the customer still wants to pay, create another payment.",
};

/** The bank asks the customer before the outcome, which may not be known yet. */
function tellChallenge(stored: StoredHistory, outcome: TimedMoment | undefined): TimedMoment[] {
  const { charge, payment, page } = stored;
  if (!charge || charge.challengedAtMs === null) return [];
  const text = "The bank asked the customer to confirm the payment (3-D Secure).";
  const by = { type: "network", id: null, name: charge.network } as const;
  const begun = buildMoment(charge.challengedAtMs, "challenged", text, { by });
  const isAtBank = !outcome && charge.challengeUrl !== null;
  const endMs = Math.min(page?.askedAtMs ?? Infinity, outcome?.atMs ?? Infinity);
  return isAtBank || endMs === Infinity ? [begun] : [begun, tellReturn(payment, endMs)];
}

/** How a challenge has ended, by what became of its payment. */
function tellReturn(payment: Payment, atMs: number): TimedMoment {
  const by = getCustomer(payment);
  switch (payment.decline_code) {
    case null: {
      const text =
        payment.status === "pending"
          ? "The customer came back from the bank, which has not decided yet."
          : "The customer confirmed the payment at the bank.";
      return buildMoment(atMs, "challenge_ended", text, { by });
    }
    case "authentication_required": {
      const text = "The customer did not confirm the payment at the bank.";
      return buildMoment(atMs, "challenge_ended", text, { by });
    }
    case "hpp_expired":
    case "canceled":
    case "customer_canceled": {
      const text = "The customer had not confirmed the payment at the bank by then.";
      return buildMoment(atMs, "challenge_ended", text, { by: serviceItself });
    }
    default:
      return buildMoment(atMs, "challenge_ended", "The customer came back from the bank.", { by });
  }
}

/** Refunds about which the card network decided later. */
function tellRefundRequests(stored: StoredHistory): TimedMoment[] {
  const { payment, charge, activity } = stored;
  const entries = activity.filter(({ action }) => action === "payment.refund_requested");
  const money = formatMoney(payment.amount, payment.currency);
  return entries.toReversed().map((entry, at) => {
    const isOpen = payment.status === "refunded" || charge?.pendingAction === "refund";
    const wasDeclined = at < entries.length - 1 || !isOpen;
    const atMs = parseCreatedMs(entry.id);
    const request = findRequest(stored, `/v1/payments/${payment.id}/refund`, { atMs, entry });
    const end = wasDeclined ? ", which declined it" : "";
    const text = `A refund of ${money} was asked of the card network${withKey(request)}${end}.${quoteReason(entry)}`;
    const by = getAuthor(entry);
    return buildMoment(atMs, "refund_requested", text, { by, request: request?.id });
  });
}

function tellRefund(stored: StoredHistory, at: number): TimedMoment {
  const { payment } = stored;
  const event = findEvent(stored, "refunded");
  const atMs = placeInSecond(at, event);
  const money = formatMoney(payment.amount, payment.currency);
  const entry = findEntry(stored, "payment.refunded");
  // A refund that was asked of the network is the network's answer.
  const isAnswer = findEntry(stored, "payment.refund_requested") !== undefined;
  const path = `/v1/payments/${payment.id}/refund`;
  const request = isAnswer ? undefined : findRequest(stored, path, { atMs, entry });
  const text = `The payment was refunded${withKey(request)}: ${money} goes back to ${describeCard(payment)}.`;
  const more = quoteReason(entry) + noteSilence(stored, event);
  return buildMoment(atMs, "refunded", text + more, {
    by: isAnswer ? getNetwork(stored) : getAuthor(entry, request),
    request: request?.id,
    event,
  });
}

/** Writes that were refused, failed or were answered again; one that did something is told with what it did. */
function tellOtherRequests(
  { requests, payment }: StoredHistory,
  paymentMoments: TimedMoment[],
): TimedMoment[] {
  return requests.flatMap((request) => {
    const { id, errorCode, status, durationMs, isReplayed } = request;
    // The milliseconds of ids are whole, and replicas' clocks differ: a refusal comes after what its request did.
    const doneMs = paymentMoments.findLast((moment) => moment.request === id)?.atMs ?? 0;
    const endMs = Math.max(parseCreatedMs(id) + durationMs, doneMs);
    const aim = findAim(request, payment);
    const links = { by: getAuthor(undefined, request), request: id };
    if (errorCode !== null) {
      if (request.method === "GET") return []; // a read that is refused changes nothing
      const what = errorCode === "idempotency_key_reused" ? "Another request" : `A request ${aim}`;
      const outcome = status >= 500 ? "had no outcome" : "was refused";
      const text = `${what}${withKey(request)} ${outcome}: ${errorCode}.${explainError(errorCode)}`;
      return buildMoment(endMs, "refused", text, links);
    }
    if (!isReplayed) return [];
    const text = `The request ${aim} came again${withKey(request)}, and got the stored answer: nothing was done twice.`;
    return buildMoment(endMs, "replayed", text, links);
  });
}

/** What an error's code means, without the marks of code; nothing of one that a newer program has written. */
function explainError(code: string): string {
  if (!Object.hasOwn(errorCodes, code)) return "";
  return ` ${errorCodes[code as ErrorCode].meaning.replaceAll("`", "")}`;
}

function findAim({ path }: StoredRequest, { id }: Payment): string {
  if (path.endsWith("/resend")) return "to send an event again";
  if (path === `/v1/payments/${id}/refund`) return "to refund the payment";
  if (path === `/v1/payments/${id}/cancel`) return "to cancel the payment";
  return "to create the payment";
}

type EventLinks = { event: string; delivery: string; endpoint: string };

/** Each try to deliver an event, and before them who had it sent again. */
function tellDelivery(stored: StoredHistory, delivery: TriedDelivery): TimedMoment[] {
  const { id, type, status, tries, attempts, createdMs, lastStatus, lastError } = delivery;
  const links = { event: delivery.eventId, delivery: id, endpoint: delivery.endpointId };
  const address = describeEndpoint(stored, delivery.endpointId);
  let lastMs = tries.length === 0 ? createdMs : parseCreatedMs(id);
  const tell = (atMs: number, answer: string | null, error: string | null, isEnd: boolean) => {
    lastMs = Math.max(lastMs, atMs);
    if (error === null) {
      const text = `${type} was delivered to ${address}${answer}.`;
      return buildMoment(lastMs, "delivered", text, links);
    }
    const why = answer ?? `: ${dropStop(error.charAt(0).toLowerCase() + error.slice(1))}`;
    const text = `${type} was not delivered to ${address}${why}${isEnd ? "; it is not tried again" : ""}.`;
    return buildMoment(lastMs, "delivery_failed", text, links);
  };
  const told = tries.map((each, at) => {
    const isEnd = status === "failed" && at === tries.length - 1;
    // A try has its second alone: in that of the queueing it comes after it.
    const isAtOnce = each.created === Math.floor(createdMs / 1000);
    const atMs = isAtOnce ? createdMs : each.created * 1000;
    return tell(atMs, toAnswer(each.status), each.error, isEnd);
  });
  const last = tries.at(-1);
  // It was abandoned since, or an older program stored no tries.
  const wasAbandoned = status === "failed" && (!last || last.error !== lastError);
  const hasNoTries = attempts > 0 && !last;
  if (wasAbandoned) told.push(tell(0, null, lastError ?? "it was given up", true));
  else if (hasNoTries) told.push(tell(0, toAnswer(lastStatus), lastError, false));
  return [...tellResend(stored, delivery, { address, links }), ...told];
}

function toAnswer(status: number | null): string | null {
  return status === null ? null : `, which answered ${status}`;
}

const uuidIdLength = "del_00000000-0000-7000-8000-000000000000".length;
/** An event is queued in the moment in which it happens. */
const queuedWithinMs = 1_000;

/** The delivery of a resend has a UUID of its own. A recovery queues an event's delivery again, later than the event. */
function tellResend(
  stored: StoredHistory,
  { id, eventId, type, createdMs }: TriedDelivery,
  { address, links }: { address: string; links: EventLinks },
): TimedMoment[] {
  if (id.length > uuidIdLength) {
    const isRecovered = createdMs - parseCreatedMs(eventId) > queuedWithinMs;
    const text = `${type} was queued again for ${address}, with all that it had missed.`;
    return isRecovered ? [buildMoment(createdMs, "resent", text, links)] : [];
  }
  const atMs = parseCreatedMs(id);
  const entry = stored.activity.find(
    (each) =>
      each.subject.id === eventId && Math.abs(parseCreatedMs(each.id) - atMs) <= queuedWithinMs,
  );
  const request = findRequest(stored, `/v1/events/${eventId}/resend`, { atMs, entry });
  const text = `${type} was sent again to ${address}${withKey(request)}.`;
  const by = getAuthor(entry, request);
  return [buildMoment(atMs, "resent", text, { ...links, by, request: request?.id })];
}

/** What the service does next, the first first. */
function tellDue(stored: StoredHistory): DueMoment[] {
  const { payment, charge, page, deliveries } = stored;
  const due: { atMs: number; kind: DueMoment["kind"]; text: string }[] = [];
  if (charge && charge.dueAtMs !== null)
    due.push({ atMs: charge.dueAtMs, ...describeDueCharge(charge) });
  if (page && page.openUntilMs !== null && payment.status === "pending") {
    const text = "The payment page expires: a payment that is not paid by then fails.";
    due.push({ atMs: page.openUntilMs, kind: "expiry", text });
  }
  for (const { dueAtMs, createdMs, type, endpointId, attempts } of deliveries) {
    if (dueAtMs === null) continue;
    const text = `${type} is sent to ${describeEndpoint(stored, endpointId)}${attempts > 0 ? " again" : ""}.`;
    due.push({ atMs: Math.max(dueAtMs, createdMs), kind: "delivery", text });
  }
  return due
    .toSorted((a, b) => a.atMs - b.atMs)
    .map(({ atMs, kind, text }) => ({ at: Math.floor(atMs / 1000), kind, text }));
}

function describeDueCharge({ pendingAction, attempts, challengeUrl }: StoredCharge) {
  const again = attempts > 0 ? " again" : "";
  const calls = attempts === 1 ? "one call" : `${attempts} calls`;
  const after = attempts > 0 ? `, after ${calls} without an answer` : "";
  switch (pendingAction) {
    case "refund": {
      const text = `The card network is asked${again} for the refund${after}.`;
      return { kind: "refund", text } as const;
    }
    case "cancel": {
      const text = `The card network is asked${again} to take no money, or to give it back${after}.`;
      return { kind: "settlement", text } as const;
    }
    case "charge":
    case "none": {
      const text =
        challengeUrl === null
          ? `The card network has not decided yet: it is asked${again} what became of the payment${after}.`
          : `The bank is asked${again} whether the customer has confirmed the payment${after}.`;
      return { kind: "settlement", text } as const;
    }
    default:
      return pendingAction satisfies never;
  }
}

/** Whether the merchant's programs heard of an outcome is said where its event is stored and was for nobody. */
function noteSilence({ deliveries }: StoredHistory, event: string | undefined): string {
  const isSilent = event !== undefined && deliveries.every(({ eventId }) => eventId !== event);
  return isSilent ? " No webhook was sent: no endpoint was subscribed." : "";
}

function findEvent({ events }: StoredHistory, status: Payment["status"]): string | undefined {
  return events.find(({ type }) => type === `payment.${status}`)?.id;
}

function findEntry({ activity }: StoredHistory, action: Activity["action"]): Activity | undefined {
  return activity.find((each) => each.action === action);
}
