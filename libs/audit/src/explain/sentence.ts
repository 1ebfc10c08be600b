import type { DomainEvent } from '@florin/kernel';

/** One sentence per event type. A new event type does not compile without one. */
export type Sentences<E extends DomainEvent<string, unknown>> = {
  readonly [Type in E['type']]: (data: Extract<E, { readonly type: Type }>['data']) => string;
};

/** `, plus a fee of 3.20`, or nothing. */
export function withFee(relation: 'plus' | 'less' | 'including', fee: string | undefined): string {
  return fee === undefined || fee === '0.00' ? '' : `, ${relation} a fee of ${fee}`;
}
