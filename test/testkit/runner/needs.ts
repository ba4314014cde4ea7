import { beforeEach } from "vitest";

/**
 * Skips the tests of a suite on a machine that lacks what they need; the report says what that is. A user's
 * rights or a folder are no reason to skip: such a test makes what it needs.
 */
export function needs(isThere: boolean, what: string): void {
  beforeEach(({ skip }) => skip(!isThere, `needs ${what}`));
}

export const onLinux = process.platform === "linux";
