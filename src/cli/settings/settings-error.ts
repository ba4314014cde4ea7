/** A setting that cannot be used: `key` where it concerns the key or its mode, else `usage`. */
export class SettingsError extends Error {
  override name = "SettingsError";
  readonly kind: "usage" | "key" | "storage";
  readonly hint: string | undefined;

  constructor(kind: "usage" | "key" | "storage", message: string, hint?: string) {
    super(message);
    this.kind = kind;
    this.hint = hint;
  }
}
