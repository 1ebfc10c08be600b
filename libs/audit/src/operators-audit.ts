import { type AuditedEvent, causeOf, type FlawAt, textIn } from './audited-event';

/** What an operator could do from a position of the log on. */
interface Standing {
  readonly position: bigint;
  readonly role: string;
  readonly isDisabled: boolean;
}

/** An event that only an operator with one of the roles may have caused. */
interface RequiredRole {
  readonly event: Pick<AuditedEvent, 'stream' | 'revision' | 'position' | 'type'>;
  readonly roles: readonly string[];
  readonly actor: string | undefined;
}

/** The roles that decide about money. */
export const decidingRoles: readonly string[] = ['finance', 'admin'];

const prefix = 'operator ';

/** The operator with the token of the configuration. It is an admin, and no event creates it. */
const bootstrap = 'bootstrap';

/** The operators and their roles at every position of the log. */
export class OperatorsAudit {
  private readonly standings = new Map<string, Standing[]>();
  private readonly required: RequiredRole[] = [];

  /** Adds an event of the operators. Only an admin creates operators and changes their roles. */
  add(event: AuditedEvent): void {
    const { type, data, position } = event;
    const id = textIn(data, 'operatorId');
    const known = this.standings.get(id) ?? [];
    const last = known.at(-1);
    this.standings.set(id, known);
    switch (type) {
      case 'OperatorCreated':
        known.push({ position, role: textIn(data, 'role'), isDisabled: false });
        break;
      case 'OperatorRoleChanged':
        known.push({ position, role: textIn(data, 'role'), isDisabled: last?.isDisabled ?? false });
        break;
      case 'OperatorDisabled':
        known.push({ position, role: last?.role ?? 'viewer', isDisabled: true });
        break;
      case 'OperatorTokenRotated':
        break;
      default:
        throw new Error('this release does not know the event type');
    }
    this.require(['admin'], causeOf(event), event);
  }

  /** Checks, after the last event, that an operator with one of the roles caused the event. */
  require(roles: readonly string[], actor: string | undefined, event: AuditedEvent): void {
    const { stream, revision, position, type } = event;
    this.required.push({ event: { stream, revision, position, type }, roles, actor });
  }

  /** Call after the last event. */
  close(flawAt: FlawAt): void {
    for (const { event, roles, actor } of this.required) {
      const objection = this.objectionTo(roles, actor, event.position);
      if (objection !== undefined) flawAt(event, `is a decision of ${objection}`);
    }
  }

  /** Why the actor had none of the roles at this position; undefined if it had one. */
  objectionTo(roles: readonly string[], actor: string | undefined, position: bigint): string | undefined {
    if (actor === undefined) return 'an unknown actor instead of an operator';
    if (!actor.startsWith(prefix)) return `${actor} instead of an operator`;
    const id = actor.slice(prefix.length);
    if (id === bootstrap) return undefined;
    const standing = this.standings.get(id)?.findLast((each) => each.position < position);
    if (standing === undefined) return `${actor}, who did not exist at that time`;
    if (standing.isDisabled) return `${actor}, who was disabled at that time`;
    return roles.includes(standing.role) ? undefined : `${actor}, who had the role ${standing.role} at that time`;
  }
}
