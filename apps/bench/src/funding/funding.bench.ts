import type { Bench } from '../bench';
import { type BenchCompany, createCompanies } from '../http/bench-companies';
import { compareServers } from '../http/compare-servers';
import { startEmptyPost, startProduct } from '../http/server-process';

const connections = 128;
const manyAccounts = 50;

/** The whole request as a client sees it: authenticated, validated, decided and durable, with running projections. */
export const fundingBench: Bench = {
  name: 'funding',
  title: `POST /sandbox/funding end to end, ${connections} connections (requests/s), against an empty Nest+Fastify POST`,
  run: async (context) => {
    const [product, empty] = await Promise.all([startProduct(), startEmptyPost()]);
    try {
      const companies = await createCompanies(product, manyAccounts);
      context.progress('one account and many accounts, alternating with the empty POST');
      const contestants = [
        { name: 'empty POST', url: empty.baseUrl, connections, next: funding(companies) },
        { name: 'funding, one account', url: product.baseUrl, connections, next: funding(companies.slice(0, 1)) },
        { name: 'funding, many accounts', url: product.baseUrl, connections, next: funding(companies) },
      ];
      return await compareServers(context, contestants, ['empty POST']);
    } finally {
      await Promise.all([product.stop(), empty.stop()]);
    }
  },
};

const funding = (companies: readonly BenchCompany[]) => (sequence: number) => {
  const { key } = companies[sequence % companies.length]!;
  return { path: '/api/v1/sandbox/funding', key, body: '{"amount":"1.00"}' };
};
