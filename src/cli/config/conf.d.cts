import type { default as Conf, Options } from "conf" with { "resolution-mode": "import" };

/** Opens a JSON file: its `store` property reads and replaces the content. */
declare function openConf(options: Options<Record<string, unknown>>): Conf;
export = openConf;
