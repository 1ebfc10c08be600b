/** The product as it runs: a single process, or one for each service and replica. */
export interface Composition {
  /** Where clients reach it; several where nothing stands in front of its replicas. */
  readonly baseUrls: readonly string[];
  readonly operatorToken: string;
  /** What can be killed; started anew by whoever supervises it. */
  readonly processes: readonly RunningProcess[];
  /** What can be restarted replica by replica. */
  readonly services: readonly string[];
  rollingRestart(service: string): Promise<void>;
  /** What is not ready, with the reason; nothing when all is well. */
  problems(): Promise<readonly string[]>;
  stop(): Promise<void>;
}

export interface RunningProcess {
  readonly name: string;
  kill(): Promise<void>;
}

export interface CompositionOptions {
  readonly dataDirectory: string;
  readonly databaseUrl: string;
  readonly env: Readonly<Record<string, string>>;
  readonly replicas: Readonly<Record<string, number>>;
  /** Every line that a process prints. */
  readonly onLine: (process: string, line: string) => void;
}

/** What a readiness endpoint says, in one sentence for each thing that is wrong. */
export async function problemsAt(name: string, url: string): Promise<readonly string[]> {
  try {
    const response = await fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(5_000) });
    const body = (await response.json()) as { checks?: Record<string, { ok: boolean; reason?: string }> };
    if (response.status === 200) return [];
    const failing = Object.entries(body.checks ?? {}).filter(([, { ok }]) => !ok);
    return failing.map(([check, { reason }]) => `${name} is not ready: ${check} (${reason ?? 'no reason given'})`);
  } catch (error) {
    return [`${name} does not answer: ${error instanceof Error ? error.message : String(error)}`];
  }
}
