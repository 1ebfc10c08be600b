import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { LastWords } from './last-words';

/** Has Maven put all that the pom names into the folder. Where from is a matter of the machine's own Maven settings. */
export async function copyDependencies(pom: string, folder: string, tell: (line: string) => void): Promise<void> {
  const goal = ['dependency:copy-dependencies', '-DincludeScope=runtime', `-DoutputDirectory=${folder}`];
  const maven = spawn('mvn', ['--batch-mode', '--no-transfer-progress', '--file', pom, ...goal], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const words = new LastWords();
  words.hear(maven.stdout, tell);
  words.hear(maven.stderr, tell);
  const [code] = (await once(maven, 'close')) as [number | null];
  if (code !== 0) throw new Error(`Maven could not fetch Kafka; see that it reaches its repository. ${words}`);
}
