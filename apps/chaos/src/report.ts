import type { ChaosReport } from './run-chaos';

const mostShown = 10;

/** The outcome for people: what was looked at, and what was wrong with it. */
export function asText({ leftovers, checks }: ChaosReport): string {
  const lines = checks.flatMap(({ name, examined, findings }) => [
    `${findings.length === 0 ? 'ok  ' : 'FAIL'} ${name} (${examined})`,
    ...listed(findings),
  ]);
  const rest = leftovers.length === 0 ? [] : ['FAIL everything came to rest by itself', ...listed(leftovers)];
  return [...rest, ...lines].join('\n');
}

function listed(findings: readonly string[]): string[] {
  const more = findings.length - mostShown;
  const shown = findings.slice(0, mostShown).map((finding) => `       ${finding}`);
  return more > 0 ? [...shown, `       and ${more} more, all in report.json`] : shown;
}
