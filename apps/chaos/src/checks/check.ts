import type { DatabaseConnection } from '@florin/database';
import type { IssuerCall } from '@florin/issuer-simulator';
import type { EventStore } from '@florin/event-sourcing';
import type { KeyWrapper } from '@florin/kernel';
import type { Api } from '../load/api';
import type { Journal } from '../load/journal';
import type { LoadAccount } from '../load/load-account';
import type { Payment } from '../environment/live-chain';
import type { History } from './history';

/** The data that the checks use, collected after the system has settled. */
export interface Evidence {
  readonly api: Api;
  readonly accounts: readonly LoadAccount[];
  readonly journal: Journal;
  readonly issuerCalls: readonly IssuerCall[];
  readonly payments: readonly Payment[];
  readonly history: History;
  readonly store: EventStore;
  /** The database with the read models, and how to create an empty one next to it. */
  readonly database: DatabaseConnection;
  readonly emptyDatabase: () => Promise<DatabaseConnection>;
  /** Unwrap the keys of holders. */
  readonly vaultKeys: KeyWrapper;
  /** The dead-lettered commands, with their reasons. */
  readonly deadLetters: () => Promise<readonly string[]>;
  /** The processes that are not ready although all faults are over. */
  readonly problems: () => Promise<readonly string[]>;
}

export interface CheckResult {
  /** What was checked, so that a check without data is noticed. */
  readonly examined: string;
  /** One sentence per violation; empty when the check passes. */
  readonly findings: readonly string[];
}

export interface Check {
  readonly name: string;
  readonly run: (evidence: Evidence) => Promise<CheckResult>;
}
