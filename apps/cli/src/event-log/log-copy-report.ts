import { brokenChain, describeMissing } from '@florin/audit';
import type { EventStoreKind } from '@florin/database';
import type { LogEvidence } from '@florin/event-sourcing';
import type { CopyVerification } from '@florin/runtime/tools';
import type { CliContext } from '../cli-context';
import type { CopyPlan } from './log-copy-plan';

/** A copy that was compared with its source to the end. */
export interface VerifiedCopy {
  readonly events: number;
  readonly verification: CopyVerification;
  readonly evidence: LogEvidence;
}

export interface CopyResult {
  readonly from: EventStoreKind;
  readonly to: EventStoreKind;
  readonly storeId: string;
  readonly events: number;
  /** The number of the checkpoint that signs the copy, if the log is signed. */
  readonly signedBy: number | undefined;
}

/** What was found in the source while it was copied. */
export function problemsIn({ verification, evidence }: VerifiedCopy, plan: CopyPlan): readonly string[] {
  const { chains, missing } = verification;
  const broken = chains.broken.map(
    ({ stream, revision, position }) => `${stream}@${revision} (position ${position}): ${brokenChain}`,
  );
  const found = [...missing.map(describeMissing), ...evidence.close().findings].map(({ at, text }) => `${at}: ${text}`);
  return [...broken, ...found, ...plan.checkpointProblems];
}

export function printDryRun(context: CliContext, from: string, to: string, plan: CopyPlan): void {
  const { sourceHead, isNew, nextCheckpoint } = plan;
  const state = isNew ? 'which is empty' : 'which has a part of it already';
  const signed = nextCheckpoint === undefined ? '' : ' The copy would be signed.';
  context.output(
    { dryRun: true, from, to, sourceHead: String(sourceHead), isNew, isSigned: nextCheckpoint !== undefined },
    `Would copy the log in ${from}, up to position ${sourceHead}, to ${to}, ${state}.${signed} Nothing was changed.`,
  );
}

export function printExisting(context: CliContext, to: string, { id }: { readonly id: string }): void {
  context.output(
    { to, storeId: id, events: 0 },
    `The log of this database is in ${to} already (${id}). Nothing was copied.`,
  );
}

export function printCopy(context: CliContext, result: CopyResult): void {
  const { from, to, storeId, events, signedBy } = result;
  const signed = signedBy === undefined ? '' : ` Checkpoint ${signedBy} signs the copy.`;
  const url = to === 'eventstoredb' ? ' and EVENTSTORE_URL' : '';
  context.output(
    { ...result, signedBy: signedBy ?? null },
    [
      `Copied ${events} events from ${from} to ${to} and verified them.${signed} ${to} (${storeId}) is the event store of this database now.`,
      `Next:`,
      `  1. Set EVENT_STORE=${to}${url} for all services and for this command line, and start Florin.`,
      `  2. florin verify, and florin audit, which compares the read models with the log. florin replay rebuilds them.`,
      `  3. Back up both stores. Keep the events in ${from} until then; Florin does not read them anymore.`,
    ].join('\n'),
  );
}
