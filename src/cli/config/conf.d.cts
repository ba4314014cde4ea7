import type { default as Conf, Options } from "conf" with { "resolution-mode": "import" };

/** Opens a JSON file, which is read and replaced by the `store` property. */
declare function openConf(options: Options<Record<string, unknown>>): Conf;
export = openConf;
