import { CLOCK, COMMAND_BUS, type CommandBus } from '@florin/event-sourcing';
import { sha256 } from '@florin/kernel';
import { type ManualClock, manualClock } from '@florin/kernel/testing';
import {
  AcceptedRequestQueries,
  type AcceptedRequestView,
  ApiKeyUsage,
  type ApiKeyView,
  CompanyQueries,
  OperatorQueries,
  type OperatorView,
} from '@florin/read-models';
import { type DynamicModule, type InjectionToken, Global, Module, type Type } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import type { FastifyInstance } from 'fastify';
import { type GeneratedKey, generateApiKey } from '../auth/api-key';
import { generateOperatorToken } from '../auth/operator-token';
import { createFastifyAdapter } from '../fastify-adapter';
import { HttpApiModule } from '../http-api.module';
import type { HttpApiOptions, Log } from '../http-api-options';
import { installHttp } from '../install-http';

export const operatorToken = 'operator-token-of-this-spec';
export const initialTime = '2026-01-01T00:00:00.000Z';

/** API keys in memory; counts the reads. */
export class TestKeys {
  readonly views = new Map<string, ApiKeyView>();
  reads = 0;

  async findBySecretHashes(hashes: readonly string[]): Promise<ReadonlyMap<string, ApiKeyView>> {
    this.reads += 1;
    const found = hashes.map((hash) => [hash, this.views.get(hash)] as const);
    return new Map(found.filter((entry): entry is [string, ApiKeyView] => entry[1] !== undefined));
  }

  /** The company of one of the keys. */
  async find(companyId: string): Promise<Pick<ApiKeyView, 'companyId'> | undefined> {
    return [...this.views.values()].find((view) => view.companyId === companyId);
  }

  add(change: Partial<ApiKeyView> = {}): string {
    const { key } = this.generate(change);
    return key;
  }

  change(key: string, change: Partial<ApiKeyView>): void {
    const hash = sha256(key);
    this.views.set(hash, { ...this.views.get(hash)!, ...change });
  }

  private generate(change: Partial<ApiKeyView>): GeneratedKey {
    const generated = generateApiKey(change.environment ?? 'sandbox');
    this.views.set(generated.secretHash, {
      keyId: 'feedface-0000-4000-8000-000000000001',
      companyId: 'c0ffee00-0000-4000-8000-000000000001',
      isOutdated: false,
      companyName: 'Acme',
      companyKind: 'corporate',
      verification: 'approved',
      activations: [],
      environment: 'sandbox',
      scopes: ['cards:write', 'balance:read'],
      name: 'Checkout',
      expiresAt: '2027-01-01T00:00:00.000Z',
      secretValidUntil: '2027-01-01T00:00:00.000Z',
      revokedAt: null,
      ...change,
    });
    return generated;
  }
}

/** Operators in memory; counts the reads. */
export class TestOperators {
  readonly views = new Map<string, OperatorView>();
  reads = 0;

  async findByTokenHashes(hashes: readonly string[]): Promise<ReadonlyMap<string, OperatorView>> {
    this.reads += 1;
    const found = hashes.map((hash) => [hash, this.views.get(hash)] as const);
    return new Map(found.filter((entry): entry is [string, OperatorView] => entry[1] !== undefined));
  }

  /** Returns the token. */
  add(change: Partial<OperatorView> = {}): string {
    const { token, tokenHash, hint } = generateOperatorToken();
    this.views.set(tokenHash, {
      operatorId: '0bed0000-0000-4000-8000-000000000001',
      name: 'Ada Operator',
      email: 'ada@example.com',
      role: 'viewer',
      hint,
      createdAt: initialTime,
      ...change,
    });
    return token;
  }

  change(token: string, change: Partial<OperatorView>): void {
    const hash = sha256(token);
    this.views.set(hash, { ...this.views.get(hash)!, ...change });
  }
}

/** Collects log lines. */
export class TestLog implements Log {
  readonly lines: { readonly level: string; readonly details: object; readonly message: string }[] = [];

