import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const execute = promisify(execFile);

const OLDEST_JAVA = 17;

/** The version text of the installed `java`. Throws with what to install when it is missing or too old. */
export async function requireJava(): Promise<string> {
  const printed = await versionOf('java', '-version');
  const required = `Kafka needs Java ${OLDEST_JAVA} or newer: install a JRE, such as openjdk-17-jre-headless,`;
  if (printed === undefined) throw new Error(`There is no \`java\` on the PATH. ${required} and try again.`);
  const major = Number(/version "(?:1\.)?(\d+)/.exec(printed)?.[1]);
  if (major >= OLDEST_JAVA) return printed;
  throw new Error(
    `The \`java\` on the PATH is too old (${printed.split('\n')[0]}). ${required} and put it first there.`,
  );
}

/** Throws with what to install when there is no Maven. */
export async function requireMaven(): Promise<void> {
  if ((await versionOf('mvn', '--version')) !== undefined) return;
  throw new Error(
    'There is no `mvn` on the PATH. Maven downloads Kafka once: install it (the package is usually called maven) and try again.',
  );
}

async function versionOf(program: string, flag: string): Promise<string | undefined> {
  try {
    const { stdout, stderr } = await execute(program, [flag]);
    return `${stdout}${stderr}`;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Error(`\`${program} ${flag}\` failed: ${(error as Error).message}`);
  }
}
