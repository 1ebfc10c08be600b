import type { DatabaseConnection } from '@florin/database';
import type { EventStore } from '@florin/event-sourcing';
import type { Api } from '../load/api';
import type { Journal } from '../load/journal';
import type { LoadAccount } from '../load/load-account';
import type { IssuerCall } from '../world/fake-issuer';
import type { Payment } from '../world/live-chain';
import type { History } from './history';

/** All that is known once everything has come to rest. */
export interface Evidence {
  readonly api: Api;
  readonly accounts: readonly LoadAccount[];
  readonly journal: Journal;
  readonly issuerCalls: readonly IssuerCall[];
  readonly payments: readonly Payment[];
  readonly history: History;
  readonly store: EventStore;
  /** Where the product's read models are, and an empty database beside them. */
  readonly database: DatabaseConnection;
  readonly emptyDatabase: () => Promise<DatabaseConnection>;
  /** Commands that nobody could make anything of, with the reasons. */
  readonly deadLetters: () => Promise<readonly string[]>;
  /** What is not ready although nothing is broken any more. */
  readonly problems: () => Promise<readonly string[]>;
}

export interface Verdict {
  /** What was looked at, so that a check that had nothing to look at shows. */
  readonly examined: string;
  /** What is wrong, each in a sentence; nothing when all is well. */
  readonly findings: readonly string[];
}

export interface Check {
  readonly name: string;
  readonly run: (evidence: Evidence) => Promise<Verdict>;
}
