import * as z from "zod";
import { createPaymentBody } from "./payment.ts";
import { isKept, isWithin } from "./text.ts";

const maxLength = 2_000;
const phrase = `must be an http or https address of at most ${maxLength} characters, such as https://shop.example/thanks, without user name, password, spaces or control characters`;

/**
 * Where the customer is sent back to. It comes out as an address in its usual form, which is ASCII
 * without spaces or line breaks: what stands in a Location header is never what was typed.
 */
const returnUrl = z
  .string({ error: phrase })
  .refine((value) => isWithin(value, 1, maxLength) && isReturnUrl(value), { error: phrase })
  .meta({ format: "uri", maxLength })
  .transform((value) => new URL(value).href);

/** The body of POST /v1/payments/hpp: a new payment without a card, and where the page leads back to. */
export const createHostedBody = createPaymentBody
  .omit({ card: true })
  .extend({ return_url: returnUrl.nullish() })
  .meta({ id: "CreateHostedPayment" });
export type CreateHostedBody = z.infer<typeof createHostedBody>;

/** A host must follow the two slashes: a browser would read a backslash there as a slash. */
const shape = /^https?:\/\/[^/\\@?#]+(?:[/?#]|$)/i;

function isReturnUrl(value: string): boolean {
  if (!isKept(value) || /[\s\p{Cc}\\]/u.test(value) || !shape.test(value)) return false;
  const url = URL.canParse(value) ? new URL(value) : undefined;
  return url !== undefined && !url.username && !url.password && url.href.length <= maxLength;
}
