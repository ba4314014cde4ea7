import { describe, expect, test } from "vitest";
import { json, text, type Answer } from "../../testkit/client/scripted-server.ts";
import { expectSameErrors, type Promised } from "../../testkit/command/error-forms.ts";
import { respondTo, runCall, type Call } from "../../testkit/command/every-call.ts";

type Case = {
  what: string;
  answer: (call: Call) => Answer;
  status: number;
  promised?: Partial<Promised>;
};
const serviceIsDown =
  "A proxy may respond for a service that is down: try again later. If it goes on, check the base URL.";
const page = "<html><h1>Something else</h1></html>";
const omitField = (call: Call, field: string) =>
  JSON.parse(JSON.stringify(respondTo(call)).replace(`"${field}":`, `"_${field}":`)) as object;

const cases: Case[] = [
  {
    what: "a proxy's page with HTTP 502",
    answer: () => text(502, page),
    status: 502,
    promised: { retryable: true, hint: serviceIsDown },
  },
  {
    what: "a proxy's page with HTTP 429",
    answer: () => text(429, page),
    status: 429,
    promised: { exitCode: 7, retryable: true, unclear: false },
  },
  {
    what: "a page that is not found",
    answer: () => text(404, page),
    status: 404,
    promised: { unclear: false },
  },
  { what: "a redirect", answer: () => text(302, "", { location: "/login" }), status: 302 },
  { what: "a web page", answer: () => text(200, page), status: 200 },
  {
    what: "a payment without its mode",
    answer: (call) => json(200, omitField(call, "livemode")),
    status: 200,
  },
];

describe.concurrent("a response that is not from the payments API", () => {
  test.each(cases)("fails list, get, create and refund in the same way: $what", async (each) => {
    const { answer, status, promised } = each;
    const retries = ["--max-retries", promised?.retryable ? "0" : "2"];
    const errors = await expectSameErrors(answer, retries, cases.indexOf(each), {
      exitCode: 9,
      code: "unexpected_answer",
      http_status: status,
      retryable: false,
      unclear: true,
      hint: "Check the base URL.",
      ...promised,
    });
    for (const error of errors) expect(error["type"]).toBe("cli_error");
  });

  test.each(["get", "refund"] as const)(
    "fails %s if the response is another payment than the requested one: exit 9",
    async (call) => {
      const ran = await runCall(call, json(200, respondTo(call, { id: "pay_another" })));
      expect(ran).toMatchObject({ stdout: "", exitCode: 9 });
      expect(ran.stderr).toContain("another payment than the one asked for");
    },
  );
});
