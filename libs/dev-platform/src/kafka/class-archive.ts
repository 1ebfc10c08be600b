import { withLock } from '@florin/database';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { freePort } from '../network/free-port';
import { findBroker, killBroker } from './find-broker';
import type { KafkaDistribution } from './kafka-installation';
import { startBroker } from './start-broker';

/**
 * A class data archive nearly halves the start-up time of the broker. It fits one build of Java only, hence one archive
 * per build. Without an archive everything works, only slower.
 */
export async function withClassArchive(
  kafka: KafkaDistribution,
  java: string,
  log: (line: string) => void,
): Promise<KafkaDistribution> {
  const build = createHash('sha256').update(java).digest('hex').slice(0, 16);
  const archive = join(kafka.folder, `classes-${build}.jsa`);
  try {
    if (!existsSync(archive)) {
      await withLock(`${archive}.lock`, async () => {
        if (!existsSync(archive)) await makeArchive(kafka, archive);
      });
    }
    return { ...kafka, classArchive: [`-XX:SharedArchiveFile=${archive}`] };
  } catch (error) {
    log(`Kafka starts without a class data archive, which is slower: ${(error as Error).message}`);
    return kafka;
  }
}

/** Runs a broker on a temporary folder to record the classes it loads. A killed earlier attempt may have left one there. */
async function makeArchive(kafka: KafkaDistribution, archive: string): Promise<void> {
  const dataDirectory = join(realpathSync(kafka.folder), `${basename(archive)}.run`);
  const orphan = findBroker(dataDirectory);
  if (orphan) await killBroker(orphan, dataDirectory);
  rmSync(dataDirectory, { recursive: true, force: true });
  mkdirSync(dataDirectory);
  const draft = join(dataDirectory, basename(archive));
  const recording = { ...kafka, classArchive: [`-XX:ArchiveClassesAtExit=${draft}`, '-Xlog:disable'] };
  const port = await freePort();
  const ignore = () => undefined;
  const plan = { kafka: recording, dataDirectory, port, advertisedPort: port, log: ignore, onExit: ignore };
  try {
    const { process: broker } = await startBroker(plan);
    await broker.stop();
    renameSync(draft, archive);
  } finally {
    rmSync(dataDirectory, { recursive: true, force: true });
  }
}
