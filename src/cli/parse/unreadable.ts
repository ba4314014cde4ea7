/** Why a file cannot be read, without its path: what was typed for one may be a key or a card. */
export function describeReadError(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  switch (code) {
    case "ENOENT":
    case "ENOTDIR":
      return "there is no such file";
    case "EISDIR":
      return "it is a directory";
    case "EACCES":
    case "EPERM":
      return "this user may not read it";
    case "ENAMETOOLONG":
    case "ERR_INVALID_ARG_VALUE":
      return "that is not the name of a file";
    default:
      return `the system says ${code === "" ? "no" : code}`;
  }
}
