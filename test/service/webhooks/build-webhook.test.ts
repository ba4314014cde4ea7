import { expect, test } from "vitest";
import { maxAnswerBytes } from "../../../src/contract/field-values.ts";
import { toAnswerText } from "../../../src/service/webhooks/record-attempt.ts";

const card = "4242 4242 4242 4242";
const dots = (count: number) => ".".repeat(count);

test.each<[what: string, answer: string | Uint8Array, text: string]>([
  ["nothing", "", ""],
  ["text", '{"error":"no order 1234567890123"}\n', '{"error":"no order 1234567890123"}\n'],
  ["escape sequences and HTML", "\u001b]0;x\u0007<b>\u0000", "\u001b]0;x\u0007<b>\u0000"],
  ["a byte order mark", "\ufeffok", "\ufeffok"],
  ["what is not UTF-8", Buffer.from([0x6f, 0xff, 0x6b, 0xe2, 0x82]), "o\ufffdk\ufffd"],
  ["more than is kept", dots(5_000), dots(maxAnswerBytes)],
  ["a character that is cut", `${dots(maxAnswerBytes - 1)}€${dots(99)}`, `${dots(1023)}\ufffd`],
  ["a card number", `Card ${card} refused`, "Card … refused"],
  ["a hidden card number", "4242_4242_4242_4242", "…"],
  [
    "a payment page",
    '"redirect_url":"https://pay.example/pay/0b1c2d3eAbCdEfGhIjKlMnOpQrStUv12","',
    '"redirect_url":"https://pay.example/pay/…","',
  ],
  [
    "a page in other writing",
    "https:\\/\\/a\\/pay\\/0b1c2d3eAbCdEfGhIj?u=%2Fpay%2F0b1c2d3eAbCdEfGhIjKl",
    "https:\\/\\/a\\/pay\\/…?u=%2Fpay%2F…",
  ],
  ["a path of the shop", "POST /pay/notifications: 404", "POST /pay/notifications: 404"],
  ["a key and a secret", "svc_test_sk_abc whsec_abc=", "svc_test_sk_… whsec_…"],
])("of an answer, %s is stored so that it is text without secrets", (_, answer, text) => {
  expect(toAnswerText(Buffer.from(answer))).toBe(text);
});

test("no part of a card number that the end cuts is stored", () => {
  for (let before = maxAnswerBytes - 40; before < maxAnswerBytes + 80; before++) {
    const stored = toAnswerText(Buffer.from(`${dots(before)}${card}${dots(99)}`));
    expect(stored).toMatch(/^\.+…?\.*$/);
    expect(Buffer.byteLength(stored)).toBeLessThanOrEqual(maxAnswerBytes + 2);
  }
});
