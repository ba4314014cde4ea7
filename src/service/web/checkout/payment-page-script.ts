import { isExpired, isLuhnValid, parseExpiry } from "../../../contract/card.ts";
import { isWithin } from "../../../runtime/text.ts";
import { findCardMistakes, normalizeTypedCard } from "../../domain/typed-card.ts";
import { brandNames, brandPatterns } from "./card-brands.ts";

const brands = brandPatterns
  .map(([pattern, brand]) => `[${pattern},"${brandNames[brand]}"]`)
  .join();

/**
 * What helps whoever types, and nothing that the page needs: digits in groups, the brand's name, the slash of
 * the expiry date, what is wrong in a field before the form is sent and the browser forgets the card, and one press
 * of the button for one payment. It keeps and sends nothing. The rules are the service's own functions.
 */
export const paymentPageScript = String.raw`
"use strict";
const field = (id) => document.getElementById(id);
const number = field("number"), expiry = field("expiry"), cvc = field("cvc"), holder = field("name");

// Keyboards of other scripts write other digits.
const western = (text) =>
  text.replace(/[\u0660-\u0669\u06f0-\u06f9\uff10-\uff19]/g, (digit) => digit.charCodeAt(0) & 15);
const digitsOf = (text) => western(text).replace(/\D/g, "");
const without = (digits, index) => digits.slice(0, index) + digits.slice(index + 1);

const brands = [${brands}];
const findBrand = (digits) => (brands.find(([pattern]) => pattern.test(digits)) || ["", ""])[1];
const grouped = (digits) =>
  /^3[47]/.test(digits)
    ? digits.replace(/^(.{4})(?=.)/, "$1 ").replace(/^(.{11})(?=.)/, "$1 ")
    : digits.replace(/.{4}(?=.)/g, "$& ");

const inputs = [number, expiry, cvc, holder];
const now = Number(number.form.dataset.now);
const normalizeTypedCard = ${String(normalizeTypedCard)};
const findCardMistakes = ${String(findCardMistakes)};
const facts = {
  isLuhnValid: ${String(isLuhnValid)},
  parseExpiry: ${String(parseExpiry)},
  isExpired: ${String(isExpired)},
  isWithin: ${String(isWithin)},
  isAmex: (digits) => findBrand(digits) === "${brandNames.amex}",
  mayBeKept: () => true, // the service knows
};
const mistakes = () => {
  const [number, expiry, cvc, name] = inputs.map(({ value }) => western(value));
  return findCardMistakes(normalizeTypedCard({ number, expiry, cvc, name }), now, facts);
};
const isNumber = (digits) => !findCardMistakes({ number: digits, expiry: "", cvc: "", name: "" }, now, facts).number;

// What is in no card number and in no expiry date stays as it was typed: the page says what belongs there.
const strange = /[^\d\s\p{Pd}./]/u;
let known = "";
const showNumber = ({ isComposing, inputType }) => {
  if (isComposing) return;
  let digits = digitsOf(number.value);
  if (strange.test(western(number.value)) && !isNumber(digits)) {
    known = "";
    return;
  }
  let before = digitsOf(number.value.slice(0, number.selectionStart)).length;
  if (digits === known) {
    // Only the space between two groups was deleted: the digit beyond it was meant.
    if (inputType === "deleteContentBackward" && before) digits = without(digits, --before);
    if (inputType === "deleteContentForward") digits = without(digits, before);
  }
  known = digits;
  if (number.value !== grouped(digits)) {
    number.value = grouped(digits);
    const caret = grouped(digits.slice(0, before)).length;
    if (document.activeElement === number) number.setSelectionRange(caret, caret);
  }
  const brand = field("brand");
  if (brand.textContent !== findBrand(digits)) brand.textContent = findBrand(digits);
};
number.addEventListener("input", showNumber);
number.addEventListener("compositionend", showNumber);

const expiryText = (text) => {
  const [, year, month] = /^\s*20(\d\d)-(\d\d?)\s*$/.exec(text) || [];
  const parts = /^\D*(\d{0,2})(\D*)(\d{0,4})\D*$/.exec(year ? month + "/" + year : text);
  if (!parts || strange.test(text)) return text;
  const isWhole = parts[1].length === 2 || parts[1] > 1 || (parts[1] && parts[2]);
  return isWhole ? parts[1].padStart(2, "0") + " / " + parts[3] : parts[1];
};
const showExpiry = ({ isComposing, inputType = "" }) => {
  // What is being corrected stays as it is until the field is left.
  if (isComposing || inputType.startsWith("delete")) return;
  if (expiry.selectionStart === expiry.value.length) expiry.value = expiryText(western(expiry.value));
};
expiry.addEventListener("input", showExpiry);
expiry.addEventListener("compositionend", showExpiry);
expiry.addEventListener("change", () => {
  expiry.value = expiryText(western(expiry.value)).replace(/\/ 20(\d\d)$/, "/ $1");
});
cvc.addEventListener("change", () => {
  cvc.value = western(cvc.value).trim();
});

const tell = (input, mistake = "") => {
  field(input.id + "-mistake").textContent = mistake;
  if (mistake) input.setAttribute("aria-invalid", "true");
  else input.removeAttribute("aria-invalid");
};
for (const input of inputs) {
  input.addEventListener("input", () => {
    tell(input, input !== holder && strange.test(western(input.value)) ? mistakes()[input.id] : "");
  });
  input.addEventListener("change", () => {
    const found = mistakes();
    for (const each of inputs) if (each.value) tell(each, found[each.id]);
  });
}
const isRight = () => {
  const found = mistakes();
  for (const input of inputs) tell(input, found[input.id]);
  const first = inputs.find(({ id }) => found[id]);
  if (first) first.focus();
  return !first;
};

let isSent = false;
const buttons = [...document.querySelectorAll("button")];
const texts = buttons.map((button) => button.lastElementChild);
const idle = texts.map((text) => text.innerHTML);
number.form.noValidate = true;
for (const form of document.forms)
  form.addEventListener("submit", (event) => {
    if (isSent || form === number.form && !isRight()) return event.preventDefault();
    isSent = true;
    buttons.forEach((button, index) => {
      button.disabled = true;
      if (button.form === form) field("progress").textContent = texts[index].textContent = button.dataset.busy;
    });
  });
// Also when the page comes back as it was left.
addEventListener("pageshow", () => {
  isSent = false;
  field("progress").textContent = "";
  buttons.forEach((button, index) => {
    button.disabled = false;
    texts[index].innerHTML = idle[index];
  });
  showNumber({});
});
`;
