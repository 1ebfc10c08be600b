import { type Command, type DomainEvent, type EventVersions, withoutRequestTime } from '@florin/kernel';
import type { WebhookEventType } from '../event-types';

/** A `disabled` endpoint receives nothing until it is enabled again. */
export type EndpointStatus = 'enabled' | 'disabled';

/** Why Florin disabled the endpoint, or that the company did. */
export type DisableReason = 'gone' | 'failing' | 'by_company';

export interface EndpointSettings {
  readonly url: string;
  /** Absent: all types, including those added later. */
  readonly events?: readonly WebhookEventType[];
  readonly description?: string;
}

interface Owned {
  readonly accountId: string;
  readonly companyId: string;
  readonly environment: 'sandbox' | 'live';
}

type Of<Data = unknown> = Data & { readonly accountId: string; readonly endpointId: string };

/** Secrets are stored outside the log. The log contains only their ids and validity. */
export type RegisterEndpoint = Command<
  'RegisterEndpoint',
  Of<
    Owned &
      EndpointSettings & {
        readonly secretId: string;
        readonly requestId: string;
        readonly fingerprint: string;
        readonly now: string;
      }
  >
>;
/**
 * Absent settings stay unchanged. `events: null` and `description: null` remove the setting. Each request is executed once:
 * a late duplicate must not undo later changes.
 */
export type UpdateEndpoint = Command<
  'UpdateEndpoint',
  Of<{
    readonly url?: string;
    readonly events?: readonly WebhookEventType[] | null;
    readonly description?: string | null;
    readonly status?: EndpointStatus;
    readonly requestId: string;
    readonly now: string;
  }>
>;
/** How many secrets of an endpoint sign at the same time: the newest ones. */
export const maxSigningSecrets = 2;

/** Both secrets sign until `overlapUntil`. */
export type RotateEndpointSecret = Command<
  'RotateEndpointSecret',
  Of<{
    readonly secretId: string;
    readonly requestId: string;
    readonly overlapUntil: string;
    readonly now: string;
  }>
>;
/** Sent by the dispatcher. Has no effect if the endpoint was enabled after `now`. */
export type DisableEndpoint = Command<'DisableEndpoint', Of<{ readonly reason: DisableReason; readonly now: string }>>;
export type DeleteEndpoint = Command<'DeleteEndpoint', Of<{ readonly now: string }>>;
/** Sends a `webhook_endpoint.test` to this endpoint only. */
export type TestEndpoint = Command<'TestEndpoint', Of<{ readonly requestId: string; readonly now: string }>>;
/** Resends all events since a time that this endpoint has not acknowledged. */
export type RecoverEndpoint = Command<
  'RecoverEndpoint',
  Of<{ readonly requestId: string; readonly since: string; readonly now: string }>
>;
/** Resends one event to one endpoint or to all that subscribe to it. */
export type ResendEvent = Command<
  'ResendEvent',
  {
    readonly accountId: string;
    readonly eventId: string;
    readonly endpointId?: string;
    readonly requestId: string;
    readonly now: string;
  }
>;
/** Creates an event about a fictitious object. Sandbox only. */
export type TriggerSample = Command<
  'TriggerSample',
  Owned & { readonly eventType: WebhookEventType; readonly requestId: string; readonly now: string }
>;

export type EndpointCommand =
  | RegisterEndpoint
  | UpdateEndpoint
  | RotateEndpointSecret
  | DisableEndpoint
  | DeleteEndpoint
  | TestEndpoint
  | RecoverEndpoint
  | ResendEvent
  | TriggerSample;

export const endpointCommandTypes = [
  'RegisterEndpoint',
  'UpdateEndpoint',
  'RotateEndpointSecret',
  'DisableEndpoint',
  'DeleteEndpoint',
  'TestEndpoint',
  'RecoverEndpoint',
  'ResendEvent',
  'TriggerSample',
] as const satisfies readonly EndpointCommand['type'][];

export type EndpointRegistered = DomainEvent<
  'EndpointRegistered',
  Of<
    Owned &
      EndpointSettings & {
        readonly secretId: string;
        readonly requestId: string;
        readonly fingerprint: string;
        readonly createdAt: string;
      }
  >
>;
/** All settings from now on. Old events have no request id or time. */
export type EndpointUpdated = DomainEvent<
  'EndpointUpdated',
  Of<EndpointSettings & { readonly requestId?: string; readonly requestedAt?: string }>
>;
export type EndpointEnabled = DomainEvent<'EndpointEnabled', Of<{ readonly enabledAt: string }>>;
export type EndpointDisabled = DomainEvent<
  'EndpointDisabled',
  Of<{ readonly reason: DisableReason; readonly disabledAt: string }>
>;
export type EndpointSecretRotated = DomainEvent<
  'EndpointSecretRotated',
  Of<{
    readonly secretId: string;
    readonly previousSecretId: string;
    readonly overlapUntil: string;
    readonly requestId: string;
    /** Absent in old events. */
    readonly requestedAt?: string;
  }>
>;
export type EndpointDeleted = DomainEvent<'EndpointDeleted', Of<{ readonly deletedAt: string }>>;
export type EndpointTested = DomainEvent<
  'EndpointTested',
  Of<{ readonly requestId: string; readonly requestedAt: string }>
>;
export type RecoveryRequested = DomainEvent<
  'RecoveryRequested',
  Of<{ readonly requestId: string; readonly since: string; readonly requestedAt: string }>
>;
export type ResendRequested = DomainEvent<
  'ResendRequested',
  Omit<ResendEvent['data'], 'now'> & { readonly requestedAt: string }
>;
export type SampleTriggered = DomainEvent<
  'SampleTriggered',
  Omit<TriggerSample['data'], 'now'> & { readonly requestedAt: string }
>;

export type EndpointEvent =
  | EndpointRegistered
  | EndpointUpdated
  | EndpointEnabled
  | EndpointDisabled
  | EndpointSecretRotated
  | EndpointDeleted
  | EndpointTested
  | RecoveryRequested
  | ResendRequested
  | SampleTriggered;

export const endpointEventVersions: EventVersions<EndpointEvent> = {
  EndpointRegistered: [],
  EndpointUpdated: [withoutRequestTime],
  EndpointEnabled: [],
  EndpointDisabled: [],
  EndpointSecretRotated: [withoutRequestTime],
  EndpointDeleted: [],
  EndpointTested: [],
  RecoveryRequested: [],
  ResendRequested: [],
  SampleTriggered: [],
};

export type EndpointRefusal =
  | 'not_found'
  | 'idempotency_conflict'
  /** The request may have been accepted and forgotten. */
  | 'request_outdated'
  /** The account has the maximum number of endpoints. */
  | 'too_many_endpoints'
  /** A disabled endpoint cannot be tested, recovered or resent to. */
  | 'endpoint_disabled'
  | 'sandbox_only';

/** The endpoint as in the API. The secret is shown only once, separately. */
export interface EndpointAnswer {
  readonly id: string;
  readonly url: string;
  /** Absent: all types. */
  readonly events?: readonly WebhookEventType[];
  readonly description?: string;
  readonly status: EndpointStatus;
  /** Only while disabled. */
  readonly disabledReason?: DisableReason;
  readonly createdAt: string;
}
