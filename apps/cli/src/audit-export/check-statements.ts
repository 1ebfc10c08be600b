import { formatMoney, type Money, parseMoney } from '@florin/kernel';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

interface Entry {
  readonly companyId: string;
  readonly environment: string;
  readonly amount: string;
  readonly balance: string;
}

/** Adds up the statements of an export and compares each account with the trial balance. */
export async function checkStatements(folder: string): Promise<readonly string[]> {
  const sums = new Map<string, Money>();
  const problems: string[] = [];
  for await (const { companyId, environment, amount, balance } of rowsOf<Entry>(folder, 'statements')) {
    const account = `${companyId} ${environment}`;
    const sum = (sums.get(account) ?? 0n) + parseMoney(amount);
    if (sum !== parseMoney(balance) && problems.length < maxProblems) {
      problems.push(`${account}: an entry has a balance of ${balance}, but the entries add up to ${formatMoney(sum)}`);
    }
    sums.set(account, sum);
  }
  for await (const { companyId, environment, balance } of rowsOf<Entry>(folder, 'trial-balance')) {
    const sum = sums.get(`${companyId} ${environment}`) ?? 0n;
    if (sum === parseMoney(balance) || problems.length >= maxProblems) continue;
    problems.push(`${companyId} ${environment}: the trial balance has ${balance}, the statement ${formatMoney(sum)}`);
  }
  return problems;
}

const maxProblems = 20;

/** One row per line, so that a large table is never in memory as a whole. */
async function* rowsOf<Row>(folder: string, name: string): AsyncGenerator<Row> {
  for await (const line of createInterface({ input: createReadStream(join(folder, `${name}.json`)) })) {
    if (line.startsWith('{')) yield JSON.parse(line.replace(/,$/, '')) as Row;
  }
}
