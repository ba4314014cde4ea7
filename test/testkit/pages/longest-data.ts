/** Names of 200 characters: in one word, in many, from right to left, in wide characters, and of pictures. */
const names = [
  "w".repeat(200),
  "Wolfeschlegelsteinhausenbergerdorff & Partners, Haulage ".repeat(4).slice(0, 200),
  "شركة النقل والتجارة الدولية ".repeat(8).slice(0, 200),
  "東京国際貿易株式会社".repeat(20),
  "חברת הובלות בינלאומית ".repeat(10).slice(0, 200),
  "👩‍🚀".repeat(40),
];

const long = "long-".repeat(40);
const textsByField: Record<string, string> = {
  email: `${"c".repeat(64)}@${"shop-".repeat(30)}.example`,
  url: `https://shop.example/${"path".repeat(60)}?query=${"q".repeat(200)}`,
  last_error: `the endpoint answered 503: ${long}`,
  error: `the endpoint answered 503: ${long}`,
  answer: `{"message":"${long}"}\n`.repeat(5),
  idempotency_key: long,
  decline_message: `The bank refused, ${long}`,
};
const namedFields = new Set(["name", "description"]);

/** Data of the same shape, in which every text that others write is as long as it can be, and amounts are large. */
export function stretch<T>(data: T): T {
  let next = 0;
  const stretchField = (field: string, value: unknown): unknown => {
    if (field === "metadata") return { ["k".repeat(40)]: "v".repeat(500), note: names[2] };
    if (field === "amount" || field === "volume") return 123_456_789 + Number(value);
    if (typeof value === "string" && namedFields.has(field)) return names[next++ % names.length];
    if (typeof value === "string" && field in textsByField) return textsByField[field];
    return stretchValue(value);
  };
  const stretchValue = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map((each) => stretchValue(each));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([field, each]) => [field, stretchField(field, each)]),
    );
  };
  return stretchValue(data) as T;
}
