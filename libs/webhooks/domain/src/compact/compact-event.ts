import type { Uuid } from '@florin/kernel';
import { eventTimeOf, type ObjectKind, publicId } from '../event-ids';
import type { WebhookEvent } from '../event-types';
import { expandJson } from './compact-json';

/** A row of `webhooks.compact_events`. */
export interface CompactEvent extends Pick<WebhookEvent, 'companyId' | 'environment' | 'type' | 'objectVersion'> {
  readonly id: Uuid;
  readonly objectId: Uuid;
  readonly object: Buffer;
}

/**
 * Whether events about these objects are stored in the compact form. Personal data of holders must be removable, and events about
 * endpoints are rare; some of them have an id that a request determines.
 */
export function isCompact(kind: ObjectKind): boolean {
  return kind !== 'holder' && kind !== 'webhook_endpoint';
}

export function isCompactType(type: WebhookEvent['type']): boolean {
  return isCompact(type.slice(0, type.indexOf('.')) as ObjectKind);
}

/** The body as it is sent, byte by byte. Only the object can contain characters that JSON escapes. */
export function compactEventBody(event: CompactEvent): string {
  const { type, environment, companyId, objectVersion, objectId, object } = event;
  const id = publicId(event.id);
  return (
    `{"id":"${id}","type":"${type}","createdAt":"${eventTimeOf(id)}","environment":"${environment}",` +
    `"companyId":"${companyId}","objectVersion":${objectVersion},"data":{"object":${expandJson(object, objectId)}}}`
  );
}
