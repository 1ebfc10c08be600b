import type { Tracing } from './tracing.port';

const noTracing: Tracing = {
  http: () => undefined,
  bus: (bus) => bus,
  store: (store) => store,
  projection: (projection) => projection,
  close: async () => undefined,
};

export async function startTracing(serviceName: string, endpoint: string | undefined): Promise<Tracing> {
  if (endpoint === undefined) return noTracing;
  const { startOpenTelemetry } = await import('./open-telemetry');
  return startOpenTelemetry(serviceName);
}
