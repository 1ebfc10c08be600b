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

export interface HealthCheckOptions {
  /** Whether the process is unready without it. Otherwise its state is only shown, with `required: false`. */
  readonly isRequired?: boolean;
}

/** A dependency that does not reply within this time is not healthy. */
export const checkTimeoutMs = 2_000;

/** Probes of several load balancers share one check. With the timeout, readiness changes within three seconds. */
const maxAgeMs = 1_000;

/** Whether this process should receive traffic. */
export class Health {
  private readonly dependencies = new Map<string, Dependency>();
  private draining = false;

  register(name: string, check: HealthCheck, { isRequired = true }: HealthCheckOptions = {}): void {
    this.dependencies.set(name, new Dependency(check, isRequired));
  }

  /** Makes the process unready, so that load balancers send no new requests. */
  drain(): void {
    this.draining = true;
  }

  async readiness(): Promise<Readiness> {
    const states = await Promise.all(
      [...this.dependencies].map(async ([name, dependency]) => {
        const { isRequired } = dependency;
        return { name, isRequired, condition: await dependency.condition() };
      }),
    );
    const checks: Record<string, Condition> = {};
    for (const { name, isRequired, condition } of states) {
      checks[name] = isRequired ? condition : { ...condition, required: false };
    }
    if (this.draining) checks['process'] = { ok: false, reason: 'shutting down' };
    return {
      ready: !this.draining && states.every(({ isRequired, condition }) => !isRequired || condition.ok),
      checks,
    };
  }
}

/** One check with a bounded time and a cached result. It never runs twice at the same time, however often it is asked. */
class Dependency {
  private latest: { readonly condition: Condition; readonly atMs: number } | undefined;
  private running: { readonly result: Promise<Condition>; readonly sinceMs: number } | undefined;

  constructor(
    private readonly check: HealthCheck,
    readonly isRequired: boolean,
  ) {}

  async condition(): Promise<Condition> {
    if (this.latest !== undefined && performance.now() - this.latest.atMs < maxAgeMs) return this.latest.condition;
    this.running ??= { result: this.run(), sinceMs: performance.now() };
    const { result, sinceMs } = this.running;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<Condition>((resolve) => {
      const remainingMs = Math.max(0, sinceMs + checkTimeoutMs - performance.now());
      timer = setTimeout(() => resolve({ ok: false, reason: `no reply within ${checkTimeoutMs} ms` }), remainingMs);
    });
    const condition = await Promise.race([result, late]);
    clearTimeout(timer);
    return condition;
  }

  private async run(): Promise<Condition> {
    const condition = await conditionOf(this.check);
    this.latest = { condition, atMs: performance.now() };
    this.running = undefined;
    return condition;
  }
}

async function conditionOf(check: HealthCheck): Promise<Condition> {
  try {
    const result = await check();
    if (result === true) return { ok: true };
    return typeof result === 'string' ? { ok: false, reason: result } : result;
  } catch (error) {
    return { ok: false, reason: error instanceof Error ? error.message : String(error) };
  }
}
