import type { OperatorDecision } from '../operator-decision';

/** The decision of one operator while four eyes are switched off. */
export const decidedByOne: OperatorDecision = {
  fourEyesAmount: '0.00',
  proposedBy: { kind: 'operator', id: 'bootstrap' },
};
