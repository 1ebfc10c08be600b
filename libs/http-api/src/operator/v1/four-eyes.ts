import type { ApprovalAnswer, ApprovalCommand, ApproveDecision, WithdrawProposal } from '@florin/companies-domain';
import { type Actor, assert, type Money, type OperatorActor, parseMoney, randomId } from '@florin/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { Commands } from '../../commands';
import type { RequestOrigin } from '../../endpoint';
import { HTTP_API_OPTIONS, type HttpApiOptions } from '../../http-api-options';

/** A decision to propose or to confirm. `requestId` is random by default. */
export type DecisionToApprove = Omit<ApproveDecision['data'], 'operator' | 'requestId'> & {
  readonly requestId?: string;
};

const refusals = { proposal_unknown: 'not_found' } as const;

/** Decisions about large amounts take a proposal by one operator and a confirmation by another. */
@Injectable()
export class FourEyes {
  /** From this amount on, two operators decide; 0.00 if one is always sufficient. */
  readonly fromAmount: string;

  constructor(
    private readonly commands: Commands,
    @Inject(HTTP_API_OPTIONS) { fourEyesAmount }: HttpApiOptions,
  ) {
    this.fromAmount = fourEyesAmount;
  }

  areRequiredFor(amount: Money): boolean {
    const fromAmount = parseMoney(this.fromAmount);
    return fromAmount > 0n && amount >= fromAmount;
  }

  /** Proposes the decision, or confirms the proposal of another operator. The caller executes it only if it is approved. */
  approve(origin: RequestOrigin, { requestId, ...decision }: DecisionToApprove): Promise<ApprovalAnswer> {
    const operator = operatorOf(origin.actor);
    const data = { ...decision, operator, requestId: requestId ?? randomId() };
    return this.send(origin, { type: 'ApproveDecision', data });
  }

  /** `refusal` says why the decision could not be executed. */
  withdraw(origin: RequestOrigin, approvalId: string, refusal?: string): Promise<ApprovalAnswer> {
    const operator = operatorOf(origin.actor);
    const data: WithdrawProposal['data'] = { approvalId, operator, requestId: randomId(), refusal };
    return this.send(origin, { type: 'WithdrawProposal', data });
  }

  private async send(origin: RequestOrigin, command: ApprovalCommand): Promise<ApprovalAnswer> {
    const { approvalId: key, requestId: id } = command.data;
    const message = { context: 'companies', key, id, command, refusals };
    const { answer } = await this.commands.execute<ApprovalAnswer>(origin, message);
    return answer;
  }
}

export function operatorOf({ kind, id }: Actor): OperatorActor {
  assert(kind === 'operator', () => `${kind} ${id} is not an operator`);
  return { kind: 'operator', id };
}
