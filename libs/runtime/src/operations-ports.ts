import { PostgresHolderVault } from '@florin/holder-vault-postgres';
import { HttpIssuer } from '@florin/issuer-http';
import { SandboxIssuer } from '@florin/issuer-sandbox';
import { ISSUERS, type Issuers, type OperationsOptions, UNFINISHED_OPERATIONS } from '@florin/operations-application';
import { HOLDER_VAULT } from '@florin/operations-domain';
import { UnfinishedOperationsQuery } from '@florin/read-models';
import type { Provider } from '@nestjs/common';
import type { Config } from './config';
import type { Log } from './log';
import type { Platform } from './platform';

/** What stands behind the ports of the operations context. */
export function operationsPorts(config: Config, { pool, clock }: Platform): Provider[] {
  return [
    { provide: HOLDER_VAULT, useValue: new PostgresHolderVault(pool) },
    { provide: ISSUERS, useValue: issuers(config, clock) },
    { provide: UNFINISHED_OPERATIONS, useValue: new UnfinishedOperationsQuery(pool) },
  ];
}

/** Sandbox never leaves the process; live needs an issuer that somebody has configured. */
function issuers({ ISSUER_URL: url, ISSUER_SECRET: secret }: Config, clock: Platform['clock']): Issuers {
  const sandbox = new SandboxIssuer();
  if (url === undefined || secret === undefined) return { sandbox };
  return { sandbox, live: new HttpIssuer({ url, secret, clock }) };
}

export function operationsOptions(config: Config, log: Log): OperationsOptions {
  return {
    issuerTimeoutMs: config.ISSUER_TIMEOUT_SECONDS * 1_000,
    issuerConcurrency: config.ISSUER_CONCURRENCY,
    minimums: { issue: config.MINIMUM_ISSUE_AMOUNT, topup: config.MINIMUM_TOPUP_AMOUNT },
    log,
  };
}
