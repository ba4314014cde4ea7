import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { paymentWith } from "../testkit/api-objects.ts";
import { json, scriptedServer } from "../testkit/client/scripted-server.ts";
import { waitForEnd } from "../testkit/command/run-payments.ts";
import { createTemporaryHome, someKeys } from "../testkit/temporary.ts";
import { openTunnels } from "../testkit/sockets/raw-sockets.ts";
import { newCertificate, serveOverTls } from "../testkit/sockets/certificates.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** A way to start the command: from source, as built, or as one executable file. */
export const programs = {
  source: [process.execPath, join(root, "bin/dev.js")],
  built: [process.execPath, join(root, "bin/run.js")],
};

/**
 * Lines of a shell in which `payments` is the command, with their exit codes. They run in order: later lines
 * use payments of earlier ones. `$PAYMENT` is the payment of the first, `$SERVICE` and `$SECURE` are services
 * with one payment, `$TUNNEL` is a proxy to the latter. An undefined exit code depends on the machine. Lines for
 * `both` also run from source: they need what the build touches, such as a library's parts that are loaded late.
 */
const allInvocations: [line: string, exitCode: number | undefined, compared?: "both"][] = [
  // The command itself, its help and its usage errors.
  ["payments --version", 0],
  ["payments", 0],
  ["payments create --help", 0, "both"],
  ["payments keys", 0],
  ["payments serve --help", 0],
  ["payments lst", 2],
  ["payments list --statsu failed", 2],
  ["payments list --status faild", 2, "both"],
  ["payments list --limit many", 2],
  ["payments list --fields id,amuont", 2],
  ["payments completion bash", 0],
  ["payments test-cards", 0],
  ["payments licenses -o csv | grep -v ^node,", 0],
  // Payments, on the embedded service.
  ["payments create --amount 4999 --currency eur --test-card visa --json > first.json", 0, "both"],
  ["payments create --amount 100 --currency usd --test-card expired-card --expect expired_card", 0],
  [
    `payments create --data - --fields status,amount --json <<< '{"amount":1,"currency":"eur","card":{"number":"4242424242424242","exp_month":1,"exp_year":2040,"cvc":"123"}}'`,
    0,
  ],
  [
    "payments create --amount 4999 --currency eur --test-card visa --dry-run --idempotency-key one",
    0,
  ],
  ["payments create --hosted --amount 1 --currency eur", 2],
  ["payments get $PAYMENT", 0],
  ["payments get $PAYMENT -o csv", 0],
  ["payments get pay_missing --json", 5],
  ["payments refund $PAYMENT --yes", 0],
  ["payments refund $PAYMENT --yes --json", 6],
  ["payments list", 0],
  ["payments list --all -o ndjson", 0],
  ["payments list --all -o csv --fields id,amount,card.last4,decline_code", 0],
  ["payments list --all -o ndjson | head -1", 0],
  [
    "payments list --debug --limit 1 2>&1 >/dev/null | grep -c 'authorization: Bearer svc_test_sk_…'",
    0,
  ],
  ["payments list --limit 1 > /dev/full", 9],
  ["FORCE_COLOR=1 payments list --limit 1", 0],
  ["payments events list --limit 1 --fields type", 0],
  ["payments trigger payment.succeeded --json | head -c 1", 0],
  // Settings: read, stored and damaged ones.
  ["payments whoami", 0],
  ["payments mode live", 0],
  ["payments mode test", 0],
  ["PAYMENTS_API_KEY=$LIVE payments list --mode test --base-url $SERVICE", 4],
  ["payments login --base-url $SERVICE <<< $TEST", 0, "both"],
  ["payments whoami --json", 0],
  ["payments list --json", 0],
  [`payments mode test >/dev/null; echo '{"mode":' > home/config.json; payments mode`, 9],
  ["rm home/config.json; payments mode", 0],
  ["payments logout", 0],
  // Connections to a service: refused, unencrypted, through a proxy and a tunnel.
  ["PAYMENTS_API_KEY=$TEST payments list --base-url http://127.0.0.1:1 --max-retries 0 --json", 9],
  ["PAYMENTS_API_KEY=$TEST payments list --base-url https://nowhere.invalid --max-retries 0", 9],
  ["PAYMENTS_API_KEY=$TEST payments get pay_1 --base-url $SECURE --max-retries 0", 9],
  [
    "PAYMENTS_API_KEY=$TEST NODE_EXTRA_CA_CERTS=$TRUSTED payments get pay_1 --base-url $SECURE --json",
    0,
  ],
  [
    "PAYMENTS_API_KEY=$TEST HTTP_PROXY=$SERVICE payments get pay_1 --base-url http://payments.invalid --allow-http --json",
    0,
    "both",
  ],
  [
    "PAYMENTS_API_KEY=$TEST NODE_EXTRA_CA_CERTS=$TRUSTED HTTPS_PROXY=$TUNNEL payments get pay_1 --base-url https://payments.invalid --json",
    0,
    "both",
  ],
  [
    "PAYMENTS_API_KEY=$TEST HTTPS_PROXY=http://127.0.0.1:1 payments get pay_1 --base-url $SECURE --max-retries 0",
    9,
  ],
  // The service and its database.
  ["serving 127.0.0.1", 0],
  ["serving localhost --host localhost", 0, "both"],
  ["serving 127.0.0.1 --host 0.0.0.0", 0],
  ["serving ::1 --host ::1", undefined],
  ["payments serve --host nowhere.invalid --log-level silent", 9],
  ["payments serve --log-level loud --json", 2],
  ['payments keys create --mode test --name ci --json | grep -o \'"name":"ci"\'', 0],
  ["payments keys list", 0],
  ["payments accounts list --json", 0],
  ["payments webhooks list --json", 0],
  ["payments operators list", 0],
  ["payments migrate", 0],
  ["payments backup copy.db", 0],
  ["payments list --database postgres://nobody:secret@127.0.0.1:1/x", 9],
];

