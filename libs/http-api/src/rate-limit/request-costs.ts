/** The rows of a list that cost one token. A request pays the first one in advance. */
export const rowsPerToken = 50;

export function tokensFor(rows: number): number {
  return Math.ceil(rows / rowsPerToken);
}
