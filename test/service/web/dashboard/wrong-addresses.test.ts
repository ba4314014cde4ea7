import { describe, expect, test } from "vitest";
import type { Answer } from "../../../testkit/app/open-app.ts";
import { openDashboard, ownForm, textOf } from "../../../testkit/pages/open-dashboard.ts";

/** Addresses inside an account that lead nowhere. */
const wrong = [
  "/test/nowhere",
  "/live/nowhere",
  "/test/payments/pay_1/nowhere",
  "/test/keys/key_1",
  "/nowhere/payments",
  "/nowhere",
  "",
];

/** A page without the frame of an account. */
const bare = /<body>\s*<main class="unframed">/;

/** The parts of an answer that a visitor sees. */
function visiblePartsOf({ status, text, headers: { location, allow } }: Answer) {
  return { status, text, location, allow };
}

async function openTwoAccounts() {
  const opened = await openDashboard();
  const name = "Secret & Sons";
  const other = await opened.service.createAccount({ name });
  const inOther = { name: "Eve", accounts: [other.id] };
  return { ...opened, name, other: other.id, inOther };
}

describe("a wrong address inside an account", () => {
  test.each(wrong)("keeps the frame, and the way out: %s", async (path) => {
    const { signIn, other, inOther, name } = await openTwoAccounts();
    const { get } = await signIn("admin", inOther);
    const answer = await get(`/dashboard/${other}${path}`);
    expect(answer.status).toBe(404);
    expect(textOf(answer)).toMatch(
      /Secret &amp; Sons.*Eve admin.*Sign out everywhere.*Overview.*Keys.*Not found This page does not exist/,
    );
    const mode = path.startsWith("/live") ? "live" : "test";
    expect(answer.text).toContain(`href="/dashboard/${other}/${mode}/payments"`);
    expect(answer.text).toContain(
      `<title>Not found · ${name.replace("&", "&amp;")} · ${mode.toUpperCase()}`,
    );
  });

  test("keeps the frame that the role has", async () => {
    const { signIn, at } = await openDashboard();
    const { get } = await signIn("viewer");
    const text = textOf(await get(at("/nowhere")));
    expect(text).toContain("Ada viewer");
    expect(text).not.toMatch(/Keys|Webhooks|Team/);
  });

  test("keeps the frame for a form, and for another method", async () => {
    const { signIn, at } = await openDashboard();
    const { get, post } = await signIn();
    const sent = await post(at("/nowhere"), {}, ownForm);
    expect([sent.status, textOf(sent)]).toEqual([404, expect.stringContaining("Sign out")]);
    const wrongMethod = await get(at("/webhooks/we_1/enable"));
    expect([wrongMethod.status, wrongMethod.headers["allow"]]).toEqual([405, "POST"]);
    expect(textOf(wrongMethod)).toContain("Sign out");
  });

  test.each(wrong)("is to all others the same as one in no account: %s", async (path) => {
    const { signIn, visit, other } = await openTwoAccounts();
    const signedOut = await signIn("admin", { name: "Eve", accounts: [other] });
    await signedOut.post("/dashboard/sign-out");
    const cookie = "__Host-payments_session=nonsense";
    const visitors = {
      nobody: visit,
      "who makes up a session": async (address: string) => visit(address, { cookie }),
      "who has signed out": signedOut.get,
      "who is in another account": (await signIn("admin")).get,
    };
    for (const [who, visitPath] of Object.entries(visitors)) {
      const [inside, outside] = [
        await visitPath(`/dashboard/${other}${path}`),
        await visitPath(`/dashboard/acct_none${path}`),
      ];
      expect({ who, ...visiblePartsOf(inside) }).toEqual({ who, ...visiblePartsOf(outside) });
      expect(inside.text).not.toContain("Secret");
      expect(inside.text).not.toContain("Sign out");
    }
  });

  test("is wrong, too, while the store cannot be reached", async () => {
    let isAway = false;
    const { signIn, at } = await openDashboard({
      store: (real) => ({
        ...real,
        findSession: async (...query) => {
          if (isAway) throw new Error("The store is away.");
          return await real.findSession(...query);
        },
      }),
    });
    const { get } = await signIn();
    isAway = true;
    const answer = await get(at("/nowhere"));
    expect([answer.status, answer.text]).toEqual([404, expect.stringMatching(bare)]);
  });
});
