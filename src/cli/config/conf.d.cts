import type { default as Conf, Options } from "conf" with { "resolution-mode": "import" };

/** What a file holds, and what it is to hold. */
declare function openConf(options: Options<Record<string, unknown>>): Conf;
export = openConf;
