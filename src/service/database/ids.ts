/** Unix time in milliseconds. */
export type Clock = () => number;

export type Ids = {
  /** `pay_` and a UUIDv7; each is greater than the one before. */
  payment: () => string;
  /** `evt_` and a UUIDv7; each is greater than the one before. */
  event: () => string;
  /** `del_` and a UUIDv7. */
  delivery: () => string;
  /** `we_` and a UUIDv7 of which the last ten digits are random; each is greater than the one before. */
  endpoint: () => string;
  /** `whsec_` and 32 random bytes in base64. */
  webhookSecret: () => string;
  /** `acct_` and a UUIDv7. */
  account: () => string;
  /** `key_` and a UUIDv7. */
  apiKey: () => string;
  /** `op_` and a UUIDv7. */
  operator: () => string;
  /** `act_` and a UUIDv7; each is greater than the one before. */
  activity: () => string;
  /** `req_` and a UUIDv7; each is greater than the one before. */
  request: () => string;
  /** A UUID, unlike any other; no secret. */
  unique: () => string;
  /** Base62 characters from a cryptographic source. */
  secret: (length: number) => string;
};
