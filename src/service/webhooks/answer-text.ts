import { maxAnswerBytes } from "../../contract/field-values.ts";
import { mask } from "../../contract/mask.ts";

/** More than the digits of a card and what may stand between them. */
const lookaheadBytes = 64;
/** How much of an answer has to be read, so that a card number which its end cuts is seen. */
export const readAnswerBytes = maxAnswerBytes + lookaheadBytes;

/**
 * The beginning of an answer to a webhook, as it is stored: text, in which what is not UTF-8 is replaced, without keys
 * and card numbers. `bytes` has as much as was read.
 */
export function toAnswerText(bytes: Uint8Array): string {
  const text = decode(bytes.subarray(0, readAnswerBytes));
  const masked = mask(text);
  if (bytes.length <= maxAnswerBytes) return masked;
  if (masked === text) return decode(bytes.subarray(0, maxAnswerBytes));
  // Masked, it is shorter, and a number at the end may be the beginning of a card's.
  return [...masked].slice(0, -lookaheadBytes).join("").slice(0, maxAnswerBytes);
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}
