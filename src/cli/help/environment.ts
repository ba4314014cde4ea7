/** The variables that commands read, in the order in which a person meets them. */
export const environmentVariables: readonly (readonly [name: string, meaning: string])[] = [
  ["PAYMENTS_API_KEY", "The API key. Its prefix says its mode."],
  ["PAYMENTS_BASE_URL", "The service to talk to, or `embedded`."],
  ["PAYMENTS_MODE", "`test` or `live`."],
  ["PAYMENTS_SERVICE_VERSION", "The API version to pin, a date."],
  [
    "PAYMENTS_DATABASE",
    "The database of `serve`, of the commands that work on it, and of the embedded service.",
  ],
  ["PAYMENTS_ACCOUNT", "The account in that database, by its id, where there are several."],
  ["PAYMENTS_NETWORK", "Where live payments of `serve` go, as --network says."],
  ["PAYMENTS_NETWORK_SECRET", "The secret that the adapter of a card network asks for."],
  [
    "PAYMENTS_STRIPE_SECRET_KEY",
    "The secret key of the Stripe account of `serve --network stripe`.",
  ],
  ["PAYMENTS_STRIPE_BASE_URL", "Something that stands in for Stripe, in rehearsals."],
  ["PAYMENTS_DASHBOARD", "1: `serve` shows the dashboard, as --dashboard says."],
  ["PAYMENTS_HOME", "One directory in place of the XDG base directories."],
  ["HTTPS_PROXY", "The proxy on the way to an https service; HTTP_PROXY to an http one."],
  ["NO_PROXY", "Hosts, separated by commas, that are reached without it."],
  ["NODE_EXTRA_CA_CERTS", "A file with certificate authorities to trust besides the usual ones."],
  [
    "NODE_TLS_REJECT_UNAUTHORIZED",
    "Leave it unset: `0` turns off the check of certificates. It is warned of, and refused in live mode.",
  ],
  ["BROWSER", "The program that `create --open` and `dashboard` open a page with."],
  ["SUDO_USER", "Who runs a command by sudo: kept with what it does on the service's database."],
  ["NO_COLOR", "No colours. FORCE_COLOR=1 asks for them also in a pipe."],
  ["CI", "Nothing is ever asked."],
  ["ACCESSIBLE", "Questions line by line, nothing redrawn or coloured; as with TERM=dumb."],
];
