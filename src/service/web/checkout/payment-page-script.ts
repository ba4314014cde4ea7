import {
  findBrandIn,
  isExpired,
  isLuhnValid,
  issuerRanges,
  parseExpiry,
} from "../../../contract/card.ts";
import { isWithin } from "../../../runtime/text.ts";
import { findCardMistakes, normalizeTypedCard } from "../../checkout/typed-card.ts";
import { readAssets } from "../design/read-assets.ts";
import { brandNames } from "./card-brands.ts";

/** The service's own rules about a typed card: the script of the page has their sources, as `globalThis.rules`. */
export const rules = {
  brandNames,
  issuerRanges,
  findBrandIn,
  normalizeTypedCard,
  findCardMistakes,
  isLuhnValid,
  parseExpiry,
  isExpired,
  isWithin,
};

const sources = Object.entries(rules).map(
  ([name, rule]) => `${name}: ${typeof rule === "function" ? String(rule) : JSON.stringify(rule)}`,
);

/** Helps the customer to type. */
export const paymentPageScript = `"use strict";
globalThis.rules = {${sources.join(",\n")}};
${readAssets("checkout/payment-page.js")}`;

/** Reloads a page that waits when the payment's state has changed. */
export const waitingPageScript = readAssets("checkout/waiting-page.js");

/** Writes the time of a receipt in the customer's own zone. */
export const localTimeScript = readAssets("checkout/local-time.js");
