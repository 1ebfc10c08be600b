import { ManagedProcess } from '../process/managed-process';

/** Copies everything that the pom lists into the folder. The machine's Maven settings decide where it is downloaded from. */
export async function copyDependencies(pom: string, folder: string, log: (line: string) => void): Promise<void> {
  const goal = ['dependency:copy-dependencies', '-DincludeScope=runtime', `-DoutputDirectory=${folder}`];
  const args = ['--batch-mode', '--no-transfer-progress', '--file', pom, ...goal];
  const maven = new ManagedProcess({ command: 'mvn', args, onLine: log });
  if ((await maven.exited) === 'code 0') return;
  throw new Error(
    `Maven could not download Kafka. Check that it can reach its repository. Its output:\n${maven.recentOutput}`,
  );
}
