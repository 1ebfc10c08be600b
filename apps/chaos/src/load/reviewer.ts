import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../random';
import { type Api, isSuccess } from './api';
import type { Journal } from './journal';
import type { LoadAccount } from './load-account';

export interface ReviewerOptions {
  readonly api: Api;
  readonly journal: Journal;
  readonly random: Random;
  readonly operatorToken: string;
  readonly accounts: readonly LoadAccount[];
}

interface Review {
  readonly id: string;
  readonly kind: string;
  readonly companyId: string;
  readonly environment: string;
}

const pauseMs = [500, 2_500] as const;

/** An operator who resolves some of the reviews; the others stay open. */
export class Reviewer {
  private readonly decided = new Set<string>();

  constructor(private readonly options: ReviewerOptions) {}

  async run(untilMs: number): Promise<void> {
    const { random } = this.options;
    for (;;) {
      const next = random.between(...pauseMs);
      if (Date.now() + next >= untilMs) return;
      await delay(next);
      await this.decideOne();
    }
  }

  private async decideOne(): Promise<void> {
    const { api, random, operatorToken: token, accounts, journal } = this.options;
    const listed = await api.send({ method: 'GET', path: '/operator/v1/reviews?limit=50', token });
    if (!isSuccess(listed)) return;
    const open = (listed.body['data'] as readonly Review[]).filter(
      ({ id, kind }) => kind === 'operation' && !this.decided.has(id),
    );
    if (open.length === 0) return;
    const { id, companyId, environment } = random.pick(open);
    const account = accounts.find((one) => one.companyId === companyId && one.environment === environment);
    if (account === undefined) return;
    this.decided.add(id);
    const body = { outcome: random.pick(['completed', 'failed']), note: 'Asked the issuer', last4: '1881' };
    const path = `/operator/v1/reviews/${id}/resolve`;
    await journal.perform({ kind: 'review', account, token, path, body });
  }
}
