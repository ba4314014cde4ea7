import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { openView, outcomeView, shownPages } from "../../../testkit/pages/shown-page.ts";

const { open } = shownPages();
let form: Page | undefined;

/** The form in a window that all tests share: each finds it empty, and without a mistake. */
async function openForm(): Promise<Page> {
  form ??= await open(openView());
  await form.evaluate(`
    document.activeElement.blur();
    for (const input of document.querySelectorAll("form input")) {
      input.value = "";
      input.dispatchEvent(new Event("input"));
    }
  `);
  return form;
}

describe("the card number", () => {
  test.each([
    ["4242424242424242", "4242 4242 4242 4242", "Visa"],
    ["5555 5555-5555.4444", "5555 5555 5555 4444", "Mastercard"],
    ["378282246310005", "3782 822463 10005", "American Express"],
    ["６０１１ ١١١١ ۱۱۱۱ 1117", "6011 1111 1111 1117", "Discover"],
    ["62000000000000051234567", "6200 0000 0000 0005 1234 567", "UnionPay"],
    ["9999", "9999", ""],
  ])("typed as %s is %s, of the brand %j", async (typed, text, brand) => {
    const page = await openForm();
    await page.locator("#number").pressSequentially(typed);
    expect(await page.inputValue("#number")).toBe(text);
    expect(await page.textContent("#brand")).toBe(brand);
  });

  test("is extracted and grouped when it is pasted with other text", async () => {
    const page = await openForm();
    await page.fill("#name", "Card: 4000-0000-0000-9995 (Ada)");
    await page.focus("#name");
    await page.keyboard.press("Control+A");
    await page.keyboard.press("Control+C");
    await page.focus("#number");
    await page.keyboard.press("Control+V");
    expect(await page.inputValue("#number")).toBe("4000 0000 0000 9995");
    expect(await readCaret(page)).toBe(19);
  });

  test.each([
    ["a digit in the middle", 2, ["0"], "1203 4567 8", 3],
    ["a digit at the end of a group", 4, ["0"], "1234 0567 8", 6],
    ["Backspace in the middle", 2, ["Backspace"], "1345 678", 1],
    ["Backspace behind a space", 5, ["Backspace"], "1235 678", 3],
    ["Backspace from one group into another", 6, ["Backspace", "Backspace"], "1236 78", 3],
    ["Delete before a space", 4, ["Delete"], "1234 678", 4],
    ["a letter, which stays", 3, ["x"], "123x4 5678", 4],
    ["a letter that is deleted", 3, ["x", "Backspace"], "1234 5678", 3],
  ])("leaves the caret in the right position: %s", async (_, from, keys, text, at) => {
    const page = await openForm();
    await page.locator("#number").pressSequentially("12345678");
    await page.keyboard.press("Home");
    for (let i = 0; i < from; i++) await page.keyboard.press("ArrowRight");
    for (const key of keys) await page.keyboard.press(key);
    expect(await page.inputValue("#number")).toBe(text);
    expect(await readCaret(page)).toBe(at);
  });
});

describe("the expiry date", () => {
  test.each([
    ["1230", "12 / 30"],
    ["530", "05 / 30"],
    ["1/30", "01 / 30"],
    ["01/2030", "01 / 30"],
    ["1 - 30", "01 / 30"],
    ["٠٥٣٠", "05 / 30"],
    ["13", "13 / "],
  ])("typed as %s is %s", async (typed, text) => {
    const page = await openForm();
    await page.locator("#expiry").pressSequentially(typed);
    await page.keyboard.press("Tab");
    expect(await page.inputValue("#expiry")).toBe(text);
  });

  test.each([
    ["2030-05", "05 / 30"],
    ["05/30", "05 / 30"],
    ["12/31/2030", "12/31/2030"],
    ["Dec 2030", "Dec 2030"],
  ])("pasted as %s is %s", async (pasted, text) => {
    const page = await openForm();
    await page.fill("#expiry", pasted);
    await page.keyboard.press("Tab");
    expect(await page.inputValue("#expiry")).toBe(text);
  });

  test("can be deleted completely, and typed anew", async () => {
    const page = await openForm();
    await page.locator("#expiry").pressSequentially("1230");
    for (let i = 0; i < "12 / 30".length; i++) await page.keyboard.press("Backspace");
    expect(await page.inputValue("#expiry")).toBe("");
    await page.locator("#expiry").pressSequentially("0829");
    expect(await page.inputValue("#expiry")).toBe("08 / 29");
  });

  test("is not formatted while its middle is corrected", async () => {
    const page = await openForm();
    await page.locator("#expiry").pressSequentially("1230");
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Delete");
    await page.keyboard.press("1");
    expect(await page.inputValue("#expiry")).toBe("11 / 30");
    expect(await readCaret(page)).toBe(2);
  });
});