  readonly debug = this.keep('debug');
  readonly info = this.keep('info');
  readonly warn = this.keep('warn');
  readonly error = this.keep('error');

  at(level: string): readonly object[] {
    return this.lines.filter((line) => line.level === level).map(({ details }) => details);
  }

  private keep(level: string) {
    return (details: object, message: string): void => void this.lines.push({ level, details, message });
  }
}

export interface TestApp {
  readonly app: NestFastifyApplication;
  readonly keys: TestKeys;
  readonly operators: TestOperators;
  readonly log: TestLog;
  readonly clock: ManualClock;
  /** By the id that is derived from the key. */
  readonly acceptedRequests: Map<string, AcceptedRequestView>;
  readonly uses: Map<string, Date>;
  /** Every route of the server, for example `GET /operator/v1/reviews`. */
  readonly routes: readonly string[];
}

export interface TestAppOptions {
  readonly controllers?: readonly Type[];
  /** API modules; `standIns` replace their queries and ports. */
  readonly modules?: readonly (Type | DynamicModule)[];
  readonly standIns?: ReadonlyMap<InjectionToken, unknown>;
  readonly bus?: Pick<CommandBus, 'request'>;
  readonly options?: Partial<HttpApiOptions>;
}

/** The real API with the controllers of a spec, keys in memory, and a manual clock. */
export async function startTestApp({
  controllers = [],
  modules = [],
  standIns = new Map(),
  bus = {} as CommandBus,
  options,
}: TestAppOptions): Promise<TestApp> {
  const keys = new TestKeys();
  const operators = new TestOperators();
  const log = new TestLog();
  const clock = manualClock(initialTime);
  const uses = new Map<string, Date>();
  const acceptedRequests = new Map<string, AcceptedRequestView>();
  const platform = [
    ...[...standIns].map(([provide, useValue]) => ({ provide, useValue })),
    { provide: CLOCK, useValue: clock },
    { provide: COMMAND_BUS, useValue: bus },
    { provide: ApiKeyUsage, useValue: { record: (keyId: string, at: Date) => void uses.set(keyId, at) } },
  ];
  @Global()
  @Module({ providers: platform, exports: platform })
  class TestPlatform {}

  const http = HttpApiModule.forRoot({
    operatorToken,
    cursorSecret: 'secret-of-this-spec',
    rateLimits: { live: 0, sandbox: 0 },
    baseUrl: 'https://florin.example',
    log,
    liveIssuer: true,
    liveChain: true,
    minimums: { issue: '10.00', topup: '10.00' },
    fourEyesAmount: '1000.00',
    webhookAllowLoopback: false,
    ...options,
  });
  const module = Test.createTestingModule({
    imports: [TestPlatform, http, ...modules],
    controllers: [...controllers],
  });
  module.overrideProvider(CompanyQueries).useValue(keys);
  module.overrideProvider(OperatorQueries).useValue(operators);
  const findAccepted = async (_: unknown, id: string) => acceptedRequests.get(id);
  module.overrideProvider(AcceptedRequestQueries).useValue({ find: findAccepted, findNow: findAccepted });
  for (const [token, value] of standIns) module.overrideProvider(token).useValue(value);
  const compiled = await module.compile();
  const app = compiled.createNestApplication<NestFastifyApplication>(createFastifyAdapter(), { logger: false });
  const server: FastifyInstance = app.getHttpAdapter().getInstance();
  const routes: string[] = [];
  server.addHook('onRoute', ({ method, url }) => void routes.push(...[method].flat().map((one) => `${one} ${url}`)));
  installHttp(app);
  await app.init();
  await server.ready();
  return { app, keys, operators, log, clock, acceptedRequests, uses, routes };
}

/** Returns a loopback address for tests that need real HTTP. */
export async function listen(app: NestFastifyApplication): Promise<string> {
  await app.listen(0, '127.0.0.1');
  return app.getUrl();
}
