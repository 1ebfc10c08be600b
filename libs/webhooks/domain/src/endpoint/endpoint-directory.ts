import type { Refusal } from '@florin/kernel';
import type {
  DisableReason,
  EndpointEvent,
  EndpointRefusal,
  EndpointRegistered,
  EndpointSettings,
  EndpointStatus,
} from './endpoint.messages';

export interface Endpoint {
  readonly registered: EndpointRegistered['data'];
  settings: EndpointSettings;
  status: EndpointStatus;
  disabledReason?: DisableReason;
  /** When its status was changed last, by whichever clock was ahead: a judgement from before then is an old one. */
  statusSince: string;
  /** The newest one. */
  secretId: string;
  deleted: boolean;
}

/** All endpoints of one account: only together can they tell whether there is room for another one. */
export interface EndpointDirectory {
  readonly endpoints: Map<string, Endpoint>;
  /** What each request that was granted had wished for: a repeat wishes for the same. */
  readonly granted: Map<string, string>;
}

export type EndpointDecision = readonly EndpointEvent[] | Refusal<EndpointRefusal>;
