import { spawn } from "node:child_process";
import { createChildEnvironment } from "../../runtime/child-programs.ts";

/**
 * Opens a web address in the user's browser: with the program that BROWSER names, else with the operating
 * system's opener, neither of which receives the key or the database in its environment. Returns false if no
 * program could be started.
 */
export async function openInBrowser(
  address: string,
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = process.platform,
): Promise<boolean> {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) return false;
  const childEnv = createChildEnvironment(env);
  const own = env["BROWSER"];
  for (const [program, ...args] of [...(own ? [[own] as Opener] : []), getSystemOpener(platform)]) {
    if (await start(program, [...args, url.href], childEnv)) return true;
  }
  return false;
}

type Opener = [program: string, ...args: string[]];

function getSystemOpener(platform: NodeJS.Platform): Opener {
  if (platform === "darwin") return ["open"];
  if (platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler"];
  return ["xdg-open"];
}

/** Starts a program that outlives this process, without a shell, which would run commands inside an address. */
async function start(program: string, args: string[], env: NodeJS.ProcessEnv): Promise<boolean> {
  return await new Promise((resolve) => {
    const child = spawn(program, args, { env, detached: true, stdio: "ignore" });
    child.once("error", () => resolve(false));
    child.once("spawn", () => {
      child.unref();
      resolve(true);
    });
  });
}
