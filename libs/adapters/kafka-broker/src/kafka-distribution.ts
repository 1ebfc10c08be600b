import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { withClassArchive } from './class-archive';
import { requireJava, requireMaven } from './java-tools';
import { copyDependencies } from './maven';
import { oneAtATime } from './one-at-a-time';
import type { KafkaDistribution } from './kafka-installation';

const POM = join(__dirname, '../kafka/pom.xml');

/** Makes the jars available: from the cache, or else through Maven, telling its progress. */
export async function provideKafka(tell: (line: string) => void = () => undefined): Promise<KafkaDistribution> {
  const java = await requireJava();
  return withClassArchive(await provideJars(cacheDirectory(), tell), java, tell);
}

export async function provideJars(cache: string, tell: (line: string) => void): Promise<KafkaDistribution> {
  const version = pinnedVersion();
  const folder = join(cache, `kafka-${version}`);
  if (!existsSync(folder)) {
    mkdirSync(cache, { recursive: true });
    // Maven keeps a repository of its own as well, which is not made for two writers.
    await oneAtATime(`${folder}.fetching`, async () => {
      if (!existsSync(folder)) await fetchInto(folder, version, tell);
    });
  }
  return { version, folder, classPath: classPathOf(folder), classArchive: [] };
}

/** The jars appear by one rename: whoever is killed midway leaves no half of them, and of two at once either will do. */
async function fetchInto(folder: string, version: string, tell: (line: string) => void): Promise<void> {
  await requireMaven();
  tell(`Fetching Apache Kafka ${version} through Maven into ${folder}; this happens once.`);
  const draft = mkdtempSync(`${folder}.new-`);
  try {
    await copyDependencies(POM, draft, tell);
    if (!existsSync(folder)) renameSync(draft, folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** In one order everywhere: an archive of classes fits only the class path it was made with. */
function classPathOf(folder: string): string {
  const jars = readdirSync(folder).filter((name) => name.endsWith('.jar'));
  return jars
    .sort()
    .map((jar) => join(folder, jar))
    .join(delimiter);
}

function pinnedVersion(): string {
  const version = /<artifactId>kafka_2\.13<\/artifactId>\s*<version>([^<]+)</.exec(readFileSync(POM, 'utf8'))?.[1];
  if (!version) throw new Error(`${POM} names no version of kafka_2.13; write it right below the artifactId.`);
  return version;
}

function cacheDirectory(): string {
  // eslint-disable-next-line no-restricted-properties -- Where caches lie is a convention of the machine, not a setting of Florin.
  return join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'florin');
}
