import { Cluster, killRecordedProcesses } from '@florin/dev-platform';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createCommand, readArguments } from './arguments';
import { BadCommandLine, type CommandLine, readCommandLine } from './command-line';
import { startCleanupProcess } from './start-cleanup-process';
import { processTable, readyMessage } from './ready-message';
import { JsonOutput } from './json-output';
import { TerminalOutput } from './terminal-output';
import { variableProblems } from './variable-problems';

/** On Ctrl-C, both the terminal and npm send a signal; a second one within this time is a duplicate. */
const duplicateSignalMs = 500;
const args = process.argv.slice(2);

async function main(): Promise<void> {
  const isTerminal = process.stdout.isTTY;
  if (args.includes('--help')) return createCommand().outputHelp();
  const commandLine = readCommandLine(args, process.env, isTerminal);
  const write = (text: string): void => void process.stdout.write(text);
  const { logs } = commandLine;
  const output = isTerminal ? new TerminalOutput(logs, write) : new JsonOutput(logs, write);
  process.exitCode = await run({ ...commandLine, dataDirectory: resolve(commandLine.dataDirectory) }, output);
}

/** Runs the cluster until it is stopped. Resolves with the exit code. */
async function run(commandLine: CommandLine, output: JsonOutput): Promise<number> {
  // On exit, kills what still runs. If this process is itself killed, the cleanup process stops the services.
  process.on('exit', () => killRecordedProcesses(commandLine.dataDirectory));
  startCleanupProcess(commandLine.dataDirectory);
  const stopping = abortOnSignal(output);
  const startedAt = Date.now();
  try {
    const cluster = await start(commandLine, output, stopping);
    output.show(processTable(cluster));
    output.info(readyMessage(cluster, commandLine.dataDirectory, (Date.now() - startedAt) / 1_000));
    if (!stopping.aborted) await once(stopping, 'abort');
    await cluster.stop();
    output.info('Everything has stopped.');
    return 0;
  } catch (error) {
    if (stopping.aborted && error === stopping.reason) return 0;
    output.fail(error instanceof Error ? error.message : String(error));
    return 1;
  }
}

function start(commandLine: CommandLine, output: JsonOutput, signal: AbortSignal): Promise<Cluster> {
  const { dataDirectory, env } = commandLine;
  const { KAFKA_BROKERS: kafkaBrokers, DATABASE_URL: databaseUrl, EVENTSTORE_URL: eventStoreUrl } = env;
  const { DATABASE_OWNER_URL: databaseOwnerUrl } = env;
  output.info(`Starting a cluster in ${dataDirectory} …`);
  return Cluster.start({
    ...commandLine,
    ...(kafkaBrokers !== undefined && { kafkaBrokers }),
    ...(databaseUrl !== undefined && { databaseUrl }),
    ...(databaseOwnerUrl !== undefined && { databaseOwnerUrl }),
    ...(eventStoreUrl !== undefined && { eventStoreUrl }),
    onLine: (service, line) => output.line(service, line),
    onState: (service, state) => output.state(service, state),
    signal,
  });
}

/** Aborted by the first signal; a second one exits at once. */
function abortOnSignal(output: JsonOutput): AbortSignal {
  const stop = new AbortController();
  let firstAt: number | undefined;
  const onSignal = (): void => {
    if (firstAt === undefined) {
      firstAt = Date.now();
      output.info('Stopping … (press Ctrl-C again to stop at once)');
      stop.abort(new Error('The start was cancelled'));
    } else if (Date.now() - firstAt > duplicateSignalMs) process.exit(1);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
  // Writing to a terminal that was closed fails; unhandled, that would end this process before its services.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  return stop.signal;
}

main().catch(async (error: unknown) => {
  process.exitCode = 1;
  if (!(error instanceof BadCommandLine)) return console.error(error instanceof Error ? error.message : error);
  const env = { ...readArguments(args).defaults, ...process.env };
  const problems = [...error.problems, ...(await variableProblems(env, error.problems))];
  console.error(new BadCommandLine(problems).message);
});
