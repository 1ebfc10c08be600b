import { canonicalJson, formatMoney, type OperatorActor, parseMoney, sha256 } from '@florin/kernel';
import type { AdjustAccount } from '@florin/ledger-domain';
import {
  AccountEntriesQueries,
  AdjustmentQueries,
  type AdjustmentTerms,
  type AdjustmentView,
  ApprovalQueries,
} from '@florin/read-models';
import { Injectable } from '@nestjs/common';
import { Commands } from '../../commands';
import type { RequestOrigin } from '../../endpoint';
import { ApiError } from '../../errors/api-error';
import { mustBeFound } from '../../must-exist';
import { proposalBody } from './approval-schemas';
import { FourEyes } from './four-eyes';

/** The operators who decided, and when the first one did. */
interface DecidedBy {
  readonly proposedBy: OperatorActor;
  readonly confirmedBy?: OperatorActor;
  readonly requestedAt: string;
}

const refusals = { account_limit_exceeded: 'validation_failed' } as const;

/** Proposes, confirms and executes adjustments. Every step can be repeated. A refused execution withdraws the proposal. */
@Injectable()
export class AccountAdjustments {
  constructor(
    private readonly commands: Commands,
    private readonly fourEyes: FourEyes,
    private readonly queries: AdjustmentQueries,
    private readonly approvals: ApprovalQueries,
    private readonly entries: AccountEntriesQueries,
  ) {}

  async approve(origin: RequestOrigin, id: string, terms: AdjustmentTerms, requestId?: string) {
    const decision = { ...terms };
    const subject = { kind: 'adjustment', id } as const;
    return this.fourEyes.approve(origin, { approvalId: id, subject, decision, amount: terms.amount, requestId });
  }

  async execute(origin: RequestOrigin, id: string, terms: AdjustmentTerms, decidedBy: DecidedBy): Promise<void> {
    const { accountId, direction, amount, reason } = terms;
    const command: AdjustAccount = {
      type: 'AdjustAccount',
      data: {
        ...{ accountId, adjustmentId: id, direction, amount, description: reason, ...decidedBy },
        fourEyesAmount: this.fourEyes.fromAmount,
        fingerprint: sha256(canonicalJson({ direction, amount, reason })),
      },
    };
    try {
      await this.commands.execute(origin, { context: 'ledger', key: accountId, id, command, refusals });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // Otherwise any operator could execute it much later.
      await this.fourEyes.withdraw(origin, id, error.message);
      throw new ApiError(error.code, `${error.message}. The adjustment ${id} was withdrawn: request a new one.`);
    }
  }

  /** The adjustment as the API returns it. */
  async read(id: string) {
    return this.body(mustBeFound(await this.queries.find(id), 'adjustment', id));
  }

  async body(view: AdjustmentView) {
    if (view.status === 'completed') return view;
    const approval = mustBeFound(await this.approvals.find(view.id), 'adjustment', view.id);
    return { ...view, proposal: proposalBody(approval) };
  }

  /** What the ledger would refuse, so that an impossible debit is neither proposed nor confirmed. */
  async shortageOf(terms: AdjustmentTerms): Promise<ApiError | undefined> {
    const { companyId, environment, direction, amount } = terms;
    if (direction === 'credit') return undefined;
    const { available } = await this.entries.balance({ companyId, environment });
    if (parseMoney(amount) <= available) return undefined;
    const message = `${amount} is to be debited and ${formatMoney(available)} is available: debit a smaller amount.`;
    return new ApiError('insufficient_funds', message);
  }
}
