import type { BenchCompany } from '../http/bench-companies';

const pollIntervalMs = 500;
const timeoutMs = 120_000;

/** Waits until no operation of these companies is queued or processing. */
export async function waitUntilIdle(url: string, companies: readonly BenchCompany[]): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  for (const company of companies) {
    while (await isBusy(url, company)) {
      if (Date.now() > deadline) throw new Error(`Operations did not finish within ${timeoutMs / 1_000} s`);
      await new Promise((resolve) => setTimeout(resolve, pollIntervalMs));
    }
  }
}

async function isBusy(url: string, { key }: BenchCompany): Promise<boolean> {
  const headers = { Authorization: `Bearer ${key}` };
  for (const status of ['queued', 'processing']) {
    const response = await fetch(`${url}/api/v1/operations?status=${status}&limit=1`, { headers });
    if (!response.ok) throw new Error(`GET /operations returned ${response.status}: ${await response.text()}`);
    const { data } = (await response.json()) as { data: unknown[] };
    if (data.length > 0) return true;
  }
  return false;
}
