import * as z from "zod";
import { createPaymentBody } from "./payment.ts";
import { cardNumberPhrase } from "./text.ts";
import { addressHoldsCardNumber, isWebAddress, maxAddressLength } from "./web-address.ts";

const phrase = `must be an http or https address of at most ${maxAddressLength} characters, such as https://shop.example/thanks, without user name, password, spaces or control characters`;

/**
 * Where the customer is sent back to. It comes out as an address in its usual form, which is ASCII
 * without spaces or line breaks: what stands in a Location header is never what was typed.
 */
const returnUrl = z
  .string({ error: phrase })
  .refine(isWebAddress, { error: phrase, abort: true })
  .refine((value) => !addressHoldsCardNumber(value), { error: cardNumberPhrase })
  .meta({ format: "uri", maxLength: maxAddressLength })
  .transform((value) => new URL(value).href);

/** The body of POST /v1/payments/hpp: a new payment without a card, and where the page leads back to. */
export const createHostedBody = createPaymentBody
  .omit({ card: true })
  .extend({ return_url: returnUrl.nullish() })
  .meta({ id: "CreateHostedPayment" });
export type CreateHostedBody = z.infer<typeof createHostedBody>;
