import { describe, expect, test } from "vitest";
import {
  drop,
  noHttp,
  scriptedServer,
  silence,
  type Answer,
} from "../../testkit/client/scripted-server.ts";
import { newCertificate, serveOverTls } from "../../testkit/sockets/certificates.ts";
import {
  expectSameErrors,
  expectErrorJson,
  expectErrorText,
  type Promised,
} from "../../testkit/command/error-forms.ts";
import { id, runCallAt } from "../../testkit/command/every-call.ts";

const once = ["--max-retries", "0"];
const promised: Promised = {
  exitCode: 9,
  code: "connection_failed",
  http_status: null,
  retryable: true,
  unclear: true,
  hint: "Check the base URL and the network.",
};

describe.concurrent("a lost connection ends list, get, create and refund in the same way:", () => {
  const cases: [what: string, answer: Answer, args: string[], message: RegExp][] = [
    ["before the response", drop, [], /other side closed/],
    ["since the other side does not speak HTTP", noHttp, [], /HTTP/],
    [
      "since no response comes in time",
      silence,
      ["--request-timeout", "6s"],
      /no answer within 6 s/,
    ],
  ];
  test.each(cases)("%s", async (...each) => {
    const [, answer, args, message] = each;
    const turn = cases.findIndex(([what]) => what === each[0]);
    const errors = await expectSameErrors(() => answer, [...once, ...args], turn, promised);
    for (const error of errors) {
      expect(error["type"]).toBe("cli_error");
      expect(error["message"]).toMatch(/^The service did not answer: [ -~]+\.$/);
      expect(error["message"]).toMatch(message);
    }
  });
});

const promisedUnsent: Promised = { ...promised, unclear: false, isSent: false };

describe.concurrent("an address without a service ends every call in the same way, and nothing was sent:", () => {
  const cases: [what: string, url: () => Promise<string>, message: RegExp][] = [
    ["nothing listens there", async () => findClosedPort(), /ECONNREFUSED/],
    [
      "https where http is spoken",
      async () => (await scriptedServer(silence)).url.replace("http:", "https:"),
      /does this port speak TLS\? try http:\/\//,
    ],
    [
      "the certificate is not trusted",
      async () => `https://localhost:${await serveOverTls(newCertificate("localhost"), () => {})}`,
      /self-signed certificate/,
    ],
  ];
  test.each(cases)("%s", async (_, addressOf, message) => {
    const url = await addressOf();
    const [read, create, inWords, refund] = await Promise.all([
      runCallAt(url, "list", "--json"),
      runCallAt(url, "create", "--json"),
      runCallAt(url, "create"),
      runCallAt(url, "refund", "--json"),
    ]);
    const error = expectErrorJson(create, "create", promisedUnsent);
    expect(error["message"]).toMatch(/^The service did not answer: [ -~]+\. Nothing was sent\.$/);
    expect(error["message"]).toMatch(message);
    expectErrorText(inWords, "create", promisedUnsent, error);
    const [readError, refundError] = [
      expectErrorJson(read, "list", promisedUnsent),
      expectErrorJson(refund, "refund", promisedUnsent),
    ];
    expect(refundError["message"]).toBe(error["message"]);
    expect(readError["message"]).toBe(String(error["message"]).replace(" Nothing was sent.", ""));
    expect(refund.stderr).not.toContain(id);
  });
});

/** The address of a server that has just closed. */
async function findClosedPort(): Promise<string> {
  const { url, close } = await scriptedServer();
  await close();
  return url;
}
