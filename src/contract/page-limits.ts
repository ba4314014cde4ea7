export const maxPageSize = 100;
/** What the payments of a page come to at most. */
export const maxPageBytes = 1024 * 1024;
/** What a payment is kept in at most: little more than the largest body that makes one, 64 KiB. */
export const maxPaymentBytes = 68 * 1024;
export const defaultPageSize = 10;
