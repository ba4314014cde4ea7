import { beforeEach } from "vitest";

/**
 * Skips the tests of a suite where a machine lacks what they need; the report says what that is. What a
 * user or a folder lacks is no reason: such a test makes what it needs.
 */
export function needs(isThere: boolean, what: string): void {
  beforeEach(({ skip }) => skip(!isThere, `needs ${what}`));
}

export const onLinux = process.platform === "linux";
