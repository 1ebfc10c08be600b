const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/**
 * The first key that occurs twice in the same object of a JSON text, or undefined. `JSON.parse` keeps the last value of such
 * a key and other parsers the first, so that two systems can read two different requests from the same bytes. The text must
 * be valid JSON: a colon outside of strings then always follows a key.
 */
export function duplicateKey(json: string): string | undefined {
  const objects: Set<string>[] = [];
  let keys: Set<string> | undefined;
  let start = 0;
  let end = 0;
  for (let at = 0; at < json.length; at++) {
    switch (json.charCodeAt(at)) {
      case quote:
        start = at;
        at = end = endOfString(json, at);
        break;
      case colon: {
        const key = textOf(json, start, end);
        if (keys?.has(key)) return key;
        keys?.add(key);
        break;
      }
      case openBrace:
        if (keys !== undefined) objects.push(keys);
        keys = new Set();
        break;
      case closeBrace:
        keys = objects.pop();
        break;
    }
  }
  return undefined;
}

/** The index of the closing quote: the next one that is not escaped, which is after an even number of backslashes. */
function endOfString(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end !== -1; end = json.indexOf('"', end + 1)) {
    let before = end - 1;
    while (json.charCodeAt(before) === backslash) before--;
    if ((end - before) % 2 === 1) return end;
  }
  return json.length;
}

/** Escaped and plain spellings of a key are equal. */
function textOf(json: string, start: number, end: number): string {
  const text = json.slice(start + 1, end);
  return text.includes('\\') ? (JSON.parse(`"${text}"`) as string) : text;
}
