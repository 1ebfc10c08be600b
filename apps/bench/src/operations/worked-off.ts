import type { BenchCompany } from '../http/bench-companies';

const everyMs = 500;
const patienceMs = 120_000;

/** Waits until no operation of these companies is queued or processing any more. */
export async function untilWorkedOff(url: string, companies: readonly BenchCompany[]): Promise<void> {
  const deadline = Date.now() + patienceMs;
  for (const company of companies) {
    while (await hasWork(url, company)) {
      if (Date.now() > deadline) throw new Error(`Operations were not worked off within ${patienceMs / 1_000} s`);
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
  }
}

async function hasWork(url: string, { key }: BenchCompany): Promise<boolean> {
  const headers = { Authorization: `Bearer ${key}` };
  for (const status of ['queued', 'processing']) {
    const response = await fetch(`${url}/api/v1/operations?status=${status}&limit=1`, { headers });
    if (!response.ok) throw new Error(`Operations were answered ${response.status}: ${await response.text()}`);
    const { data } = (await response.json()) as { data: unknown[] };
    if (data.length > 0) return true;
  }
  return false;
}
