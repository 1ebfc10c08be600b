/**
 * Parses JSON and remembers the newest text, because all readers of one scan parse the same event one after another. The
 * result must not be changed.
 */
export function parseOnce<Parsed>(): (text: string) => Parsed {
  let newest: { readonly text: string; readonly parsed: Parsed } | undefined;
  return (text) => {
    if (newest?.text !== text) newest = { text, parsed: JSON.parse(text) as Parsed };
    return newest!.parsed;
  };
}
