import { describeAvailability } from './load/availability';
import type { ChaosReport } from './run-chaos';

const maxListed = 10;

/** The report as text: the checks and their findings. */
export function asText({ leftovers, checks, availability }: ChaosReport): string {
  const lines = checks.flatMap(({ name, examined, findings }) => [
    `${findings.length === 0 ? 'ok  ' : 'FAIL'} ${name} (${examined})`,
    ...listed(findings),
  ]);
  const rest = leftovers.length === 0 ? [] : ['FAIL the system did not settle', ...listed(leftovers)];
  return [...rest, ...lines, '', describeAvailability(availability)].join('\n');
}

function listed(findings: readonly string[]): string[] {
  const more = findings.length - maxListed;
  const shown = findings.slice(0, maxListed).map((finding) => `       ${finding}`);
  return more > 0 ? [...shown, `       and ${more} more, all in report.json`] : shown;
}
