import { formatMoney, parseMoney } from '@florin/kernel';
import type { ExportRow, ExportTable } from './export-tables';
import type { ExportReport } from './export-report';
import type { EnvironmentTotals } from './statement-totals';

const style = `
  body { font: 14px/1.5 system-ui, sans-serif; color: #1b1f24; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; }
  h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin-top: 2rem; border-bottom: 1px solid #ccc; }
  table { border-collapse: collapse; width: 100%; margin: 0.5rem 0; }
  th, td { text-align: left; padding: 0.2rem 0.6rem 0.2rem 0; border-bottom: 1px solid #e5e5e5; vertical-align: top; }
  td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
  code { font-size: 12px; overflow-wrap: anywhere; } svg { width: 100%; height: auto; }
  .findings { border: 2px solid #b42318; padding: 0 1rem; }
  @media print { body { margin: 0; max-width: none; } h2 { break-after: avoid; } table, svg { break-inside: auto; } }`;

/** A page that needs no other file, no script and no network, and can be printed. */
export function reportPage(report: ExportReport, tables: readonly ExportTable[]): string {
  const balances = tables.find(({ name }) => name === 'trial-balance')!;
  const operations = tables.find(({ name }) => name === 'operations')!;
  const cards = tables.find(({ name }) => name === 'cards')!;
  const { asOf, log, findings, totals } = report;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Florin audit as of ${escaped(asOf)}</title>
<style>${style}
</style>
</head>
<body>
<h1>Audit as of ${escaped(asOf)}</h1>
<p>${escaped(scopeText(report))} This report follows from the first ${log.events} events of the log, up to position
${log.position}, and from nothing else.</p>
${findingsSection(findings)}
${totals.map((each) => environmentSection(each, { balances: balances.rows, operations: operations.rows, cards: cards.rows })).join('\n')}
<h2>Evidence</h2>
<table>
<tr><th>Position</th><td>${log.position}</td></tr>
<tr><th>Hash of the log</th><td><code>${log.hash}</code></td></tr>
<tr><th>Signed checkpoint</th><td>${checkpointText(report)}</td></tr>
</table>
<h2>Files</h2>
<table>
<tr><th>File</th><th class="number">Rows</th></tr>
${Object.entries(report.rows)
  .map(([name, count]) => `<tr><td>${name}.csv, ${name}.json</td><td class="number">${count}</td></tr>`)
  .join('\n')}
</table>
<p><code>florin audit check</code> compares all files with <code>manifest.json</code>.</p>
</body>
</html>
`;
}

function scopeText({ company, environment }: ExportReport): string {
  const parts = [...(company === null ? [] : [`company ${company}`]), ...(environment === null ? [] : [environment])];
  return parts.length === 0 ? 'All companies.' : `Only ${parts.join(', ')}.`;
}

function checkpointText({ log: { checkpoint } }: ExportReport): string {
  if (checkpoint === null) return 'none yet';
  const { number, position, time, keyId } = checkpoint;
  return `number ${number}, position ${position}, ${time}, key <code>${keyId}</code>`;
}

function findingsSection(findings: ExportReport['findings']): string {
  if (findings.length === 0) return '<p>No problems were found in the log.</p>';
  const items = findings.map(({ at, text }) => `<li>${escaped(`${at}: ${text}`)}</li>`);
  return `<section class="findings"><h2>Problems found: ${findings.length}</h2><ul>${items.join('\n')}</ul></section>`;
}

const amountNames = ['deposited', 'adjusted', 'refunded', 'captured', 'fees', 'available', 'held', 'balance'] as const;

function environmentSection(
  totals: EnvironmentTotals,
  { balances, operations, cards }: Readonly<Record<'balances' | 'operations' | 'cards', readonly ExportRow[]>>,
): string {
  const { environment } = totals;
  const isOwn = (row: ExportRow): boolean => row['environment'] === environment;
  const rows = balances.filter(isOwn).map((row) => {
    return `<tr><td><code>${escaped(String(row['companyId']))}</code></td>${numbers(amountNames.map((name) => row[name]))}</tr>`;
  });
  const onCards = cards.filter(isOwn).reduce((sum, { balance }) => sum + parseMoney(String(balance)), 0n);
  const byStatus = new Map<string, number>();
  for (const { status } of operations.filter(isOwn)) {
    byStatus.set(String(status), (byStatus.get(String(status)) ?? 0) + 1);
  }
  return `<h2>${escaped(environment)}</h2>
<table>
<tr><th>Statement entries</th><th class="number">Sum</th></tr>
${Object.entries(totals.byKind)
  .map(([kind, sum]) => `<tr><td>${escaped(kind)}</td>${numbers([sum])}</tr>`)
  .join('\n')}
<tr><th>All ${totals.entries} entries, the balance of all accounts</th>${numbers([totals.balance])}</tr>
<tr><th>Money on cards</th>${numbers([formatMoney(onCards)])}</tr>
</table>
${balanceChart(totals)}
${barChart('Operations by status', [...byStatus].sort())}
<h3>Trial balance</h3>
<table>
<tr><th>Company</th>${amountNames.map((name) => `<th class="number">${name}</th>`).join('')}</tr>
${rows.join('\n')}
</table>`;
}

function numbers(cells: readonly unknown[]): string {
  return cells.map((cell) => `<td class="number">${escaped(String(cell))}</td>`).join('');
}

const [width, height, margin] = [800, 220, 30];

/** The total balance at the end of each day. */
function balanceChart({ byDay, environment }: EnvironmentTotals): string {
  if (byDay.length < 2) return '';
  const [first, last] = [byDay[0]!.day, byDay.at(-1)!.day];
  const amounts = byDay.map(({ balance }) => Number(balance));
  const [low, high] = [Math.min(0, ...amounts), Math.max(1, ...amounts)];
  const start = Date.parse(first);
  const span = Math.max(1, Date.parse(last) - start);
  const x = (day: string): number => margin + ((Date.parse(day) - start) / span) * (width - 2 * margin);
  const y = (amount: number): number => height - margin - ((amount - low) / (high - low)) * (height - 2 * margin);
  const points = byDay.map(({ day }, index) => `${x(day).toFixed(1)},${y(amounts[index]!).toFixed(1)}`).join(' ');
  return `<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="Balance of all ${escaped(environment)} accounts by day">
<text x="${margin}" y="16">Balance of all accounts by day, up to ${high.toFixed(2)}</text>
<line x1="${margin}" y1="${y(0).toFixed(1)}" x2="${width - margin}" y2="${y(0).toFixed(1)}" stroke="#999"/>
<polyline points="${points}" fill="none" stroke="#175cd3" stroke-width="2"/>
<text x="${margin}" y="${height - 8}">${first}</text>
<text x="${width - margin}" y="${height - 8}" text-anchor="end">${last}</text>
</svg>`;
}

const barHeight = 26;

function barChart(title: string, counts: readonly (readonly [string, number])[]): string {
  if (counts.length === 0) return '';
  const most = Math.max(...counts.map(([, count]) => count));
  const bars = counts.map(([name, count], index) => {
    const top = 30 + index * barHeight;
    const length = Math.max(1, (count / most) * 500).toFixed(1);
    return `<text x="${margin}" y="${top + 15}">${escaped(name)}</text>
<rect x="170" y="${top}" width="${length}" height="${barHeight - 6}" fill="#175cd3"/>
<text x="${178 + Number(length)}" y="${top + 15}">${count}</text>`;
  });
  return `<svg viewBox="0 0 ${width} ${40 + counts.length * barHeight}" role="img" aria-label="${escaped(title)}">
<text x="${margin}" y="16">${escaped(title)}</text>
${bars.join('\n')}
</svg>`;
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => entities[character]!);
}
