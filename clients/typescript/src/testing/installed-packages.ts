import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

export const root = resolve(__dirname, '../../../..');

export interface PackedPackage {
  readonly name: string;
  readonly file: string;
  /** The paths of its files. */
  readonly contents: readonly string[];
}

/** The packages as npm publishes them, and empty projects in which they are installed. */
export class InstalledPackages {
  readonly packages: readonly PackedPackage[];
  private readonly folder = mkdtempSync(join(tmpdir(), 'florin-packages-'));

  constructor(...folders: readonly string[]) {
    const output = npm(root, [
      'pack',
      '--json',
      '--pack-destination',
      this.folder,
      ...folders.map((each) => `./${each}`),
    ]);
    const packed = JSON.parse(output) as { name: string; filename: string; files: { path: string }[] }[];
    this.packages = packed.map(({ name, filename, files }) => ({
      name,
      file: join(this.folder, filename.replace('@', '').replace('/', '-')),
      contents: files.map(({ path }) => path),
    }));
  }

  /** A project with these files, in which nothing but the packages is installed. */
  newProject(type: 'module' | 'commonjs', files: Readonly<Record<string, string>>): string {
    const project = join(this.folder, type);
    mkdirSync(project);
    writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'shop', private: true, type }));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(project, name), text);
    npm(project, ['install', '--offline', '--no-audit', '--no-fund', ...this.packages.map(({ file }) => file)]);
    return project;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Runs a program; what it prints is part of the error if it fails. */
export function run(cwd: string, command: string, args: readonly string[]): string {
  try {
    return execFileSync(command, args, { cwd, env: ownEnvironment(), encoding: 'utf8', stdio: 'pipe' });
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${command} ${args.join(' ')} failed:\n${stdout}${stderr}`, { cause: error });
  }
}

/** Runs the command of a package that is installed in this repository. */
export function runTool(cwd: string, name: string, args: readonly string[]): string {
  return run(cwd, join(root, 'node_modules/.bin', name), args);
}

function npm(cwd: string, args: readonly string[]): string {
  return run(cwd, 'npm', args);
}

/** Without the settings that `npm run` passes on, which belong to this repository. */
function ownEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_')));
}
