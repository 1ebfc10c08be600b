import { CommanderError } from 'commander';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { runnableCommands } from './florin-help';
import { testProgram } from './testing/test-program';

const root = resolve(__dirname, '../../..');
const filesIn = (folder: string, ending: string): readonly string[] =>
  readdirSync(join(root, folder))
    .filter((file) => file.endsWith(ending))
    .map((file) => `${folder}/${file}`);
const manifests = ['deploy/compose.yaml', ...filesIn('k8s', '.yaml')];
const texts = ['README.md', ...filesIn('docs', '.md'), ...manifests];

/** Every call of the command line in the documentation, in a code block or a sentence, without its comment and where its output goes. */
const printed = texts.flatMap((file) =>
  [...readFileSync(join(root, file), 'utf8').matchAll(/npm run (?:--silent )?florin -- ([^`\n]*)/g)].map(
    ([, line]) => ({ file, line: line!.replace(/ +([#|>]|&&) .*$/, '').trim() }),
  ),
);

/** The calls in the manifests of Compose and Kubernetes. */
const deployed = manifests.flatMap((file) => {
  const text = readFileSync(join(root, file), 'utf8').replace(/\n +- /g, ', ');
  return [...text.matchAll(/apps\/cli\/dist\/main\.js, ([^\]\n]*)/g)].map(([, line]) => ({
    file,
    line: line!.replaceAll(', ', ' '),
  }));
});

/** Splits like a shell. Placeholders such as `<review-id>` are ordinary words. */
const wordsOf = (line: string): string[] => (line.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', ''));

/** Parses the line with all actions replaced. Returns whether a command would run, or help or the version be printed. */
function isUnderstood(line: string): boolean {
  const program = testProgram();
  let isUnderstood = false;
  for (const command of runnableCommands(program)) command.action(() => void (isUnderstood = true));
  try {
    program.parse(wordsOf(line), { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError && error.exitCode === 0)) throw error;
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
    const expected = ['deploy/compose.yaml', 'k8s/audit.yaml', 'k8s/database.yaml', 'k8s/event-store.yaml'];
    expect([...new Set(deployed.map(({ file }) => file))]).toEqual(expected);
  });

  it.each([...printed, ...deployed])('can be parsed: $line, in $file', ({ line }) => {
    expect(isUnderstood(line)).toBe(true);
  });

  it('would fail with an unknown option or an extra argument', () => {
    expect(() => isUnderstood('companies activate id direct_invoices --capability services')).toThrow(/too many arg/);
    expect(() => isUnderstood('companies list --every')).toThrow(/unknown option '--every'/);
  });
});