/** The lines that are run with every way to start the command, and all, which the executable is compared by. */
export const sourceInvocations = allInvocations.filter(([, , compared]) => compared === "both");
export const executableInvocations = allInvocations;

/** The lines' own functions: `serving HOST FLAG…` starts a service, queries it at the host, and ends it. */
const prelude = String.raw`
payments() { "$PROGRAM_1" ${'${PROGRAM_2:+"$PROGRAM_2"}'} "$@"; }
serving() {
  local at=$1 line; shift
  exec 3< <(exec "$PROGRAM_1" ${'${PROGRAM_2:+"$PROGRAM_2"}'} serve --port 0 --json --log-level silent "$@")
  local pid=$!
  read -r line <&3 || { wait $pid; return; }
  printf '%s\n' "$line"
  [[ $line =~ :([0-9]+)\" ]]
  exec 4<>"/dev/tcp/$at/${"${BASH_REMATCH[1]}"}"
  printf 'GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' >&4
  head -1 <&4
  kill $pid; wait $pid
}
set -o pipefail
`;
const pay1 = paymentWith({ id: "pay_1" });
const list = { object: "list", url: "/v1/payments", data: [pay1], has_more: false };
const account = {
  id: "acct_1",
  object: "account",
  name: "Shop",
  default_version: "2026-11-01",
  livemode: false,
};

const sendPay1: RequestListener = (_, response) => {
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify(pay1));
};

/** The servers of the lines, shared by all programs. */
export async function startPeers(): Promise<Record<string, string>> {
  const service = await scriptedServer((response, request) => {
    const { path } = request;
    const isOne = /^(?:http:\/\/payments\.invalid)?\/v1\/payments\/pay_1$/.test(path);
    return json(200, isOne ? pay1 : path === "/v1/account" ? account : list)(response, request);
  });
  const certificate = newCertificate("localhost");
  const behindProxy = newCertificate("payments.invalid");
  const trusted = join(createTemporaryHome(), "trusted.pem");
  writeFileSync(trusted, certificate.certificate + behindProxy.certificate);
  const tunnels = await openTunnels(await serveOverTls(behindProxy, sendPay1), createServer());
  return {
    SERVICE: service.url,
    SECURE: `https://localhost:${await serveOverTls(certificate, sendPay1)}`,
    TRUSTED: trusted,
    TUNNEL: `http://${tunnels.host}`,
    TEST: someKeys.test,
    LIVE: someKeys.live,
  };
}

/** Runs lines of a shell with one program, in a folder and a home of its own. */
export function runnerOf([command = "", script = ""]: string[], peers: Record<string, string>) {
  const folder = createTemporaryHome();
  const home = join(folder, "home");
  mkdirSync(home);
  const env = {
    PATH: process.env["PATH"],
    HOME: folder,
    PAYMENTS_HOME: home,
    TZ: "UTC",
    LC_ALL: "C",
    PROGRAM_1: command,
    PROGRAM_2: script,
    NODE_COMPILE_CACHE: join(folder, "compiled"), // else each process would compile the source anew
    ...peers,
  };
  const payment = `PAYMENT=$(grep -o 'pay_[a-zA-Z0-9-]*' first.json 2>/dev/null)`;
  return async (line: string) => {
    const shell = spawn("bash", ["-c", `${prelude}${payment}\n${line}`], { cwd: folder, env });
    shell.stdin.end();
    const { stdout, stderr, exitCode } = await waitForEnd(shell);
    return { stdout: comparable(stdout, folder), stderr: comparable(stderr, folder), exitCode };
  };
}

/** The output without the parts that differ from run to run: ids, times, ports, processes, folders. */
function comparable(text: string, folder: string): string {
  return text
    .replaceAll(folder, "FOLDER")
    .replaceAll(/file:\/\/\S*errors\.html/g, "ERRORS")
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "UUID")
    .replaceAll(/(…|"last4":")[a-zA-Z0-9]{4}\b/g, "$1KEY")
    .replaceAll(/"pid":\d+/g, '"pid":0')
    .replaceAll(/(127\.0\.0\.1|localhost|\[::1\]):\d+/g, "$1:PORT")
    .replaceAll(/\b1[789]\d{8}\b/g, "SECONDS")
    .replaceAll(/\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d)?/g, "TIME");
}
