import type { Actor } from '@florin/kernel';

/** Events of early releases have no actor. */
export function actorText(actor: Actor | undefined): string | undefined {
  return actor === undefined ? undefined : `${actor.kind} ${actor.id}`;
}
