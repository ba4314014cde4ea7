import { expect, test } from "vitest";
import { formatCustomer } from "../../src/contract/search-words.ts";

const both = { email: "juergen.m@example.com", name: "Jürgen O’Neill-Müller" };
const [emailFirst, nameFirst] = [
  "juergen.m@example.com (Jürgen O’Neill-Müller)",
  "Jürgen O’Neill-Müller <juergen.m@example.com>",
];

test.each([
  [undefined, emailFirst],
  ["", emailFirst],
  ["49.99 visa", emailFirst],
  ["juergen.m@example.com", emailFirst],
  ["example.com", emailFirst],
  ["mü", emailFirst], // too short for a beginning
  ["ler", emailFirst], // no beginning
  ["Jürgen", nameFirst],
  ["juergen", nameFirst], // as in the address, too
  ["JURG", nameFirst],
  ["49.99 o'neill", nameFirst],
  ["neill", nameFirst],
  ["mueller,", nameFirst],
])("a search for %j shows a customer as %s", (search, shown) => {
  expect(formatCustomer(both, search)).toBe(shown);
});

test("a customer without a name, or an address, is the other one", () => {
  expect(formatCustomer({ email: "ada@example.com", name: "" }, "ada")).toBe("ada@example.com");
  expect(formatCustomer({ email: "", name: "Ada" })).toBe("Ada");
  expect(formatCustomer({ email: "", name: "" }, "ada")).toBe("");
});
