const maxTags = 10;

/** The first language of an Accept-Language header in which amounts can be written, else English. */
export function parseLanguage(header: string | undefined): string {
  for (const item of (header ?? "").split(",", maxTags)) {
    const [tag = "", ...parameters] = item.split(";").map((part) => part.trim());
    if (parameters.some((parameter) => /^q=0(?:\.0*)?$/i.test(parameter))) continue;
    const [language] = findSupported(tag);
    if (language !== undefined) return language;
  }
  return "en";
}

function findSupported(tag: string): string[] {
  try {
    return Intl.NumberFormat.supportedLocalesOf(tag);
  } catch {
    return []; // no language tag at all, such as *
  }
}
