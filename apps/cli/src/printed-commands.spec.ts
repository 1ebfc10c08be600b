import { CommanderError } from 'commander';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { runnableCommands } from './florin-help';
import { testProgram } from './testing/test-program';

const root = resolve(__dirname, '../../..');
const texts = ['README.md', ...readdirSync(join(root, 'docs')).map((file) => `docs/${file}`)].filter((file) =>
  file.endsWith('.md'),
);

/** Every call of the command line in the documentation, in a code block or a sentence, without its comment and where its output goes. */
const printed = texts.flatMap((file) =>
  [...readFileSync(join(root, file), 'utf8').matchAll(/npm run (?:--silent )?florin -- ([^`\n]*)/g)].map(
    ([, line]) => ({ file, line: line!.replace(/ +[#|>] .*$/, '').trim() }),
  ),
);

/** The calls in the Kubernetes manifests. */
const deployed = readdirSync(join(root, 'k8s')).flatMap((file) => {
  const text = readFileSync(join(root, 'k8s', file), 'utf8').replace(/\n +- /g, ', ');
  return [...text.matchAll(/apps\/cli\/dist\/main\.js, ([^\]\n]*)/g)].map(([, line]) => ({
    file: `k8s/${file}`,
    line: line!.replaceAll(', ', ' '),
  }));
});

/** Splits like a shell. Placeholders such as `<review-id>` are ordinary words. */
const wordsOf = (line: string): string[] => (line.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', ''));

/** Parses the line with all actions replaced. Returns whether a command would run or help would be printed. */
function isUnderstood(line: string): boolean {
  const program = testProgram();
  let isUnderstood = false;
  for (const command of runnableCommands(program)) command.action(() => void (isUnderstood = true));
  try {
    program.parse(wordsOf(line), { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError && error.code === 'commander.helpDisplayed')) throw error;
    return true;
  }
  return isUnderstood;
}

describe('The florin commands in the documentation', () => {
  it('are found', () => {
    expect(new Set(printed.map(({ file }) => file))).toContain('docs/FUNDING.md');
    expect(printed.length).toBeGreaterThan(15);
  });

  it('include those of the manifests', () => {
    expect(deployed.map(({ file }) => file)).toEqual(['k8s/audit.yaml', 'k8s/database.yaml', 'k8s/event-store.yaml']);
  });

  it.each([...printed, ...deployed])('can be parsed: $line, in $file', ({ line }) => {
    expect(isUnderstood(line)).toBe(true);
  });

  it('would fail with an unknown option or an extra argument', () => {
    expect(() => isUnderstood('companies activate id direct_invoices --capability services')).toThrow(/too many arg/);
    expect(() => isUnderstood('companies list --all')).toThrow(/unknown option '--all'/);
  });
});
