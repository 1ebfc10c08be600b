import type { EventStoreKind } from '@florin/database';
import {
  completeCopy,
  CopyDiffers,
  copyLog,
  exponentialBackoff,
  LogEvidence,
  openCopy,
  type ScanProgress,
  sinceLastCopy,
  type StoreOpener,
} from '@florin/event-sourcing';
import { randomId, systemClock } from '@florin/kernel';
import {
  type Config,
  CopyVerification,
  createLog,
  type LogCopyStores,
  openLogCopy,
  readConfig,
  SourceChanged,
} from '@florin/runtime/tools';
import type { CliContext } from '../cli-context';
import { CommandFailed, CouldNotRun, UsageError } from '../cli-errors';
import { readVersion } from '../version';
import { type CopyPlan, planCopy } from './log-copy-plan';
import { closeSource, LostEvents } from './log-copy-source';
import {
  type CopyResult,
  printCopy,
  printDryRun,
  printExisting,
  problemsIn,
  type VerifiedCopy,
} from './log-copy-report';
import { ScanReporter } from './scan-progress';

export interface LogCopyOptions {
  readonly from: EventStoreKind;
  readonly to: EventStoreKind;
  readonly dryRun?: boolean;
}

/** Works on both stores directly, while Florin is stopped. */
export async function runLogCopy(context: CliContext, options: LogCopyOptions): Promise<void> {
  if (options.from === options.to) {
    throw new UsageError(
      `--from and --to are both ${options.from}. To move a log to another server of the same kind, restore a backup there.`,
    );
  }
  const signal = context.interrupted();
  const wasDone = { switched: false };
  try {
    const config = readConfig({ ...context.environment, EVENT_STORE: 'eventstoredb' });
    const stores = await openLogCopy(config, options.from, createLog('silent'));
    try {
      await copy(context, options, config, stores, signal, wasDone);
    } finally {
      await stores.close();
    }
  } catch (error) {
    throw asCliError(error, signal, options, wasDone.switched);
  } finally {
    context.showStatus('');
  }
}

async function copy(
  context: CliContext,
  { from, to, dryRun = false }: LogCopyOptions,
  config: Config,
  stores: LogCopyStores,
  signal: AbortSignal,
  wasDone: { switched: boolean },
): Promise<void> {
  const opener: StoreOpener = { service: 'cli', florinVersion: readVersion(), clock: systemClock };
  const plan = await planCopy(to, stores, config);
  if (plan.isDone) {
    if (!dryRun) await closeSource(from, to, plan.identity, stores, config, opener);
    return printExisting(context, to, plan.identity);
  }
  if (dryRun) return printDryRun(context, from, to, plan);
  if (plan.isNew && to === 'eventstoredb') {
    await openCopy(stores.target, { kind: from, storeId: plan.identity.id }, opener);
  }
  const verified = await copyAndVerify(context, plan, stores, signal);
  const problems = problemsIn(verified, plan);
  if (problems.length > 0) {
    throw new SourceHasProblems(
      `The log in ${from} has problems, so ${from} remains the event store of this database:\n  ${problems.join('\n  ')}`,
      { problems },
    );
  }
  if (to === 'eventstoredb') await completeCopy(stores.target, verified.events, opener);
  const toId = to === 'postgres' ? randomId() : (await plan.targetId())!;
  const { copiedState, sourceHead } = verified.verification;
  if ((await stores.source.head()) !== sourceHead) {
    throw new SourceChanged('The log has grown since it was compared. Stop all services of Florin.');
  }
  const checkpoint = plan.nextCheckpoint?.({ ...copiedState, store: to });
  await stores.session.switchStore({
    ...{ from, to, fromId: plan.identity.id, toId, checkpoint, sourceHead },
    targetHead: copiedState.position,
  });
  wasDone.switched = true;
  await closeSource(from, to, { id: toId, sourceHead }, stores, config, opener);
  const result: CopyResult = { from, to, storeId: toId, events: verified.events, signedBy: checkpoint?.number };
  printCopy(context, result);
}

async function copyAndVerify(
  context: CliContext,
  { trusted, hasGaplessPositions }: CopyPlan,
  { session, source, target, isTransient }: LogCopyStores,
  signal: AbortSignal,
): Promise<VerifiedCopy> {
  let verification: CopyVerification | undefined;
  let evidence = new LogEvidence([]);
  let comparing = new ScanReporter('Compared', context);
  let copying = comparing;
  const { events } = await copyLog({
    ...{ source, target, isTransient, signal, backoff: exponentialBackoff(500, 10_000) },
    visitor: async () => {
      await session.clearPositions();
      comparing = new ScanReporter('Compared', context);
      evidence = new LogEvidence(sinceLastCopy(trusted));
      verification = new CopyVerification(session, { evidence, hasGaplessPositions });
      return verification;
    },
    onCompared: (progress: ScanProgress) => {
      signal.throwIfAborted();
      comparing.scanned(progress);
    },
    onResumed: (start) => {
      copying = new ScanReporter('Copied', context);
      copying.continueFrom(start);
    },
    onCopied: (progress) => copying.scanned(progress),
  });
  return { events, verification: verification!, evidence };
}

class SourceHasProblems extends CommandFailed {}

function asCliError(error: unknown, signal: AbortSignal, { from, to }: LogCopyOptions, switched: boolean): Error {
  if (error instanceof UsageError) return error;
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof LostEvents || error instanceof SourceHasProblems) return error;
  if (switched)
    return new CommandFailed(`The log is in ${to} now, but the last step failed: ${message}. Run this command again.`);
  const remains = `${from} remains the event store of this database.`;
  if (signal.aborted) return new CouldNotRun(`Interrupted. ${remains} Run this command again to continue.`);
  if (error instanceof CopyDiffers) {
    return new CommandFailed(
      `${message}. ${remains} Empty the target, or choose another one, and run this command again.`,
    );
  }
  return new CouldNotRun(`${message.replace(/\.$/, '')}. ${remains}`);
}
