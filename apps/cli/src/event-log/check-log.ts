import type { Config, EventLog } from '@florin/runtime/tools';
import type { CliContext } from '../cli-context';
import { CommandFailed, CouldNotRun, UsageError } from '../cli-errors';
import { type CheckResult, publishResult } from './result-metrics';
import { ScanReporter } from './scan-progress';
import { withEventLog } from './with-event-log';

/** The options of the commands that check the log. */
export interface CheckOptions {
  readonly quiet?: boolean;
  /** Where the metrics of the result go. */
  readonly metrics?: string;
}

export interface CheckedLog {
  readonly events: number;
  readonly findings: number;
  /** The error that reports the findings, unless they have been printed. */
  readonly failure?: CommandFailed;
}

export interface CheckRuntime {
  readonly eventLog: EventLog;
  readonly config: Config;
  readonly progress: ScanReporter;
  readonly signal: AbortSignal;
  /** Sets what an interruption does before the command ends. It returns the message, or undefined if it did nothing. */
  onInterrupted(save: () => string | undefined): void;
}

/**
 * Runs a check of the log that only reads, beside a running Florin if there is one. Every error but findings and wrong usage
 * means that there is no result.
 */
export async function checkLog(
  context: CliContext,
  command: { readonly name: string; readonly verb: string },
  { quiet = false, metrics }: CheckOptions,
  check: (runtime: CheckRuntime) => Promise<CheckedLog>,
): Promise<void> {
  const signal = context.interrupted();
  let save: () => string | undefined = () => undefined;
  const onInterrupted = (work: typeof save): void => {
    save = work;
  };
  const silent = { report: () => undefined, showStatus: () => true };
  const progress = new ScanReporter(command.verb, quiet ? silent : context);
  const publish = (result: CheckResult): Promise<void> => publishResult(metrics, command.name, result, context.report);
  try {
    const { events, findings, failure } = await withEventLog(
      context.environment,
      { migrate: false, role: 'auditor', readOnly: true },
      (eventLog, config) => check({ eventLog, config, progress, signal, onInterrupted }),
      signal,
    );
    await publish({ exitCode: findings > 0 ? 1 : 0, events, findings });
    if (findings > 0) context.exitCode = 1;
    if (failure !== undefined) throw new Findings(failure.message, failure.details);
  } catch (error) {
    if (error instanceof UsageError || error instanceof Findings) throw error;
    await publish({ exitCode: 3 });
    throw withoutResult(error, signal, save);
  } finally {
    progress.close();
  }
}

class Findings extends CommandFailed {}

function withoutResult(error: unknown, signal: AbortSignal, save: () => string | undefined): CouldNotRun {
  if (signal.aborted) {
    return new CouldNotRun(save() ?? 'Interrupted. There is no result, and nothing was changed.');
  }
  if (error instanceof CommandFailed) return new CouldNotRun(error.message, error.details);
  return new CouldNotRun(
    `The log could not be read to its end: ${error instanceof Error ? error.message : String(error)}`,
  );
}
