import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { commands } from './commands';
import { parseCommandLine } from './parse-command-line';

const root = resolve(__dirname, '../../..');
const texts = ['README.md', ...readdirSync(join(root, 'docs')).map((file) => `docs/${file}`)].filter((file) =>
  file.endsWith('.md'),
);

/** Every call of the command line that a text prints, in a block or in a sentence, without its comment. */
const printed = texts.flatMap((file) =>
  [...readFileSync(join(root, file), 'utf8').matchAll(/npm run (?:--silent )?florin -- ([^`\n]*)/g)].map(
    ([, line]) => ({ file, line: line!.replace(/ +# .*$/, '').trim() }),
  ),
);

/** As a shell would take it apart. A placeholder such as `<review-id>` is as good as any word. */
const wordsOf = (line: string): string[] => (line.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', ''));

describe('The commands that the documentation prints', () => {
  it('are found', () => {
    expect(new Set(printed.map(({ file }) => file))).toContain('docs/FUNDING.md');
    expect(printed.length).toBeGreaterThan(15);
  });

  it.each(printed)('can be typed: $line, in $file', ({ line }) => {
    const { command, given } = parseCommandLine(wordsOf(line), commands);
    expect(command !== undefined || given.has('help')).toBe(true);
  });
});

describe('An argument too many', () => {
  it('is answered with where to find the options', () => {
    expect(() => parseCommandLine(['companies', 'activate', 'id', 'direct_invoices'], commands)).toThrow(
      /does not know what to do with direct_invoices; .*--help tells the options/,
    );
  });
});
