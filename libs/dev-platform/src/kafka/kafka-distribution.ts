import { withLock } from '@florin/database';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { withClassArchive } from './class-archive';
import { requireJava, requireMaven } from './java-tools';
import { copyDependencies } from './maven';
import type { KafkaDistribution } from './kafka-installation';

const POM = join(__dirname, '../../kafka/pom.xml');

/** Takes the jars from the cache, or downloads them with Maven. */
export async function provideKafka(log: (line: string) => void = () => undefined): Promise<KafkaDistribution> {
  const java = await requireJava();
  return withClassArchive(await provideJars(cacheDirectory(), log), java, log);
}

export async function provideJars(cache: string, log: (line: string) => void): Promise<KafkaDistribution> {
  const version = pinnedVersion();
  const folder = join(cache, `kafka-${version}`);
  if (!existsSync(folder)) {
    mkdirSync(cache, { recursive: true });
    // Maven's local repository does not support concurrent writers.
    await withLock(`${folder}.lock`, async () => {
      if (!existsSync(folder)) await download(folder, version, log);
    });
  }
  return { version, folder, classPath: classPathOf(folder), classArchive: [] };
}

/** One rename publishes all jars, so a kill leaves no partial download. */
async function download(folder: string, version: string, log: (line: string) => void): Promise<void> {
  await requireMaven();
  log(`Downloading Apache Kafka ${version} with Maven into ${folder}; this happens once.`);
  const draft = mkdtempSync(`${folder}.new-`);
  try {
    await copyDependencies(POM, draft, log);
    if (!existsSync(folder)) renameSync(draft, folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Sorted, because a class data archive is valid only for the class path it was made with. */
function classPathOf(folder: string): string {
  const jars = readdirSync(folder).filter((name) => name.endsWith('.jar'));
  return jars
    .sort()
    .map((jar) => join(folder, jar))
    .join(delimiter);
}

function pinnedVersion(): string {
  const version = /<artifactId>kafka_2\.13<\/artifactId>\s*<version>([^<]+)</.exec(readFileSync(POM, 'utf8'))?.[1];
  if (!version) throw new Error(`${POM} has no version of kafka_2.13; write it directly below the artifactId.`);
  return version;
}

function cacheDirectory(): string {
  // eslint-disable-next-line no-restricted-properties -- The cache location is a convention of the machine, not a setting of Florin.
  return join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'florin');
}
