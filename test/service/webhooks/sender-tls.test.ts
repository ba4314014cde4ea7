import { describe, expect, test } from "vitest";
import {
  newCertificate,
  serveOverTls,
  type Certificate,
} from "../../testkit/sockets/certificates.ts";
import { rawServer } from "../../testkit/sockets/raw-sockets.ts";
import { senderForTest, webhookTo } from "../../testkit/service/webhooks.ts";

const lookUp = async () => ["127.0.0.1"];

/** Sends a webhook to hooks.example, whose server presents a certificate. */
async function sendTo(presented: Certificate, trusted: Certificate) {
  const received: (string | undefined)[] = [];
  const port = await serveOverTls(presented, (request, response) => {
    received.push(request.headers.host);
    response.end();
  });
  const sender = senderForTest({ lookUp, ca: trusted.certificate });
  const outcome = await sender.send(webhookTo(`https://hooks.example:${port}/`));
  return { outcome, received, port };
}

describe("over TLS a webhook is sent", () => {
  test("to a server with a trusted certificate for its name", async () => {
    const certificate = newCertificate("hooks.example");
    const { outcome, received, port } = await sendTo(certificate, certificate);
    expect(outcome).toMatchObject({ outcome: "delivered", status: 200 });
    expect(received).toEqual([`hooks.example:${port}`]);
  });

  const other = newCertificate("other.example");
  const expired = newCertificate("hooks.example", { days: -1 });
  test.each<[string, presented: Certificate, trusted: Certificate, error: string]>([
    [
      "that is not trusted",
      newCertificate("hooks.example"),
      other,
      "the certificate is not trusted",
    ],
    ["of another name", other, other, "the certificate is for another name"],
    ["that has expired", expired, expired, "the certificate has expired"],
  ])("not to a server with a certificate %s", async (_, presented, trusted, error) => {
    const { outcome, received } = await sendTo(presented, trusted);
    expect(outcome).toEqual({ outcome: "failed", status: null, error, answer: null });
    expect(received).toEqual([]);
  });

  test("not to a server with an untrusted certificate, even if NODE_TLS_REJECT_UNAUTHORIZED is 0", async () => {
    const untrusted = newCertificate("hooks.example");
    process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0";
    try {
      const { outcome, received } = await sendTo(untrusted, other);
      expect(outcome).toMatchObject({
        outcome: "failed",
        error: "the certificate is not trusted",
      });
      expect(received).toEqual([]);
    } finally {
      delete process.env["NODE_TLS_REJECT_UNAUTHORIZED"];
    }
  });

  test.each<[string, answer: string, error: string]>([
    ["HTTP", "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n", "the port does not speak TLS"],
    ["TLS, but for a handshake", "\x15\x03\x03\x00\x02\x02\x28", "the TLS connection failed"],
    ["nothing at all", "", "the connection was closed before the answer"],
  ])("not to a server that speaks %s", async (_, answer, error) => {
    const { port } = await rawServer((socket) => {
      socket.once("data", () => socket.end(answer, "latin1"));
    });
    const outcome = await senderForTest().send(webhookTo(`https://127.0.0.1:${port}/`));
    expect(outcome).toMatchObject({ outcome: "failed", status: null });
    expect(outcome).toHaveProperty("error", expect.stringContaining(error));
  });
});
