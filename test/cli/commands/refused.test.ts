import { describe, expect, test } from "vitest";
import { json, scriptedServer } from "../../testkit/client/scripted-server.ts";
import {
  createServiceEnv,
  parseError,
  runPayments,
  type RunOptions,
} from "../../testkit/command/run-payments.ts";
import { endpointId, eventId } from "../../testkit/command/sending-commands.ts";
import { someKeys } from "../../testkit/command/temporary-home.ts";

// The command lines that each command refuses by itself. What oclif refuses for all is in help/usage-error.test.ts.

const order = "create --amount 1 --currency eur";
const url = "https://shop.example/hooks";
const adapter = { PAYMENTS_NETWORK_SECRET: "s3cret" };

const refused: [line: string | string[], message: string, env?: RunOptions["env"]][] = [
  [
    "create",
    "Missing --amount (in minor units: 4999 is 49.99), --currency (eur, usd or gbp) and a card (--test-card visa, --card-number, or --card-file; see payments test-cards).",
  ],
  [`${order} --test-card visa --data -`, "--data already holds the whole body: leave --amount"],
  [`${order} --test-card visa now`, "Unexpected argument: now."],
  [`${order} --hosted --test-card visa`, "The customer enters the card on the page"],
  [`${order} --hosted --card-number 4242424242424242`, "The customer enters the card on the page"],
  [`${order} --hosted --card-file card.json`, "The customer enters the card on the page"],
  [`${order} --test-card visa --return-url https://shop.example`, "--return-url needs --hosted"],
  [`${order} --test-card visa --expires-in 2h`, "--expires-in needs --hosted"],
  ...["299s", "31d", "300.5s"].map((life): [string, string] => [
    `${order} --hosted --expires-in ${life}`,
    "--expires-in must be whole seconds, from 5m to 30d.",
  ]),
  [`${order} --hosted --expires-in 3600`, "--expires-in must be a duration such as"],
  [`${order} --test-card visa --open`, "--open needs --hosted too."],
  [`${order} --test-card visa --print-url`, "--print-url needs --hosted too."],
  ["create --hosted --data - --return-url https://shop.example", "--data already holds the"],
  [`${order} --api-key-file - --card-file -`, "Standard input can be only one of --api-key-file"],
  [`${order} --idempotency-key 4242424242424242`, "--idempotency-key must not hold a card number"],
  [["get", ""], "<id> is empty."],
  ["get pay_1 --timeout 1s", "--timeout needs --wait or --expect"],
  ["get pay_1 --expect pending", "--expect must be one of succeeded, failed"],
  [["refund", "", "--yes"], "<id> is empty."],
  [`get ${someKeys.live}`, "<id> must be the id of a payment, such as pay_0199…. Nothing was"],
  [["refund", "4242 4242 4242 4242", "--yes"], "<id> must be the id of a payment, such as"],
  ["refund", "Missing the id of the payment. A refund also needs --yes where it cannot be"],
  ["refund --yes", "Missing the id of the payment."],
  ["list --limit 5 --all", "--limit and --all contradict each other. Give one of them."],
  ["list --starting-after pay_1 --ending-before pay_2", "--starting-after and --ending-before"],
  ["list --status lost", "--status must be pending, succeeded, failed or refunded."],
  ["list --created-gte yesterday", "--created-gte must be Unix seconds, a date or time such as"],
  ["list --json -o csv", "--json and --output csv contradict each other. Give one of them."],
  ["list --json -o ndjson", "--json and --output ndjson contradict each other. Give one of them."],
  ["list --fields id,amonut", "Unknown field in --fields: amonut."],
  ["get pay_1 --fields card.number", "Unknown field in --fields: number 1."],
  [`list --fields id,${someKeys.live}`, "Unknown field in --fields: number 2."],
  ["events list --type payment.faild", "--type must be payment.pending, payment.succeeded,"],
  ["events list --payment evt_1", "--payment must be the id of a payment, such as pay_0199…."],
  [`events list --payment ${someKeys.test}`, "--payment must be the id of a payment, such as"],
  ["events list --starting-after pay_1", "--starting-after must be the id of an event, such as"],
  ["events list --limit 5 --all", "--limit and --all contradict each other. Give one of them."],
  ["events list --fields amount", "Unknown field in --fields: amount."],
  [`events get ${endpointId}`, "<id> must be the id of an event, such as evt_0199…. Nothing was"],
  [`events resend ${eventId} --endpoint ${eventId}`, "--endpoint must be the id of a webhook"],
  [`webhooks create --url https://${someKeys.test}@shop.example/`, "--url must be an https"],
  [`webhooks create --url ${url} --events payment.faild`, "--events must be payment.pending,"],
  [`webhooks create --url ${url} --fields id,sekret`, "Unknown field in --fields: sekret."],
  ["webhooks create", "Missing --url."],
  [`webhooks update ${endpointId}`, "Nothing to change: give --url, --events or --description."],
  [`webhooks update ${eventId} --url ${url}`, "<id> must be the id of a webhook endpoint, such"],
  [`webhooks update ${endpointId} --url shop.example`, "--url must be an https address (in test"],
  [`webhooks roll ${endpointId} --overlap 90m`, "--overlap must be whole hours, from 0h to 168h."],
  [`webhooks roll ${endpointId} --overlap 8d`, "--overlap must be whole hours, from 0h to 168h."],
  [`webhooks roll ${someKeys.test}`, "<id> must be the id of a webhook endpoint, such as"],
  ["webhooks enable we_", "<id> must be the id of a webhook endpoint, such as we_0199…. Nothing"],
  ["webhooks disable", "Missing <id>: the id of a webhook endpoint, such as we_0199…."],
  [`webhooks get ${eventId}`, "<id> must be the id of a webhook endpoint, such as we_0199…."],
  ["webhooks list --fields secret", "Unknown field in --fields: secret."],
  [`webhooks deliveries ${endpointId} --starting-after ${eventId}`, "--starting-after must be"],
  [`webhooks delete ${eventId} --yes`, "<id> must be the id of a webhook endpoint, such as"],
  [`webhooks delete ${endpointId}`, "Deleting an endpoint needs --yes where it cannot be"],
  ["listen --since 1h --only-new", "--only-new and --since contradict each other."],
  ["listen --events payment.faild", "--events must be payment.pending, payment.succeeded,"],
  ["listen --forward-to localhost:3000", "--forward-to must be an http or https address without"],
  ["listen -o csv", "--output must be table, json or ndjson."],
  ["trigger payment.failed", "This makes test payments,", { PAYMENTS_API_KEY: someKeys.live }],
  ["trigger payment.faild", "<event> must be payment.pending, payment.succeeded, payment.failed"],
  ["trigger payment.failed --decline hpp_expired", "--decline must be generic_decline,"],
  ["trigger payment.succeeded --decline expired_card", "--decline is allowed only with"],
  ["trigger payment.failed --amount 49.99", "--amount is in minor units, without a fraction:"],
  ["network check http://adapter.example.com", "Card numbers would go to the card", adapter],
  ["network check adapter.example.com", "The adapter's address must be an http or", adapter],
  ["network check https://me:s3cret@adapter.example.com", "The adapter's address must", adapter],
  ["network check https://127.0.0.1:9", "PAYMENTS_NETWORK_SECRET is not set."],
  ["network check https://127.0.0.1:9", "PAYMENTS_NETWORK_SE", { PAYMENTS_NETWORK_SECRET: " \n" }],
  ["network check https://127.0.0.1:9", "PAYMENTS_NETWO", { PAYMENTS_NETWORK_SECRET: "s3\ncret" }],
  ["network check https://127.0.0.1:9 --challenge", "--challenge needs --challenge-card too."],
  [
    "network check https://127.0.0.1:9 --challenge-card 4242424242424242",
    "--challenge-card needs --challenge too.",
  ],
  ...["4242424242424241", "42424242424", "42424242424242424242", "42424242424242424242x"].map(
    (number): [string, string] => [
      `network check https://127.0.0.1:9 --challenge --challenge-card ${number}`,
      "--challenge-card must be a card number: 12 to 19 digits, the last of them the check digit.",
    ],
  ),
  ["keys create --name ci", "Missing --mode."],
  ["keys create --mode test", "Missing --name."],
  [["keys", "create", "--mode", "test", "--name", ""], "--name is empty."],
  [`keys create --mode test --name ${"x".repeat(5000)}`, "--name must be 1 to 200 characters,"],
  ["keys create --mode prod --name ci", "--mode must be test or live."],
  ["keys create --mode test --name ci --database postgres://user:s3cret@host", "The database is"],
  ["keys roll key_1 --overlap 366d", "--overlap must be at most 365d."],
  ["operators invite", "Missing --name (for example --name Ada) and --role (viewer, support,"],
  ["operators invite --role admin", "Missing --name (for example --name Ada)."],
  ["operators invite --name Ada", "Missing --role (viewer, support, admin)."],
  [["operators", "invite", "--name", " ", "--role", "admin"], "--name is empty."],
  ["operators invite --id op_1 --name Ada", "--id and --name contradict each other."],
  ["operators invite --name Ada --role admin --account a --all-accounts", "--all-accounts and"],
  ["mode prod", "<mode> must be test or live."],
  ["backup backup.db --database postgres://user:s3cret@host/db", "Back up PostgreSQL with its"],
  ["backup backup.db --database sqlite::memory:", "Name a file with --database."],
  ["serve --port 8402 --metrics-port 8402", "--metrics-port must be another port than --port."],
  ["serve --port 65536", "--port must be an integer of at most 65535."],
  ["serve --hpp-expiry 366d", "--hpp-expiry must be at most 365d."],
  ["serve --event-retention 3651d", "--event-retention must be at most 3650d."],
  ["serve --webhook-schedule ,", "--webhook-schedule must be a duration such as 500ms, 2s, 5m,"],
  ["serve --public-url payments.example.com", "--public-url must be an http or https address"],
  ["serve --database payments.db", "Give it as sqlite:FILE, such as sqlite:payments.db, or as"],
  [["serve", "--host", " "], "--host is empty."],
  ["serve --dashboard --trusted-proxies ,", "--trusted-proxies must be addresses or networks,"],
  ["serve --dashboard --host 0.0.0.0", "--dashboard needs an https --public-url, or a --host"],
  ["serve --network visa", "--network is neither simulator, nor stripe, nor an address."],
  ["serve --network https://adapter.example.com", "PAYMENTS_NETWORK_SECRET is not set."],
  ["serve --network http://adapter.example.com", "Card numbers would go to the card", adapter],
  ["serve --network stripe", "PAYMENTS_STRIPE_SECRET_KEY is not set."],
  ["serve --network stripe", "PAYMENTS_STRIPE_SECRE", { PAYMENTS_STRIPE_SECRET_KEY: "pk_live_1" }],
  [
    "serve --network stripe",
    "Card numbers",
    { PAYMENTS_STRIPE_SECRET_KEY: "sk_test_1", PAYMENTS_STRIPE_BASE_URL: "http://10.0.0.1" },
  ],
  [["list", "--database", ""], "--database is empty."],
  [["keys", "list", "--database", " "], "--database is empty."],
  [["list", "--base-url", ""], "--base-url is empty."],
  [["list", "--api-key-file", ""], "--api-key-file is empty."],
  [["list", "--service-version", ""], "--service-version is empty."],
  [["list", "--fields", "\t"], "--fields is empty."],
  [["keys", "list", "--account", ""], "--account is empty."],
  ["list", "PAYMENTS_DATABASE is empty.", { PAYMENTS_DATABASE: "" }],
  ["whoami", "PAYMENTS_BASE_URL is empty.", { PAYMENTS_BASE_URL: "" }],
  ["mode", "PAYMENTS_MODE is empty.", { PAYMENTS_MODE: " " }],
  ["list", "PAYMENTS_SERVICE_VERSION is empty.", { PAYMENTS_SERVICE_VERSION: "" }],
  ["list", "PAYMENTS_API_KEY is empty.", { PAYMENTS_API_KEY: "" }],
  ["whoami --offline", "PAYMENTS_API_KEY is empty.", { PAYMENTS_API_KEY: " " }],
];

describe.concurrent("a command refuses with exit 2, says why, repeats no secret, and sends nothing:", () => {
  test.each(refused)("%j: %s", async (line, message, env) => {
    const server = await scriptedServer(json(200, {}));
    const args = [...(typeof line === "string" ? line.split(" ") : line), "--json"];
    const ran = await runPayments(args, {
      env: { ...createServiceEnv(server.url), ...env },
      stdin: "{}",
    });
    expect(ran.exitCode).toBe(2);
    expect(parseError(ran)).toMatchObject({ code: "usage", http_status: null });
    expect(ran.stderr.replaceAll(String.raw`\"`, '"')).toContain(message);
    expect(ran.stderr).not.toMatch(/_sk_[0-9A-Za-z]|4242 ?4242|s3(?:\\n)?cret/);
    expect(server.requests).toEqual([]);
  });
});
