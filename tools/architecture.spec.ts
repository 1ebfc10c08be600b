import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(__dirname, '..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' }).split(
  '\n',
);
const texts = files.filter((file) => /^([A-Z]+|docs\/.*)\.md$/.test(file) && file !== 'CHANGELOG.md');
const architecture = read('docs/ARCHITECTURE.md');

/** The names of files and folders that a text puts in backticks. */
const namesIn = (text: string) => [...text.matchAll(/`([\w.-]+(?:\/[\w.-]+)*)\/?`/g)].map(([, name]) => name!);

const isFromRoot = (name: string) => /^(apps|clients|libs|tools)\//.test(name);
const subfoldersOf = (folder: string) => [
  ...new Set(files.filter((file) => file.startsWith(`${folder}/`)).map((file) => file.split('/')[1]!)),
];

/** The folders that the layout lists below a root folder; a line can contain several names. */
function shownBelow(folder: string): readonly string[] {
  const [lines = ''] = new RegExp(`(?<=^${folder}/\n)( .*\n)+`, 'm').exec(architecture) ?? [];
  return [...lines.matchAll(/^ {2}(\S+\/(?:, \S+\/)*)/gm)].flatMap(([, names]) =>
    names!.replaceAll('/', '').split(', '),
  );
}

describe('The documentation', () => {
  it.each(texts)('names only existing files and folders: %s', (file) => {
    const paths = namesIn(read(file)).filter(isFromRoot);
    expect(paths.filter((path) => !files.some((candidate) => `${candidate}/`.startsWith(`${path}/`)))).toEqual([]);
  });
});

describe('The index of the documentation', () => {
  it('links every document', () => {
    const documents = texts.filter((file) => /^docs\/[A-Z]+\.md$/.test(file) && file !== 'docs/README.md');
    expect(documents.length).toBeGreaterThan(10);
    const index = read('docs/README.md');
    expect(documents.filter((file) => !index.includes(`](${file.slice('docs/'.length)})`))).toEqual([]);
  });
});

describe('ARCHITECTURE.md', () => {
  it('names only existing files, also without their folder', () => {
    const sources = namesIn(architecture).filter((name) => /\.(ts|mjs)$/.test(name));
    expect(sources.length).toBeGreaterThan(50);
    expect(sources.filter((source) => !files.some((file) => `/${file}`.endsWith(`/${source}`)))).toEqual([]);
  });

  it.each(['apps', 'clients', 'libs'])('lists exactly the folders of %s', (folder) => {
    expect([...shownBelow(folder)].sort()).toEqual(subfoldersOf(folder).sort());
  });

  it('names the streams of every decider', () => {
    const deciders = files.filter((file) => /^libs\/.*\.decider\.ts$/.test(file)).map(read);
    const categories = deciders.flatMap((decider) => /^ {2}category: '(\w+)'/m.exec(decider)?.[1] ?? []);
    expect(categories.length).toBeGreaterThan(10);
    const [streams = ''] = /^Streams: [^]*?\n\n/m.exec(architecture) ?? [];
    expect(categories.filter((category) => !streams.includes(`\`${category}-`))).toEqual([]);
  });
});

describe('Log lines in the documentation', () => {
  const sources = files.filter((file) => /^(apps|libs)\/.*(?<!\.spec)\.ts$/.test(file)).map(read);
  const isInSources = (text: string) => sources.some((source) => source.includes(text));
  /** A quoted sentence of three words or more; `…` and names in it differ from line to line. */
  const linesIn = (text: string) =>
    [...text.matchAll(/`([A-Z][a-z]*(?: [\w…;,:.-]+){2,})`/g)].map(([, line]) => line!.split(/…|\blive\b/));

  it.each(['docs/OPERATIONS.md', 'docs/CLUSTER.md', 'docs/FUNDING.md'])('are written by the code: %s', (file) => {
    const lines = linesIn(read(file));
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.filter((parts) => !parts.every((part) => isInSources(part.trim())))).toEqual([]);
  });
});
