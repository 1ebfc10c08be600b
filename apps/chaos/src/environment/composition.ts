import type { DatabaseRole } from '@florin/database';

/** The running product: all-in-one processes, or one process per service and replica. */
export interface Composition {
  /** The addresses for clients; several when no proxy is in front of the replicas. */
  readonly baseUrls: readonly string[];
  readonly operatorToken: string;
  /** The processes that can be killed; their supervisor restarts them. */
  readonly processes: readonly RunningProcess[];
  /** The services that support a rolling restart. */
  readonly services: readonly string[];
  rollingRestart(service: string): Promise<void>;
  /** What is not ready, with the reason; empty when everything is ready. */
  problems(): Promise<readonly string[]>;
  stop(): Promise<void>;
}

export interface RunningProcess {
  readonly name: string;
  kill(): Promise<void>;
}

export interface CompositionOptions {
  readonly dataDirectory: string;
  readonly databaseUrlFor: (role: DatabaseRole) => string;
  readonly env: Readonly<Record<string, string>>;
  /** Absent when the log is in Postgres. */
  readonly eventStoreUrl?: string;
  readonly replicas: Readonly<Record<string, number>>;
  /** Called with every line that a process prints. */
  readonly onLine: (process: string, line: string) => void;
}

/** The failing readiness checks, one sentence each. */
export async function problemsAt(name: string, url: string): Promise<readonly string[]> {
  try {
    const response = await fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(5_000) });
    const body = (await response.json()) as { checks?: Record<string, { ok: boolean; reason?: string }> };
    if (response.status === 200) return [];
    const failing = Object.entries(body.checks ?? {}).filter(([, { ok }]) => !ok);
    return failing.map(([check, { reason }]) => `${name} is not ready: ${check} (${reason ?? 'no reason given'})`);
  } catch (error) {
    return [`${name} does not respond: ${error instanceof Error ? error.message : String(error)}`];
  }
}
