import { flawsIn } from '@florin/audit/testing';
import { clockToleranceMs } from '@florin/invoicing-domain';
import type { ChainLog } from './chain-log';
import type { ChainScenario } from './chain-scenario';
import { expectedTransfers } from './expected-transfers';
import type { ChainTestBed, Payable } from './chain-test-bed';

/** Checks the expected result and the invariants of any chain. */
export async function expectOutcome(testBed: ChainTestBed, script: ChainScenario): Promise<void> {
  const log = await testBed.log();
  const statuses = [...testBed.invoices.values()].map(({ name, id }) => [name, log.statusOf(id)]);
  const unmatched = log.unmatched().map(({ reason, forReview }) => {
    return `${reason}, ${forReview ? 'for review' : 'no review'}`;
  });
  expect({ invoices: Object.fromEntries(statuses) as unknown, unmatched }).toEqual({
    invoices: script.invoices,
    unmatched: script.unmatched ?? [],
  });
  expect(violationsOf(testBed, log)).toEqual([]);
}

/** No deposit is missed, invented or recorded twice, and nothing is credited without an exact payment in time. */
export function violationsOf(testBed: ChainTestBed, log: ChainLog): readonly string[] {
  return [
    ...wrongDeposits(testBed, log),
    ...wrongCredits(testBed, log),
    ...log.otherMovements(),
    ...gaps(testBed, log),
    ...flawsIn(log.events),
  ];
}

/** Every transfer to a watched address in a final block is recorded exactly once. */
function wrongDeposits({ chain, addresses }: ChainTestBed, log: ChainLog): string[] {
  const expected = expectedTransfers(chain.finalBlocks, addresses).map((transfer) => JSON.stringify(transfer));
  const recorded = log.deposits().map(({ address: to, transactionId, logIndex, amount, blockNumber, blockTime }) => {
    return JSON.stringify({ transactionId, logIndex, to, amount, blockNumber, blockTime });
  });
  return [
    ...without(expected, recorded).map((transfer) => `never recorded: ${transfer}`),
    ...without(recorded, expected).map((deposit) => `invented or recorded twice: ${deposit}`),
  ];
}

/** An invoice is credited once if it was paid in time or an operator decided so, otherwise never. */
function wrongCredits(testBed: ChainTestBed, log: ChainLog): string[] {
  const paid = [...testBed.invoices.values()].filter((invoice) => {
    return wasPaidInTime(testBed, invoice) || testBed.decisions.get(invoice.name) === 'completed';
  });
  const expected = paid.map(({ accountId, id, deposit, fee }) => `${deposit} less ${fee} to ${accountId} for ${id}`);
  const credited = log.credits().map(({ accountId, invoiceId, amount, fee }) => {
    return `${amount} less ${fee} to ${accountId} for ${invoiceId}`;
  });
  return [
    ...without(expected, credited).map((credit) => `paid in time and not credited: ${credit}`),
    ...without(credited, expected).map((credit) => `credited wrongly or twice: ${credit}`),
  ];
}

function wasPaidInTime(testBed: ChainTestBed, invoice: Payable): boolean {
  const time = paidAt(testBed, invoice);
  return time !== undefined && time < invoice.expiresAt;
}

/** Only the first payment counts; scenarios are too short for amounts to be reused. */
export function paidAt({ chain, addresses }: ChainTestBed, { to, amount, createdAt }: Payable): string | undefined {
  const firstClaimable = new Date(Date.parse(createdAt) - clockToleranceMs).toISOString();
  const first = expectedTransfers(chain.finalBlocks, addresses).find((transfer) => {
    return transfer.to === to && transfer.amount === amount && transfer.blockTime >= firstClaimable;
  });
  return first?.blockTime;
}

/** Block ranges are contiguous from the first block to the last final one. */
function gaps({ chain }: ChainTestBed, log: ChainLog): string[] {
  const { firstBlock, solidHead } = chain.state();
  const flaws: string[] = [];
  let next = firstBlock;
  for (const { fromBlock, toBlock } of log.blockRanges()) {
    if (fromBlock !== next) flaws.push(`read from block ${fromBlock} on instead of ${next}`);
    next = toBlock + 1;
  }
  if (next !== solidHead.number + 1) flaws.push(`read up to before block ${next}, and ${solidHead.number} is final`);
  return flaws;
}

/** The multiset difference of two lists. */
function without(list: readonly string[], other: readonly string[]): string[] {
  const left = [...other];
  return list.filter((member) => {
    const found = left.indexOf(member);
    if (found >= 0) left.splice(found, 1);
    return found < 0;
  });
}
