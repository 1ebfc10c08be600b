/** Who can cause an event. */
export const actorKinds = ['api_key', 'member', 'operator', 'issuer', 'chain', 'service'] as const;

export type ActorKind = (typeof actorKinds)[number];

/** Who caused an event: stored in its metadata. */
export interface Actor {
  readonly kind: ActorKind;
  /** The id of the key, member or operator; the environment of an issuer; the name of a chain or service. */
  readonly id: string;
}

/** A person who decides about money. */
export interface OperatorActor extends Actor {
  readonly kind: 'operator';
}

/** Florin itself: a process, a watchdog, or the demo data. */
export function serviceActor(id: string): Actor {
  return { kind: 'service', id };
}

export function isSameActor(one: Actor, other: Actor): boolean {
  return one.kind === other.kind && one.id === other.id;
}
