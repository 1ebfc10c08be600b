import type { ApiKeyView } from '@florin/read-models';
import type { InjectionToken, Type } from '@nestjs/common';
import type { InjectOptions } from 'fastify';
import type { HttpApiOptions } from '../http-api-options';
import { OperationsApiModule } from '../v1/operations-api.module';
import { operatorToken, startTestApp, type TestApp } from './test-app';
import { TestBus } from './test-bus';
import { TestViews } from './test-views';

export const companyId = 'c0ffee00-0000-4000-8000-000000000001';
export const accountId = `${companyId}-sandbox`;

export interface TestResponse {
  readonly status: number;
  readonly headers: Record<string, unknown>;
  readonly body: Record<string, unknown>;
}

type Request = Omit<InjectOptions, 'headers'> & { readonly headers?: Record<string, string | undefined> };

/** The API of cards and operations (or the given modules) with a test bus and test read models. */
export class OperationsApp {
  readonly bus = new TestBus();
  readonly views = new TestViews();
  private test!: TestApp;

  constructor(
    private readonly modules: readonly Type[] = [OperationsApiModule],
    private readonly standIns: ReadonlyMap<InjectionToken, unknown> = new Map(),
  ) {}

  async start(options: Partial<HttpApiOptions> = {}): Promise<void> {
    const standIns = new Map([...this.views.standIns(), ...this.standIns]);
    this.test = await startTestApp({ modules: this.modules, standIns, bus: this.bus, options });
  }

  get app() {
    return this.test.app;
  }

  get clock() {
    return this.test.clock;
  }

  get log() {
    return this.test.log;
  }

  get acceptedRequests() {
    return this.test.acceptedRequests;
  }

  get keys() {
    return this.test.keys;
  }

  close(): Promise<void> {
    return this.test.app.close();
  }

  /** Sends the request with a new key. */
  as(key: Partial<ApiKeyView>, request: Request): Promise<TestResponse> {
    return this.send(`Bearer ${this.test.keys.add(key)}`, request);
  }

  asOperator(request: Request): Promise<TestResponse> {
    return this.send(`Bearer ${operatorToken}`, request);
  }

  async send(authorization: string | undefined, request: Request): Promise<TestResponse> {
    const headers = defined({ authorization, ...request.headers });
    const { statusCode, headers: responseHeaders, body } = await this.test.app.inject({ ...request, headers });
    return { status: statusCode, headers: responseHeaders, body: JSON.parse(body || '{}') as Record<string, unknown> };
  }
}

function defined(headers: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
