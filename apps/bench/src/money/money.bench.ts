import { formatMoney, parseMoney } from '@florin/kernel';
import Decimal from 'decimal.js';
import type { Bench } from '../bench';
import { medians } from '../measure';

const operations = 200_000;

/** The measurement behind docs/adr/0003-money-as-bigint.md. */
export const moneyBench: Bench = {
  name: 'money',
  title: 'Representations of money (million operations/s)',
  run: async ({ rounds, progress }) => {
    progress('adding, parsing and formatting');
    const texts = Array.from({ length: 1_000 }, (_, index) => formatMoney(BigInt(index * 7_919)));
    const cents = texts.map(parseMoney);
    const decimals = texts.map((text) => new Decimal(text));
    const rates = await medians(
      {
        'bigint, add': timed((index) => (sum.bigint += cents[index]!)),
        'decimal.js, add': timed((index) => (sum.decimal = sum.decimal.plus(decimals[index]!))),
        'bigint, text and back': timed((index) => (sum.text = formatMoney(parseMoney(texts[index]!)))),
        'decimal.js, text and back': timed((index) => (sum.text = new Decimal(texts[index]!).toFixed(2))),
      },
      rounds,
    );
    return Object.entries(rates).map(([what, rate]) => ({
      what,
      figures: { 'million/s': rate / 1e6, 'times decimal.js': rate / rates[referenceOf(what)] },
    }));
  },
};

/** Stores the results, so that the JIT compiler cannot eliminate the work. */
const sum = { bigint: 0n, decimal: new Decimal(0), text: '' };

function timed(work: (index: number) => unknown): () => Promise<number> {
  return async () => {
    const begin = performance.now();
    for (let index = 0; index < operations; index++) work(index % 1_000);
    return operations / ((performance.now() - begin) / 1_000);
  };
}

function referenceOf(what: string): 'decimal.js, add' | 'decimal.js, text and back' {
  return what.endsWith('add') ? 'decimal.js, add' : 'decimal.js, text and back';
}
