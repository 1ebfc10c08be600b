import { HttpIssuer } from '@florin/issuer-http';
import { SandboxIssuer } from '@florin/issuer-sandbox';
import {
  ISSUERS,
  type Issuers,
  OperationsModule,
  operationsProcess,
  UNFINISHED_OPERATIONS,
} from '@florin/operations-application';
import { UnfinishedOperationsQuery } from '@florin/read-models';
import type { Config } from '../config';
import type { Platform } from '../platform';
import type { ServicePart } from '../service-definition';

export const operationsPart: ServicePart = {
  modules: (config, log) => [
    OperationsModule.forRoot({
      issuerTimeoutMs: config.ISSUER_TIMEOUT_SECONDS * 1_000,
      issuerConcurrency: config.ISSUER_CONCURRENCY,
      minimums: { issue: config.MINIMUM_ISSUE_AMOUNT, topup: config.MINIMUM_TOPUP_AMOUNT },
      watchdog: { stalledAfterMs: config.STALLED_AFTER_SECONDS * 1_000 },
      log,
    }),
  ],
  ports: (config, { pool, clock }) => [
    { provide: ISSUERS, useValue: issuers(config, clock) },
    { provide: UNFINISHED_OPERATIONS, useValue: new UnfinishedOperationsQuery(pool) },
  ],
  processes: [operationsProcess],
};

/** The sandbox issuer is simulated in the process; live needs a configured issuer. */
function issuers({ ISSUER_URL: url, ISSUER_SECRET: secret }: Config, clock: Platform['clock']): Issuers {
  const sandbox = new SandboxIssuer();
  if (url === undefined || secret === undefined) return { sandbox };
  return { sandbox, live: new HttpIssuer({ url, secret, clock }) };
}
