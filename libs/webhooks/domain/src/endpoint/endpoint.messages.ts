import type { Command, DomainEvent, EventVersions } from '@florin/kernel';
import type { WebhookEventType } from '../event-types';

/** `disabled` endpoints get nothing until somebody enables them again. */
export type EndpointStatus = 'enabled' | 'disabled';

/** Why we stopped sending by ourselves, or that the company did. */
export type DisableReason = 'gone' | 'failing' | 'by_company';

export interface EndpointSettings {
  readonly url: string;
  /** Absent: all of them, also those that are added later. */
  readonly events?: readonly WebhookEventType[];
  readonly description?: string;
}

interface Owned {
  readonly accountId: string;
  readonly companyId: string;
  readonly environment: 'sandbox' | 'live';
}

type Of<Data = unknown> = Data & { readonly accountId: string; readonly endpointId: string };

/** Secrets are kept outside the log; what stands here is only which of them signs, and until when. */
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
 * What is absent stays as it is. `events: null` and `description: null` take the setting away. Each request is carried out
 * once: a late duplicate must not undo what was changed since.
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
/** The old secret goes on signing beside the new one until `overlapUntil`. */
export type RotateEndpointSecret = Command<
  'RotateEndpointSecret',
  Of<{
    readonly secretId: string;
    readonly requestId: string;
    readonly overlapUntil: string;
    readonly now: string;
  }>
>;
/** Our own judgement of that time: it does not concern an endpoint that somebody has enabled since. */
export type DisableEndpoint = Command<'DisableEndpoint', Of<{ readonly reason: DisableReason; readonly now: string }>>;
export type DeleteEndpoint = Command<'DeleteEndpoint', Of<{ readonly now: string }>>;
/** Sends a `webhook_endpoint.test` to this endpoint alone. */
export type TestEndpoint = Command<'TestEndpoint', Of<{ readonly requestId: string; readonly now: string }>>;
/** Sends everything again that this endpoint has missed since a time: what never was acknowledged by it. */
export type RecoverEndpoint = Command<
  'RecoverEndpoint',
  Of<{ readonly requestId: string; readonly since: string; readonly now: string }>
>;
/** Sends one event again, to one endpoint or to all that want it. */
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
/** Makes an event about a made-up object. Sandbox only. */
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
/** All settings as they are from here on. Events from before there were request ids have none. */
export type EndpointUpdated = DomainEvent<'EndpointUpdated', Of<EndpointSettings & { readonly requestId?: string }>>;
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
  EndpointUpdated: [],
  EndpointEnabled: [],
  EndpointDisabled: [],
  EndpointSecretRotated: [],
  EndpointDeleted: [],
  EndpointTested: [],
  RecoveryRequested: [],
  ResendRequested: [],
  SampleTriggered: [],
};

export type EndpointRefusal =
  | 'not_found'
  | 'idempotency_conflict'
  /** An account has so many endpoints at most. */
  | 'too_many_endpoints'
  /** It gets nothing, so there is nothing to test, recover or send again. */
  | 'endpoint_disabled'
  | 'sandbox_only';

/** The endpoint as clients see it. The secret is shown apart, once. */
export interface EndpointAnswer {
  readonly id: string;
  readonly url: string;
  /** Absent: all. */
  readonly events?: readonly WebhookEventType[];
  readonly description?: string;
  readonly status: EndpointStatus;
  /** Only while disabled. */
  readonly disabledReason?: DisableReason;
  readonly createdAt: string;
}
