import type { createApp } from "../http/app.ts";
import { Unavailable } from "../../contract/failures.ts";
import { stopper } from "./stop-listening.ts";

/** Where to listen, and the option that chooses the port. */
type Place = { host: string; port: number; option: "--port" | "--metrics-port" };

export type Listening = {
  /** An address that a browser on this machine can open. */
  url: string;
  /** Takes no more connections, and finishes what is in flight. */
  stop: () => Promise<void>;
};

/** Lets an app listen; what is in flight when it stops may take `finishMs`, 10 s by default. Error: Unavailable. */
export async function listen(
  app: ReturnType<typeof createApp>,
  place: Place,
  finishMs?: number,
): Promise<Listening> {
  const stop = stopper(app.server, finishMs);
  try {
    const url = await app.listen({ host: place.host, port: place.port });
    return { url: reachable(url), stop: async () => stop(async () => app.close()) };
  } catch (error) {
    await app.close();
    throw new Unavailable(cannotListen(place, error as NodeJS.ErrnoException), { cause: error });
  }
}

function reachable(url: string): string {
  return url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:");
}

function cannotListen({ host, port, option }: Place, error: NodeJS.ErrnoException): string {
  switch (error.code) {
    case "EADDRINUSE":
      return `Port ${port} of ${host} is in use. Choose another one with ${option}, or ${option} 0 for any.`;
    case "EACCES":
      return `This user may not listen on port ${port}. Choose one from 1024 on with ${option}.`;
    default:
      // A name that is none may be anything that was typed: it is not repeated.
      return error.syscall === "getaddrinfo"
        ? "The host to listen on is not known. Choose an address of this machine with --host."
        : `The service cannot listen on ${host}, port ${port}: ${error.message}.`;
  }
}
