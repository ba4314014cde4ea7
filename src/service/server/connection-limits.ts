import { Unavailable } from "../../runtime/failures.ts";
import { computeHeapLimitBytes } from "../http/shed-load.ts";

/** Fewer are not enough for the process, its database and a few clients. */
const minOpenFiles = 64;

/** For the process and SQLite (30), PostgreSQL (10), probes (32), webhooks and the card network (128). */
const reservedFiles = 256;

const maxProbes = 32;

/** Memory of a connection that sends nothing, or half a request: 11 KiB were measured. */
const connectionBytes = 16 * 1024;

/**
 * The maximum numbers of connections on the service's port (`clients`) and on a port for metrics and probes. The
 * limit of open files, less those of the database, the log and outgoing requests, bounds them, and so does half
 * of the heap's size. Error: Unavailable, if the limit is too low for a service.
 */
export function computeConnectionLimits(openFiles = readOpenFilesLimit()) {
  if (openFiles < minOpenFiles) {
    throw new Unavailable(
      `The service needs at least ${minOpenFiles} open files, and this process may have ${openFiles}.`,
      { hint: "Raise the limit: ulimit -n 65536, or LimitNOFILE=65536 in a systemd unit." },
    );
  }
  const byFiles = Math.max(openFiles - reservedFiles, Math.floor(openFiles / 4));
  const byMemory = Math.floor(computeHeapLimitBytes() / 2 / connectionBytes);
  return {
    clients: Math.min(byFiles, byMemory),
    probes: Math.min(maxProbes, Math.floor(openFiles / 8)),
  };
}

type ResourceReport = { userLimits?: { open_files?: { soft: number | "unlimited" } } };

function readOpenFilesLimit(): number {
  const report = process.report as typeof process.report & { excludeNetwork: boolean };
  const { excludeNetwork } = report;
  report.excludeNetwork = true; // else it looks up the name of every peer
  const { userLimits } = report.getReport() as ResourceReport;
  report.excludeNetwork = excludeNetwork;
  const soft = userLimits?.open_files?.soft;
  return typeof soft === "number" ? soft : Infinity;
}
