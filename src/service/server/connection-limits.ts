import { Unavailable } from "../../runtime/failures.ts";
import { heapRoomBytes } from "../http/overload.ts";

/** How many connections a port takes at the same time. */
export type ConnectionLimits = {
  /** On the service's port. */
  clients: number;
  /** On a port of its own for metrics and probes. */
  probes: number;
};

/** Below this not even the process, its database and a few clients have room beside each other. */
const minOpenFiles = 64;
/**
 * What connections leave of the open files: some 30 for the process itself and SQLite, 10 for PostgreSQL, 32
 * for probes, and 128 for webhooks and the card network.
 */
const reservedFiles = 256;
const maxProbes = 32;
/** What a connection takes that sends nothing, or half a request: 11 KiB were measured. */
const connectionBytes = 16 * 1024;

/**
 * How many connections a process that may open so many files takes, with room kept for its database, log,
 * probes and outgoing requests, and in at most half the heap's size of memory. Error: Unavailable, where
 * there is too little room for a service.
 */
export function connectionLimits(openFiles = openFilesLimit()): ConnectionLimits {
  if (openFiles < minOpenFiles) {
    throw new Unavailable(
      `The service needs at least ${minOpenFiles} open files, and this process may have ${openFiles}.`,
      { hint: "Raise the limit: ulimit -n 65536, or LimitNOFILE=65536 in a systemd unit." },
    );
  }
  const byFiles = Math.max(openFiles - reservedFiles, Math.floor(openFiles / 4));
  const byMemory = Math.floor(heapRoomBytes() / 2 / connectionBytes);
  return {
    clients: Math.min(byFiles, byMemory),
    probes: Math.min(maxProbes, Math.floor(openFiles / 8)),
  };
}

type ResourceReport = { userLimits?: { open_files?: { soft: number | "unlimited" } } };

/** The process's own limit of open files; Infinity where the system has none. */
function openFilesLimit(): number {
  const report = process.report as typeof process.report & { excludeNetwork: boolean };
  const { excludeNetwork } = report;
  report.excludeNetwork = true; // else it looks up the name of every peer
  const { userLimits } = report.getReport() as ResourceReport;
  report.excludeNetwork = excludeNetwork;
  const soft = userLimits?.open_files?.soft;
  return typeof soft === "number" ? soft : Infinity;
}
