/**
 * Who may import whom. These tables are the only place where the shape of the workspace is written down;
 * restrictions.mjs turns them into lint rules, and module-boundaries.spec.ts shows that the rules bite.
 */

const libraryLayers = [
  'kernel',
  'standalone',
  'event-sourcing',
  'audit',
  'database',
  'domain',
  'application',
  'adapter',
  'context-adapter',
  'read-models',
  'http-api',
  'runtime',
];

/** The layers that code of a layer may import. A project names its layer in its package.json (`nx.tags`). */
export const layers = {
  kernel: [],
  /** What others build their own receivers with: it stands on nothing. */
  standalone: [],
  'event-sourcing': ['kernel'],
  /** It reads the log as plain data, so that it shares no error with the code that wrote it. */
  audit: ['kernel', 'event-sourcing'],
  database: ['kernel'],
  domain: ['kernel', 'domain'],
  application: ['kernel', 'event-sourcing', 'domain'],
  adapter: ['kernel', 'event-sourcing'],
  /** One outside system of one context, behind a port of that context. */
  'context-adapter': ['kernel', 'event-sourcing', 'domain', 'application'],
  'read-models': ['kernel', 'event-sourcing', 'database', 'domain'],
  'http-api': ['kernel', 'event-sourcing', 'read-models', 'domain'],
  runtime: libraryLayers,
  app: [...libraryLayers, 'dev-platform'],
  bench: [...libraryLayers, 'dev-platform'],
  /** It calls the running product from outside; stand-ins for external systems come from adapters and dev-platform. */
  e2e: ['kernel', 'standalone', 'context-adapter', 'adapter', 'dev-platform'],
  /** Development and test support. It runs services as processes, and knows them by their files and configuration only. */
  'dev-platform': ['kernel', 'event-sourcing', 'database', 'dev-platform'],
};

/** What tests may import besides. They run against real adapters and a real database instead of mocks. */
export const layersForTests = {
  'event-sourcing': ['database'],
  domain: ['event-sourcing'],
  application: ['database', 'adapter', 'application', 'context-adapter', 'dev-platform'],
  adapter: ['database', 'adapter', 'dev-platform'],
  'context-adapter': ['database', 'context-adapter', 'dev-platform'],
  'read-models': ['adapter'],
  'http-api': ['database', 'application', 'adapter', 'context-adapter'],
  e2e: ['database', 'context-adapter', 'standalone'],
};

/** The context map: whose messages a context understands. All it sees of another context are types of its domain. */
export const contexts = {
  companies: [],
  ledger: [],
  tron: [],
  operations: ['companies', 'ledger'],
  invoicing: ['companies', 'ledger', 'tron'],
  webhooks: ['companies', 'operations', 'invoicing'],
};

/**
 * The packages that these folders may import, and no others, so that each vendor stays behind one adapter.
 * A later line wins over an earlier one; `node:*` is all of Node. A domain may import no package at all.
 */
export const packages = {
  'libs/kernel': ['decimal.js', 'ipaddr.js', 'node:crypto', 'node:net'],
  'libs/event-sourcing': ['node:*', 'lru-cache'],
  'libs/audit': [],
  'libs/adapters/*': ['node:*'],
  'libs/adapters/event-store-postgres': ['node:*', 'pg'],
  'libs/adapters/checkpoint-store-postgres': ['node:*', 'pg'],
  'libs/adapters/snapshot-store-postgres': ['pg'],
  'libs/adapters/command-bus-in-process': ['node:*', '@nestjs/common', '@nestjs/microservices', 'rxjs'],
  'libs/operations/adapters/issuer-sandbox': ['node:timers'],
  'libs/operations/adapters/issuer-http': ['node:*', 'zod'],
  'libs/operations/adapters/holder-vault-postgres': ['node:crypto', 'pg'],
  'libs/tron/adapters/tron-node': ['node:*', 'tronweb', 'undici'],
  'libs/tron/adapters/tron-simulator': ['node:*', 'tronweb'],
  'libs/webhooks/adapters/delivery-queue-postgres': ['node:*', 'pg'],
  'libs/webhooks/adapters/webhook-sender-http': ['node:*', 'lru-cache', 'undici'],
  'libs/webhook-verifier': ['node:crypto'],
  'libs/adapters/command-bus-kafka': [
    'node:*',
    '@nestjs/common',
    '@nestjs/microservices',
    'kafkajs',
    'lru-cache',
    'rxjs',
  ],
  'libs/dev-platform': ['node:*', 'commander', 'kafkajs'],
  'libs/adapters/event-store-eventstoredb': ['node:*', '@eventstore/db-client'],
  'libs/adapters/eventstoredb-test-server': ['node:*', '@eventstore/db-client', '@grpc/grpc-js', 'commander'],
};

/** What tests may import besides, wherever they stand. */
export const packagesForTests = ['node:*', '@nestjs/core', '@nestjs/testing', 'fast-check', 'reflect-metadata'];
