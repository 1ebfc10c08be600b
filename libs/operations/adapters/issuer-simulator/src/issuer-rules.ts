import { type IssuerBehavior, issuerBehaviors, type IssuerOrder, type PlannedBehavior } from './issuer-behaviors';

/** What the simulator does with the next orders that match. */
export interface IssuerRule {
  /** Only orders of this type, or this operation. */
  readonly type?: string;
  readonly operationId?: string;
  readonly behavior: IssuerBehavior;
  /** How long it waits before it does so. */
  readonly delayMs?: number;
  /** How many orders it applies to; one by default. */
  readonly times?: number;
}

/** The rules of a script. The first one that matches applies; without one, the plan of the simulator does. */
export class IssuerRules {
  private rules: { readonly rule: IssuerRule; left: number }[] = [];

  add(rule: IssuerRule): void {
    if (!issuerBehaviors.includes(rule.behavior)) {
      throw new Error(`Unknown behavior ${String(rule.behavior)}. Use one of: ${issuerBehaviors.join(', ')}.`);
    }
    this.rules.push({ rule, left: rule.times ?? 1 });
  }

  clear(): void {
    this.rules = [];
  }

  get waiting(): readonly IssuerRule[] {
    return this.rules.map(({ rule, left }) => ({ ...rule, times: left }));
  }

  planFor(order: IssuerOrder): PlannedBehavior | undefined {
    const found = this.rules.find(({ rule }) => matches(rule, order));
    if (found === undefined) return undefined;
    found.left -= 1;
    if (found.left === 0) this.rules = this.rules.filter((rule) => rule !== found);
    return { behavior: found.rule.behavior, delayMs: found.rule.delayMs ?? 0 };
  }
}

function matches({ type, operationId }: IssuerRule, order: IssuerOrder): boolean {
  return (type ?? order.type) === order.type && (operationId ?? order.operationId) === order.operationId;
}
