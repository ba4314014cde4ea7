import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { json, paymentWith, scriptedServer } from "../../client/scripted-server.ts";
import { openUntilFileEnds } from "../../open-until-file-ends.ts";
import { newCertificate, serveOverTls } from "../../service/webhooks/certificates.ts";
import { newHome } from "../settings/temporary-home.ts";
import { against, printedPayment, runPayments } from "./run-payments.ts";

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

/** A proxy whose tunnels all lead to one port of this machine, whatever host is asked for. */
async function tunnelsTo(port: number) {
  const asked: (string | undefined)[] = [];
  const server = createServer();
  server.on("connect", ({ url }, socket) => {
    asked.push(url);
    const upstream = connect(port, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      socket.pipe(upstream).pipe(socket);
    });
    upstream.on("error", () => socket.destroy());
    socket.on("error", () => upstream.destroy());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  openUntilFileEnds(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

test("a command reaches an https service through the proxy that HTTPS_PROXY names", async () => {
  const identity = newCertificate("payments.invalid");
  const port = await serveOverTls(identity, (_request, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(payment));
  });
  const trusted = join(newHome(), "certificate.pem");
  writeFileSync(trusted, identity.certificate);
  const proxy = await tunnelsTo(port);
  const env = {
    ...against("https://payments.invalid"),
    HTTPS_PROXY: proxy.url,
    NODE_EXTRA_CA_CERTS: trusted,
  };
  const ran = await runPayments(["get", payment.id, "--json"], { env });
  expect(printedPayment(ran)).toEqual(payment);
  expect(proxy.asked).toEqual(["payments.invalid:443"]);
});

test("a command whose proxy is no address is exit 9", async () => {
  const env = { ...against("https://payments.invalid"), HTTPS_PROXY: "http://user:secret@:x" };
  const ran = await runPayments(["get", payment.id], { env });
  expect(ran).toMatchObject({ stdout: "", exitCode: 9 });
  expect(ran.stderr).toBe("Error: HTTPS_PROXY is not the address of a proxy.\n");
});
