/** The rows of a list that cost one token. A request pays the first one in advance. */
export const rowsPerToken = 50;

export function tokensFor(rows: number): number {
  return Math.ceil(rows / rowsPerToken);
}

/** A new secret is encrypted, stored and read by every dispatcher, and no company needs many of them. */
export const tokensPerRotation = 10;

/** Each costs as much as a request. */
export const maxBulkOperations = 500;
