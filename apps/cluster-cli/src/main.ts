import { Cluster, killRecordedProcesses } from '@florin/dev-platform';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { BadCommandLine, type CommandLine, readCommandLine } from './command-line';
import { postGuardian } from './post-guardian';
import { processTable, readyMessage } from './ready-message';
import { JsonOutput } from './json-output';
import type { Output } from './output';
import { TerminalOutput } from './terminal-output';
import { usage } from './usage';
import { wrongVariables } from './wrong-variables';

/** npm passes Ctrl-C on although the terminal has sent it to everybody: what comes so soon is the same one. */
const sameSignalMs = 500;

const standInNotice =
  'The event store is a stand-in that speaks the protocol of EventStoreDB, for development only: ' +
  'set EVENTSTORE_URL to use a real EventStoreDB or KurrentDB.';

async function main(): Promise<void> {
  const isTerminal = process.stdout.isTTY;
  const commandLine = readCommandLine(process.argv.slice(2), process.env, isTerminal);
  if (!commandLine) return console.log(usage);
  const write = (text: string): void => void process.stdout.write(text);
  const { logs } = commandLine;
  const output = isTerminal ? new TerminalOutput(logs, write) : new JsonOutput(logs, write);
  process.exitCode = await run({ ...commandLine, dataDirectory: resolve(commandLine.dataDirectory) }, output);
}

/** The whole life of the cluster; answers the exit code. */
async function run(commandLine: CommandLine, output: Output): Promise<number> {
  // However this process ends, nothing stays behind; when it is killed, that is up to the guardian.
  process.on('exit', () => killRecordedProcesses(commandLine.dataDirectory));
  postGuardian(commandLine.dataDirectory);
  const ending = untilTold(output);
  const startedAt = Date.now();
  try {
    const cluster = await start(commandLine, output, ending);
    output.show(processTable(cluster));
    output.tell(readyMessage(cluster, commandLine.dataDirectory, (Date.now() - startedAt) / 1_000));
    if (!ending.aborted) await once(ending, 'abort');
    await cluster.stop();
    output.tell('Everything has stopped.');
    return 0;
  } catch (error) {
    if (ending.aborted && error === ending.reason) return 0;
    output.fail(error instanceof Error ? error.message : String(error));
    return 1;
  }
}

function start(commandLine: CommandLine, output: Output, signal: AbortSignal): Promise<Cluster> {
  const { dataDirectory, env, eventStore } = commandLine;
  const { KAFKA_BROKERS: kafkaBrokers, DATABASE_URL: databaseUrl, EVENTSTORE_URL: eventStoreUrl } = env;
  if (eventStore === 'eventstoredb' && eventStoreUrl === undefined) output.tell(standInNotice);
  output.tell(`Starting a cluster in ${dataDirectory} …`);
  return Cluster.start({
    ...commandLine,
    ...(kafkaBrokers !== undefined && { kafkaBrokers }),
    ...(databaseUrl !== undefined && { databaseUrl }),
    ...(eventStoreUrl !== undefined && { eventStoreUrl }),
    onLine: (service, line) => output.line(service, line),
    onState: (service, state) => output.state(service, state),
    signal,
  });
}

/** Aborted by the first signal to end; the second one ends everything at once. */
function untilTold(output: Output): AbortSignal {
  const told = new AbortController();
  let firstAt: number | undefined;
  const end = (): void => {
    if (firstAt === undefined) {
      firstAt = Date.now();
      output.tell('Stopping … (once more ends everything at once)');
      told.abort(new Error('The start was given up'));
    } else if (Date.now() - firstAt > sameSignalMs) process.exit(1);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end);
  // Writing to a terminal that was closed fails; unhandled, that would end the launcher before its services.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  return told.signal;
}

main().catch(async (error: unknown) => {
  process.exitCode = 1;
  if (!(error instanceof BadCommandLine)) return console.error(error instanceof Error ? error.message : error);
  const problems = [...error.problems, ...(await wrongVariables(process.env, error.problems))];
  console.error(new BadCommandLine(problems).message);
});
