import type { BenchCompany } from '../http/bench-companies';
import type { LoadRequest } from '../http/http-load';

/** Card orders, round-robin over the companies. */
export function issueRequests(companies: readonly BenchCompany[]): (sequence: number) => LoadRequest {
  const requests = companies.map(({ key, holderId }) => ({
    path: '/api/v1/operations',
    key,
    body: JSON.stringify({
      type: 'issue',
      productId: 'virtual-usd',
      amount: '100.00',
      expectedTotal: '103.20',
      holderId,
    }),
  }));
  return (sequence) => requests[sequence % requests.length]!;
}
