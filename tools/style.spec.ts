import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const root = resolve(__dirname, '..');

/** All files under version control, and new ones that Git does not ignore. */
const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((file) => file !== '' && existsSync(join(root, file)));

interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly nx?: { readonly tags?: readonly string[] };
}

interface Project extends Manifest {
  readonly folder: string;
}

const projects: readonly Project[] = files
  .filter((file) => /^(apps|clients|libs)\/.*package\.json$/.test(file))
  .map((file) => ({ ...readJson<Manifest>(file), folder: dirname(file) }));

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}

function readJson<T>(file: string): T {
  return JSON.parse(read(file)) as T;
}

function filesContaining(pattern: RegExp): string[] {
  return files.filter((file) => pattern.test(read(file)));
}

/** The lint rules identify contexts by package names, so a package is named after its folder. */
function packageNameOf(folder: string): string {
  if (folder === 'clients/typescript') return '@florin/sdk';
  return `@florin/${folder.replace(/^(apps|clients|libs(\/[^/]+)?\/adapters|libs)\//, '').replace('/', '-')}`;
}

/** `libs/ledger/domain` has a layer and a context; all other projects have only a layer. */
function kindsOfTags(folder: string): string[] {
  const isPartOfContext = /^libs\/(?!adapters\/)[^/]+\/[^/]+(\/[^/]+)?$/.test(folder);
  return isPartOfContext ? ['layer', 'context'] : ['layer'];
}

describe('the names of files and folders', () => {
  const namesOf = (file: string) => file.split('/');

  it('are in kebab-case', () => {
    const kebabCase = /^\.?[a-z0-9]+([-.][a-z0-9]+)*$/;
    const expectedByTools = /^([A-Z]+(\.md)?|Dockerfile|migration_lock\.toml|\d{14}_[a-z_]+)$/;
    const pythonModule = /^[a-z_]+\.py$/;
    const isGood = (name: string) => [kebabCase, expectedByTools, pythonModule].some((form) => form.test(name));
    expect(files.filter((file) => !namesOf(file).every(isGood))).toEqual([]);
  });

  it('describe the content', () => {
    const meaningless = new Set(['util', 'utils', 'common', 'helper', 'helpers', 'misc']);
    const isMeaningless = (name: string) => name.split(/[-.]/).some((word) => meaningless.has(word));
    expect(files.filter((file) => namesOf(file).some(isMeaningless))).toEqual([]);
  });
});

describe('the contents of files', () => {
  it('contain no absolute paths of a developer machine', () => {
    expect(filesContaining(/(?<![\w.~*-])\/(work|root|home\/\w+)\//)).toEqual([]);
  });

  it('contain no address of a package registry', () => {
    expect(
      filesContaining(/\b(registry|npm|artifactory|nexus)\.[a-z0-9-]+\.(com|org|net|dev)\b|\bnpmjs\.(com|org)/),
    ).toEqual([]);
  });
});

describe('projects', () => {
  it('cover every source file', () => {
    const sources = files.filter((file) => /^(apps|clients|libs)\/.*\.tsx?$/.test(file));
    expect(sources.filter((file) => !projects.some(({ folder }) => file.startsWith(`${folder}/`)))).toEqual([]);
  });

  it.each(projects)('$folder has the right name and tags, and no separate dependencies', (project) => {
    const kinds = project.nx?.tags?.map((tag) => tag.split(':')[0]);
    expect(project.name).toBe(packageNameOf(project.folder));
    expect(kinds).toEqual(kindsOfTags(project.folder));
    expect({ ...project.dependencies, ...project.devDependencies }).toEqual({});
  });

  it('can be imported by name when they are libraries', () => {
    const { compilerOptions } = readJson<{ compilerOptions: { paths: Record<string, string[]> } }>(
      'tsconfig.base.json',
    );
    const libraries = projects.filter(({ folder }) => /^(clients|libs)\//.test(folder));
    expect(compilerOptions.paths).toMatchObject(
      Object.fromEntries(libraries.map(({ name, folder }) => [name, [`./${folder}/src/index.ts`]])),
    );
  });
});

describe('dependencies', () => {
  it('have exact versions', () => {
    const { dependencies, devDependencies } = readJson<Manifest>('package.json');
    const versions = Object.entries({ ...dependencies, ...devDependencies });
    expect(versions.filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.-]+)?$/.test(version))).toEqual([]);
  });

  it('are locked without download addresses', () => {
    expect(read('package-lock.json')).not.toMatch(/"resolved": "\w+:/);
  });
});

describe('architecture decision records', () => {
  const records = files.filter((file) => /^docs\/adr\/\d{4}-.*\.md$/.test(file));
  const parts = [
    /^- Status: (accepted|superseded|deprecated)\b/m,
    /^- Date: \d{4}-\d{2}-\d{2}$/m,
    /^## Context$/m,
    /^## Decision$/m,
    /^## Consequences$/m,
  ];

  it.each(records)('%s has a status, a date, a context, a decision and consequences', (file) => {
    expect(parts.filter((part) => !part.test(read(file)))).toEqual([]);
  });
});
