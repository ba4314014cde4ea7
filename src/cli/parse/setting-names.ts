export type Environment = Readonly<Record<string, string | undefined>>;

/** The flags and arguments that oclif's parser has read. */
export type ParsedTokens = readonly { type: string; flag?: string; input: string }[];

/** Names a setting as the user gave it: `--rate-limit`, or PAYMENTS_RATE_LIMIT where the variable gave the value. */
export type NameSetting = (flag: string) => string;

/** The variable of a flag: PAYMENTS_RATE_LIMIT of `rate-limit`. */
export function toVariable(flag: string): string {
  return `PAYMENTS_${flag.toUpperCase().replaceAll("-", "_")}`;
}

/**
 * The hint for a variable that Kubernetes has set in every pod beside a Service, such as
 * PAYMENTS_PORT=tcp://10.0.0.1:8402 beside one named payments; undefined for any other. `instead`: what to give in its
 * place.
 */
export function explainServiceLink(
  variable: string,
  env: Environment,
  instead: string,
): string | undefined {
  if (!env[variable]?.startsWith("tcp://")) return undefined;
  const service = variable
    .replace(/_PORT$/, "")
    .toLowerCase()
    .replaceAll("_", "-");
  return `Kubernetes sets ${variable} beside a Service that is named ${service}: set enableServiceLinks to false for the pod, or give ${instead}.`;
}

/** Lets the environment set each of the flags, by the variable named after it; a typed flag wins. */
export function withVariables<F extends Record<string, object>>(flags: F): F {
  const entries = Object.entries(flags).map(([name, flag]) => {
    return [name, { ...flag, env: toVariable(name) }] as const;
  });
  return Object.fromEntries(entries) as F;
}

/** Tells flags that were typed from those that a variable gave, so that an error names what has to be changed. */
export function nameSettings(raw: ParsedTokens, env: Environment): NameSetting {
  return (flag) => (isTyped(flag, raw) || !env[toVariable(flag)] ? `--${flag}` : toVariable(flag));
}

export function isTyped(flag: string, raw: ParsedTokens): boolean {
  return raw.some((token) => token.type === "flag" && token.flag === flag);
}
