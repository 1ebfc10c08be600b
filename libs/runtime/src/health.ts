/** The state of one dependency, with the reason if it is not healthy and any further details. */
export interface Condition {
  readonly ok: boolean;
  readonly reason?: string;
  readonly [fact: string]: string | number | boolean | undefined;
}

/** Returns `true`, the reason why a dependency is not healthy, or its state in detail. */
export type HealthCheck = () => Promise<true | string | Condition>;

export interface Readiness {
  readonly ready: boolean;
  readonly checks: Readonly<Record<string, Condition>>;
}

const checkTimeoutMs = 2_000;

/** Whether this process should receive traffic. */
export class Health {
  private readonly checks = new Map<string, HealthCheck>();
  private draining = false;

  register(name: string, check: HealthCheck): void {
    this.checks.set(name, check);
  }

  /** Makes the process unready, so that load balancers send no new requests. */
  drain(): void {
    this.draining = true;
  }

  async readiness(): Promise<Readiness> {
    const running = [...this.checks].map(async ([name, check]) => [name, conditionOf(await run(check))] as const);
    const checks: Record<string, Condition> = Object.fromEntries(await Promise.all(running));
    if (this.draining) checks['process'] = { ok: false, reason: 'shutting down' };
    return { ready: Object.values(checks).every(({ ok }) => ok), checks };
  }
}

function conditionOf(result: Awaited<ReturnType<HealthCheck>>): Condition {
  if (result === true) return { ok: true };
  return typeof result === 'string' ? { ok: false, reason: result } : result;
}

async function run(check: HealthCheck): ReturnType<HealthCheck> {
  let timer: NodeJS.Timeout | undefined;
  const timedOut = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`no reply within ${checkTimeoutMs} ms`), checkTimeoutMs);
  });
  try {
    return await Promise.race([check(), timedOut]);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    clearTimeout(timer);
  }
}
