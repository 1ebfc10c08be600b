/**
 * The allowed imports between projects. restrictions.mjs turns these tables into lint rules, and module-boundaries.spec.ts tests
 * the rules.
 */

const libraryLayers = [
  'kernel',
  'standalone',
  'event-sourcing',
  'audit',
  'database',
  'domain',
  'bus-trust',
  'application',
  'adapter',
  'context-adapter',
  'read-models',
  'http-api',
  'runtime',
];

/** The layers that a layer may import. A project declares its layer in its package.json (`nx.tags`). */
export const layers = {
  kernel: [],
  /** Installed by others, so it imports only what is installed with it. */
  standalone: ['standalone'],
  'event-sourcing': ['kernel'],
  /**
   * Reads the event log as plain data, so that it shares no bugs with the code that wrote it. Only its folder `explain`, which
   * describes events and checks nothing, imports domains: see restrictions.mjs.
   */
  audit: ['kernel', 'event-sourcing', 'domain'],
  database: ['kernel'],
  domain: ['kernel', 'domain'],
  /** Which service may send which command, and the keys of the bus. It imports types of commands only. */
  'bus-trust': ['kernel', 'domain'],
  application: ['kernel', 'event-sourcing', 'domain'],
  adapter: ['kernel', 'event-sourcing'],
  /** One external system of one context, behind a port of that context. */
  'context-adapter': ['kernel', 'event-sourcing', 'domain', 'application'],
  'read-models': ['kernel', 'event-sourcing', 'database', 'domain'],
  'http-api': ['kernel', 'event-sourcing', 'audit', 'read-models', 'domain'],
  runtime: libraryLayers,
  app: [...libraryLayers, 'dev-platform'],
  bench: [...libraryLayers, 'dev-platform'],
  /** It calls the running product from outside; fakes of external systems come from adapters and dev-platform. */
  e2e: ['kernel', 'standalone', 'context-adapter', 'adapter', 'dev-platform'],
  /** Development and test support. It runs services as processes, and knows them by their files and configuration only. */
  'dev-platform': ['kernel', 'event-sourcing', 'database', 'bus-trust', 'dev-platform'],
};

/** Additional layers for tests, which use real adapters and a real database instead of mocks. */
export const layersForTests = {
  'event-sourcing': ['database'],
  domain: ['event-sourcing'],
  application: ['audit', 'database', 'adapter', 'application', 'context-adapter', 'dev-platform'],
  adapter: ['database', 'adapter', 'dev-platform'],
  'context-adapter': ['database', 'context-adapter', 'dev-platform'],
  'read-models': ['adapter'],
  'http-api': ['database', 'application', 'adapter', 'context-adapter'],
  e2e: ['database', 'context-adapter', 'standalone'],
};

/** The context map: the contexts whose message types a context may import. */
export const contexts = {
  companies: [],
  ledger: [],
  tron: [],
  operations: ['companies', 'ledger'],
  invoicing: ['companies', 'ledger', 'tron'],
  webhooks: ['companies', 'operations', 'invoicing'],
};

/**
 * The only packages that these folders may import, so that each vendor stays behind one adapter. A later line overrides an
 * earlier one; `node:*` means all modules of Node. A domain may import no package.
 */
export const packages = {
  'libs/kernel': ['decimal.js', 'ipaddr.js', 'node:crypto', 'node:net'],
  'libs/event-sourcing': ['node:*', 'lru-cache'],
  'libs/audit': [],
  'libs/audit/src/explain': [],
  'libs/bus-trust': ['node:crypto'],
  'libs/adapters/*': ['node:*'],
  'libs/adapters/event-store-postgres': ['node:*', 'lru-cache', 'pg'],
  'libs/adapters/checkpoint-store-postgres': ['node:*', 'pg'],
  'libs/adapters/snapshot-store-postgres': ['pg'],
  'libs/adapters/command-bus-in-process': ['node:*', '@nestjs/common', '@nestjs/microservices', 'rxjs'],
  'libs/operations/adapters/issuer-sandbox': ['node:timers'],
  'libs/operations/adapters/issuer-http': ['node:*', 'zod'],
  'libs/operations/adapters/issuer-simulator': ['node:*'],
  'libs/operations/adapters/holder-vault-postgres': ['node:crypto', 'pg'],
  'libs/tron/adapters/tron-node': ['node:*', 'tronweb', 'undici'],
  'libs/tron/adapters/tron-simulator': ['node:*', 'tronweb'],
  'libs/webhooks/adapters/delivery-queue-postgres': ['node:*', 'pg'],
  'libs/webhooks/adapters/webhook-sender-http': ['node:*', 'lru-cache', 'undici'],
  'clients/typescript': [],
  'clients/webhook-verifier/src/node': ['node:crypto'],
  'clients/webhook-verifier/src/verification': [],
  'clients/webhook-verifier/src/web': [],
  'libs/adapters/command-bus-kafka': [
    'node:*',
    '@nestjs/common',
    '@nestjs/microservices',
    'kafkajs',
    'lru-cache',
    'rxjs',
  ],
  'libs/dev-platform': ['node:*', 'commander', 'kafkajs'],
  'libs/adapters/event-store-eventstoredb': ['node:*', '@eventstore/db-client', 'lru-cache'],
  'libs/adapters/event-store-eventstoredb/src/testing': [
    'node:*',
    '@eventstore/db-client',
    '@grpc/grpc-js',
    'google-protobuf',
    'google-protobuf/*',
  ],
};

/** Additional packages for all tests. */
export const packagesForTests = ['node:*', '@nestjs/core', '@nestjs/testing', 'fast-check', 'reflect-metadata'];
