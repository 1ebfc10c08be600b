import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { brokerOnFolder, endBroker } from './broker-on-folder';
import { freePort } from './free-port';
import type { KafkaDistribution } from './kafka-installation';
import { oneAtATime } from './one-at-a-time';
import { startBroker } from './start-broker';

/**
 * Java starts a broker in little more than half the time when it finds the classes of an earlier run laid out ready. That
 * fits one build of Java only, hence one archive for each. Without one everything works just as well, only slower.
 */
export async function withClassArchive(
  kafka: KafkaDistribution,
  java: string,
  tell: (line: string) => void,
): Promise<KafkaDistribution> {
  const build = createHash('sha256').update(java).digest('hex').slice(0, 16);
  const archive = join(kafka.folder, `classes-${build}.jsa`);
  try {
    if (!existsSync(archive)) {
      await oneAtATime(`${archive}.making`, async () => {
        if (!existsSync(archive)) await makeArchive(kafka, archive);
      });
    }
    return { ...kafka, classArchive: [`-XX:SharedArchiveFile=${archive}`] };
  } catch (error) {
    tell(`Kafka will start more slowly than it could: ${(error as Error).message}`);
    return kafka;
  }
}

/** Runs a broker on a folder of its own, only to see what it loads. Whoever was killed at it may have left one there. */
async function makeArchive(kafka: KafkaDistribution, archive: string): Promise<void> {
  const dataDirectory = join(realpathSync(kafka.folder), `${basename(archive)}.run`);
  const leftBehind = brokerOnFolder(dataDirectory);
  if (leftBehind) await endBroker(leftBehind, dataDirectory);
  rmSync(dataDirectory, { recursive: true, force: true });
  mkdirSync(dataDirectory);
  const draft = join(dataDirectory, basename(archive));
  const recording = { ...kafka, classArchive: [`-XX:ArchiveClassesAtExit=${draft}`, '-Xlog:disable'] };
  const port = await freePort();
  const nothing = () => undefined;
  const plan = { kafka: recording, dataDirectory, port, advertisedPort: port, log: nothing, onExit: nothing };
  try {
    const broker = await startBroker(plan);
    await broker.stop();
    renameSync(draft, archive);
  } finally {
    rmSync(dataDirectory, { recursive: true, force: true });
  }
}
