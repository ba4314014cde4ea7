// Helps the customer to type; the page works without it. It groups digits, names the brand, adds the slash of the expiry
// date, shows mistakes before the form is sent and the browser drops the card, and sends the form once however often the
// button is pressed. It stores and sends nothing.
/** @type {typeof import("./payment-page.ts").rules} */
const rules = globalThis.rules;
const { normalizeTypedCard, findCardMistakes } = rules;
/** @returns {any} the element with this id: an input, or where something is shown */
const field = (id) => document.getElementById(id);
/** @type {HTMLInputElement[]} */
const inputs = ["number", "expiry", "cvc", "name"].map(field);
const [number, expiry, cvc, holder] = inputs;

// Keyboards of other scripts write other digits.
const toAsciiDigits = (text) =>
  text.replace(/[\u0660-\u0669\u06f0-\u06f9\uff10-\uff19]/g, (digit) => digit.charCodeAt(0) & 15);
const getDigits = (text) => toAsciiDigits(text).replace(/\D/g, "");
const removeDigit = (digits, index) => digits.slice(0, index) + digits.slice(index + 1);

const findBrand = (digits) => rules.brandNames[rules.findBrandIn(rules.issuerRanges, digits)];
const groupDigits = (digits) =>
  /^3[47]/.test(digits)
    ? digits.replace(/^(.{4})(?=.)/, "$1 ").replace(/^(.{11})(?=.)/, "$1 ")
    : digits.replace(/.{4}(?=.)/g, "$& ");

const now = Number(number.form.dataset.now);
const words = JSON.parse(number.form.dataset.mistakes);
const facts = {
  ...rules,
  isAmex: (digits) => findBrand(digits) === rules.brandNames.amex,
  isStorableName: () => true, // the service knows
};
const findMistakes = () => {
  const texts = inputs.map(({ id, value }) => [id, toAsciiDigits(value)]);
  return findCardMistakes(normalizeTypedCard(Object.fromEntries(texts)), now, facts);
};
const isNumber = (digits) =>
  !findCardMistakes({ number: digits, expiry: "", cvc: "", name: "" }, now, facts).number;

// Other characters than those of a card number or an expiry date stay: the page shows the mistake.
const foreignCharacter = /[^\d\s\p{Pd}./]/u;
let shownDigits = "";
/** @param {Event & Partial<InputEvent>} event */
const showNumber = ({ isComposing = false, inputType = "" }) => {
  if (isComposing) return;
  let digits = getDigits(number.value);
  if (foreignCharacter.test(toAsciiDigits(number.value)) && !isNumber(digits)) {
    shownDigits = "";
    return;
  }
  let before = getDigits(number.value.slice(0, number.selectionStart)).length;
  if (digits === shownDigits) {
    // Only the space between two groups was deleted: the customer meant the digit beyond it.
    if (inputType === "deleteContentBackward" && before) digits = removeDigit(digits, --before);
    if (inputType === "deleteContentForward") digits = removeDigit(digits, before);
  }
  shownDigits = digits;
  if (number.value !== groupDigits(digits)) {
    number.value = groupDigits(digits);
    const caret = groupDigits(digits.slice(0, before)).length;
    if (document.activeElement === number) number.setSelectionRange(caret, caret);
  }
  const brand = field("brand");
  if (brand.textContent !== findBrand(digits)) brand.textContent = findBrand(digits);
};
number.addEventListener("input", showNumber);
number.addEventListener("compositionend", showNumber);

const formatExpiry = (text) => {
  const [, year, month] = /^\s*20(\d\d)-(\d\d?)\s*$/.exec(text) || [];
  const parts = /^\D*(\d{0,2})(\D*)(\d{0,4})\D*$/.exec(year ? month + "/" + year : text);
  if (!parts || foreignCharacter.test(text)) return text;
  const isWhole = parts[1].length === 2 || Number(parts[1]) > 1 || (parts[1] && parts[2]);
  return isWhole ? parts[1].padStart(2, "0") + " / " + parts[3] : parts[1];
};
/** @param {Event & Partial<InputEvent>} event */
const showExpiry = ({ isComposing = false, inputType = "" }) => {
  // A correction stays as it is until the field is left.
  if (isComposing || inputType.startsWith("delete")) return;
  if (expiry.selectionStart === expiry.value.length)
    expiry.value = formatExpiry(toAsciiDigits(expiry.value));
};
expiry.addEventListener("input", showExpiry);
expiry.addEventListener("compositionend", showExpiry);
expiry.addEventListener("change", () => {
  expiry.value = formatExpiry(toAsciiDigits(expiry.value)).replace(/\/ 20(\d\d)$/, "/ $1");
});
cvc.addEventListener("change", () => {
  cvc.value = toAsciiDigits(cvc.value).trim();
});

const showMistake = (input, mistake = "") => {
  field(input.id + "-mistake").textContent = mistake && words[mistake];
  if (mistake) input.setAttribute("aria-invalid", "true");
  else input.removeAttribute("aria-invalid");
};
for (const input of inputs) {
  input.addEventListener("input", () => {
    showMistake(
      input,
      input !== holder && foreignCharacter.test(toAsciiDigits(input.value))
        ? findMistakes()[input.id]
        : "",
    );
    removeNotice();
  });
  input.addEventListener("change", () => {
    const found = findMistakes();
    for (const each of inputs) if (each.value) showMistake(each, found[each.id]);
  });
}
const notice = field("notice");
const showNotice = (found) => {
  const text = document.createElement("strong");
  text.textContent = number.form.dataset.check;
  notice.className = "notice";
  notice.hidden = !inputs.some(({ id }) => found[id]);
  notice.replaceChildren(text);
};
// The notice leaves while the last mistake is corrected: a button that moves as the field is left would miss its click.
const removeNotice = () => {
  if (!notice.matches(".waiting") && !inputs.some((input) => input.ariaInvalid))
    notice.hidden = true;
};
const isValid = () => {
  const found = findMistakes();
  for (const input of inputs) showMistake(input, found[input.id]);
  showNotice(found);
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
    if (isSent || (form === number.form && !isValid())) return event.preventDefault();
    isSent = true;
    buttons.forEach((button, index) => {
      button.disabled = true;
      button.classList.toggle("busy", button.form === form);
      if (button.form === form)
        field("progress").textContent = texts[index].textContent = button.dataset.busy;
    });
  });
// The browser may restore the page as the customer left it, with disabled buttons.
addEventListener("pageshow", () => {
  isSent = false;
  field("progress").textContent = "";
  buttons.forEach((button, index) => {
    button.disabled = false;
    button.classList.remove("busy");
    texts[index].innerHTML = idle[index];
  });
  showNumber(new Event("input"));
});
