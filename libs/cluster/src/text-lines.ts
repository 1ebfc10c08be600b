import type { Readable } from 'node:stream';

/** Cuts what arrives in pieces into lines; a last one without an end counts, too. */
export function linesOf(stream: Readable, tell: (line: string) => void): void {
  let rest = '';
  stream.setEncoding('utf8');
  stream.on('data', (text: string) => {
    const lines = `${rest}${text}`.split('\n');
    rest = lines.pop() ?? '';
    lines.filter((line) => line !== '').forEach(tell);
  });
  stream.on('end', () => {
    if (rest !== '') tell(rest);
  });
}