describe("a mistake is shown", () => {
  test.each([
    ["number", "4242x", "Enter the card number in digits only."],
    ["expiry", "Dec", "Enter the month and year as shown on the card, such as 09/30."],
    ["cvc", "12a", "Enter the 3 digits on the back of the card."],
  ])("for a letter in %s at once, until it is corrected", async (id, typed, mistake) => {
    const page = await openForm();
    await page.locator(`#${id}`).pressSequentially(typed);
    expect(await page.inputValue(`#${id}`)).toBe(typed);
    expect(await page.textContent(`#${id}-mistake`)).toBe(mistake);
    expect(await page.getAttribute(`#${id}`, "aria-invalid")).toBe("true");
    for (const _ of typed) await page.keyboard.press("Backspace");
    expect(await page.textContent(`#${id}-mistake`)).toBe("");
    expect(await page.getAttribute(`#${id}`, "aria-invalid")).toBeNull();
  });

  test.each([
    ["number", "4242 4242 4242 4241", "Enter a valid card number."],
    ["number", "4242", "Enter the whole card number. It has 12 to 19 digits."],
    ["expiry", "1330", "Enter a month from 01 to 12."],
    ["expiry", "1026", "This card has expired. Use another card."],
    ["cvc", "12", "Enter the 3 digits on the back of the card."],
    ["name", "4242424242424242", "Enter the name as shown on the card."],
  ])("when %s is left with %s", async (id, typed, mistake) => {
    const page = await openForm();
    await page.locator(`#${id}`).pressSequentially(typed);
    expect(await page.textContent(`#${id}-mistake`)).toBe("");
    await page.locator(`#${id}`).blur();
    expect(await page.textContent(`#${id}-mistake`)).toBe(mistake);
  });

  test("for a security code that does not fit the brand, even if the number is typed last", async () => {
    const page = await openForm();
    await page.fill("#cvc", "123");
    await page.fill("#number", "378282246310005");
    await page.locator("#number").blur();
    expect(await page.textContent("#cvc-mistake")).toBe(
      "Enter the 4 digits on the front of the card.",
    );
  });
});

test("the page says to check the marked fields, until the last one is corrected", async () => {
  const page = await openForm();
  const notice = page.locator("#notice");
  expect(await notice.isVisible()).toBe(false);
  await page.fill("#number", "4242 4242 4242 4241");
  await page.fill("#cvc", "123");
  await page.locator("form .primary").click();
  expect(await notice.textContent()).toBe("Check the marked fields.");
  expect(await notice.getAttribute("role")).toBe("alert");
  await page.locator("#expiry").pressSequentially("1230");
  expect(await notice.isVisible()).toBe(true);
  await page.locator("#number").fill("4242424242424242");
  expect(await notice.isVisible()).toBe(false);
});

test("a receipt shows the time of the customer's zone, and UTC without a script", async () => {
  const times: (string | null)[] = [];
  for (const javaScriptEnabled of [true, false]) {
    const page = await open(outcomeView("paid"), { timezoneId: "Asia/Tokyo", javaScriptEnabled });
    times.push(await page.locator("time").textContent());
  }
  expect(times).toEqual(["23 November 2026 at 03:05", "22 November 2026 at 18:05 UTC"]);
});

async function readCaret(page: Page): Promise<number> {
  return page.evaluate("document.activeElement.selectionStart");
}
