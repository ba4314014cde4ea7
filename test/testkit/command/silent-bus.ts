import { createServer } from "node:net";
import { join } from "node:path";
import { openUntilFileEnds } from "../open-until-file-ends.ts";
import { createTemporaryHome } from "./temporary-home.ts";

type SilentBus = {
  address: string;
  /** The number of all connections so far, and of the open ones. */
  connections: () => number;
  open: () => number;
};

/** A D-Bus that accepts connections and never responds. */
export async function startSilentBus(): Promise<SilentBus> {
  const path = join(createTemporaryHome(), "bus");
  let connections = 0;
  let open = 0;
  const server = createServer((socket) => {
    connections += 1;
    open += 1;
    socket.on("close", () => (open -= 1));
    socket.on("error", () => {}); // the other side is killed
    socket.resume();
    openUntilFileEnds(() => socket.destroy());
  });
  await new Promise<void>((resolve) => {
    server.listen(path, resolve);
  });
  openUntilFileEnds(() => server.close());
  return { address: `unix:path=${path}`, connections: () => connections, open: () => open };
}
