import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createSecureServer } from "node:http2";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { json, paymentWith, scriptedServer } from "../../testkit/client/scripted-server.ts";
import { openTunnels } from "../../testkit/sockets/open-tunnels.ts";
import { newCertificate, serveOverTls } from "../../testkit/sockets/certificates.ts";
import { newHome } from "../../testkit/command/temporary-home.ts";
import { against, printedPayment, runPayments } from "../../testkit/command/run-payments.ts";

const payment = paymentWith();

test("a command goes through the proxy that HTTP_PROXY names", async () => {
  const proxy = await scriptedServer(json(200, payment));
  const env = { ...against("http://payments.invalid"), HTTP_PROXY: proxy.url };
  const ran = await runPayments(["get", payment.id, "--json", "--allow-http"], { env });
  expect(printedPayment(ran)).toEqual(payment);
  expect(proxy.requests.map(({ path }) => path)).toEqual([
    `http://payments.invalid/v1/payments/${payment.id}`,
  ]);
});

describe("a command reaches an https service through the proxy that HTTPS_PROXY names", () => {
  const service = newCertificate("payments.invalid");
  const proxyItself = newCertificate("localhost");
  const { certificate: cert, key } = proxyItself;

  test.each([
    ["over http", "http", () => createServer()],
    [
      "over https, which speaks HTTP/2 as well",
      "https",
      () => createSecureServer({ cert, key, allowHTTP1: true }),
    ],
  ])("%s", async (_name, scheme, newServer) => {
    const port = await serveOverTls(service, (_request, response) => {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(payment));
    });
    const trusted = join(newHome(), "certificates.pem");
    writeFileSync(trusted, service.certificate + proxyItself.certificate);
    const proxy = await openTunnels(port, newServer());
    const env = {
      ...against("https://payments.invalid"),
      HTTPS_PROXY: `${scheme}://${proxy.host}`,
      NODE_EXTRA_CA_CERTS: trusted,
    };
    const ran = await runPayments(["get", payment.id, "--json"], { env });
    expect(printedPayment(ran)).toEqual(payment);
    expect(proxy.asked).toEqual(["payments.invalid:443"]);
  });
});

test("a command whose proxy is no address is exit 9", async () => {
  const env = { ...against("https://payments.invalid"), HTTPS_PROXY: "http://user:secret@:x" };
  const ran = await runPayments(["get", payment.id], { env });
  expect(ran).toMatchObject({ stdout: "", exitCode: 9 });
  expect(ran.stderr).toBe("Error: HTTPS_PROXY is not the address of a proxy.\n");
});
