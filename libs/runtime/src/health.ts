/** What one dependency says of itself: fine, or why not. */
export type HealthCheck = () => Promise<true | string>;

export interface Readiness {
  readonly ready: boolean;
  readonly checks: Readonly<Record<string, { readonly ok: boolean; readonly reason?: string }>>;
}

const checkTimeoutMs = 2_000;

/** Knows whether this process should get traffic. Being alive is simpler: whoever can answer is. */
export class Health {
  private readonly checks = new Map<string, HealthCheck>();
  private draining = false;

  register(name: string, check: HealthCheck): void {
    this.checks.set(name, check);
  }

  /** From here on load balancers should send nothing new. */
  drain(): void {
    this.draining = true;
  }

  async readiness(): Promise<Readiness> {
    const names = [...this.checks.keys()];
    const results = await Promise.all([...this.checks.values()].map((check) => run(check)));
    const checks: Record<string, { ok: boolean; reason?: string }> = {};
    results.forEach((result, index) => {
      checks[names[index]!] = result === true ? { ok: true } : { ok: false, reason: result };
    });
    if (this.draining) checks['process'] = { ok: false, reason: 'shutting down' };
    return { ready: Object.values(checks).every(({ ok }) => ok), checks };
  }
}

async function run(check: HealthCheck): Promise<true | string> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`no answer within ${checkTimeoutMs} ms`), checkTimeoutMs);
  });
  try {
    return await Promise.race([check(), late]);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    clearTimeout(timer);
  }
}
