import type { Role } from "../../../contract/administration.ts";
import { daySeconds, parseDay } from "../../../runtime/time.ts";

// The words in which the pages say a value of the API: each kind of value in one way.

/** A value of the API as words: `insufficient_funds` is "Insufficient funds". */
export function toWords(value: string): string {
  return startSentence(value.replaceAll("_", " "));
}

/** A text of the service, such as an error, as a sentence begins. */
function startSentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The error of a delivery, or the status of its response, in one form: "Responded with 503". */
export function describeAnswer(error: string | null, status: number | null): string {
  const text = error ?? (status === null ? "" : `responded with ${status}`);
  return startSentence(text.replace(/^the endpoint answered (?=\d)/, "responded with "));
}

/** A decline code in a few words, for a list: the details have its sentence. */
export function describeDecline(code: string): string {
  return declineWords.get(code) ?? toWords(code);
}

/** Those whose code says too little. */
const declineWords = new Map([
  ["test_mode_live_card", "Live card in test mode"],
  ["hpp_expired", "Payment page expired"],
  ["customer_canceled", "Canceled by the customer"],
  ["canceled", "Canceled by the merchant"],
]);

const regions = new Intl.DisplayNames("en", { type: "region" });

/** A country's code with its name: "United States (US)". */
export function describeCountry(code: string): string {
  return /^[A-Z]{2}$/.test(code) ? `${regions.of(code)} (${code})` : code;
}

const dateFormat = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  year: "numeric",
  timeZone: "UTC",
});

/** A day of an address, such as 2026-11-01, as "1 Nov 2026"; as it is where there is no such day. */
export function formatDate(text: string): string {
  const day = parseDay(text);
  return day === undefined
    ? text
    : shortenMonth(dateFormat.format(new Date(day * daySeconds * 1000)));
}

/** A date of `en-GB`, whose September alone has four letters, with three for every month. */
export function shortenMonth(date: string): string {
  return date.replaceAll("Sept", "Sep");
}

/** The thousands of a number in groups: `1,234`. */
export function groupDigits(digits: string): string {
  return digits.replaceAll(/\B(?=(?:\d{3})+$)/g, ",");
}

/** The roles, as operators read them. */
export const roleMeanings: Record<Role, string> = {
  viewer: "Viewer: can read payments",
  support: "Support: can also see requests, refund and cancel payments",
  admin: "Admin: can also manage keys, webhooks and the team",
};
