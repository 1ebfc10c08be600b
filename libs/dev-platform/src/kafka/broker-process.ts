import { ManagedProcess } from '../process/managed-process';
import { RunningServer } from '../process/running-server';
import { javaArguments } from './java-command';
import type { KafkaDistribution } from './kafka-installation';

export interface BrokerCommand {
  readonly kafka: KafkaDistribution;
  readonly dataDirectory: string;
  /** The configuration file; read once, at the start. */
  readonly properties: string;
  /** An argument that identifies the process later. */
  readonly mark: string;
  readonly log: (line: string) => void;
  readonly onExit: (error: Error) => void;
}

/** Starts the broker's JVM. Resolves when clients can connect. */
export function startBrokerProcess(command: BrokerCommand): Promise<RunningServer> {
  const { kafka, dataDirectory, properties, mark, log, onExit } = command;
  let hasStarted = false;
  const jvm = new ManagedProcess({
    command: 'java',
    args: [mark, ...javaArguments(kafka), 'kafka.Kafka', properties],
    cwd: dataDirectory,
    detached: true,
    onLine: (line) => {
      log(line);
      if (line.includes('Kafka Server started')) hasStarted = true;
    },
  });
  return RunningServer.start({ name: 'The Kafka broker', process: jvm, isReady: () => hasStarted, onExit });
}
