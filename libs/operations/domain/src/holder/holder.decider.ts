import {
  type Aggregate,
  assert,
  assertNever,
  decideRepeat,
  noRequests,
  type RecentRequests,
  type Refusal,
  refuse,
  rememberRequest,
} from '@florin/kernel';
import {
  type ChangeHolder,
  type HolderAnswer,
  type HolderCommand,
  type HolderEvent,
  holderEventVersions,
  type HolderRefusal,
  type HolderRegistered,
  type HolderStatus,
  type RegisterHolder,
  type SetHolderStatus,
} from './holder.messages';

export interface Holder {
  /** Without metadata: the state has all holders of an account. */
  readonly registered: Omit<HolderRegistered['data'], 'sealedMetadata'>;
  status: HolderStatus;
  /** The status at registration, or that an operator has set last. */
  operatorStatus: HolderStatus;
  /** If they have changed since the registration. */
  sealedName: string | undefined;
  sealedEmail: string | undefined;
  erased: boolean;
}

/** All holders of one account, because external ids are unique per account. */
export interface HolderDirectory {
  readonly holders: Map<string, Holder>;
  /** In Unicode normalization form C; older events have others. */
  readonly externalIds: Set<string>;
  /** The newest status changes, by `requestOf`. */
  readonly requests: RecentRequests<null>;
}

export const holderAggregate: Aggregate<HolderDirectory, HolderCommand, HolderEvent, HolderRefusal, HolderAnswer> = {
  category: 'holders',
  stateVersion: 2,
  versions: holderEventVersions,

  initialState: () => ({ holders: new Map(), externalIds: new Set(), requests: noRequests() }),

  decide: (command, directory) => {
    if (command.type === 'RegisterHolder') return register(command, directory);
    const { type, data } = command;
    const holder = directory.holders.get(data.holderId);
    if (holder === undefined) return refuse('holder_unknown', `There is no holder ${data.holderId}: check the id`);
    switch (type) {
      case 'ChangeHolder':
        return change(command, holder, directory);
      case 'SetHolderStatus':
        return setStatus(command, holder, directory);
      case 'EraseHolder':
        return holder.erased ? [] : [{ type: 'HolderErased', data: { holderId: data.holderId } }];
      default:
        return assertNever(type);
    }
  },

  evolve: (directory, { type, data }) => {
    if (type === 'HolderRegistered') {
      directory.holders.set(data.holderId, registeredHolder(data));
      directory.externalIds.add(data.externalId.normalize('NFC'));
      return directory;
    }
    const holder = directory.holders.get(data.holderId);
    assert(holder !== undefined, () => `${type} precedes the registration of holder ${data.holderId}`);
    switch (type) {
      case 'HolderChanged':
        holder.status = data.status ?? holder.status;
        holder.sealedName = data.sealedName ?? holder.sealedName;
        holder.sealedEmail = data.sealedEmail ?? holder.sealedEmail;
        rememberRequest(directory.requests, requestOf(data), data.requestedAt, null);
        return directory;
      case 'HolderStatusChanged':
        holder.status = data.status;
        holder.operatorStatus = data.status;
        rememberRequest(directory.requests, requestOf(data), data.requestedAt, null);
        return directory;
      case 'HolderErased':
        holder.status = 'inactive';
        holder.erased = true;
        return directory;
      default:
        return assertNever(type);
    }
  },

  answer: (directory, { data }) => holderAnswer(directory, data.holderId),
};

type Decision = readonly HolderEvent[] | Refusal<HolderRefusal>;

function register({ data }: RegisterHolder, directory: HolderDirectory): Decision {
  const known = directory.holders.get(data.holderId)?.registered;
  if (known !== undefined) {
    if (known.requestId === data.requestId && known.fingerprint === data.fingerprint) return [];
    return refuse(
      'idempotency_conflict',
      'This key was already used with different data: repeat the request unchanged, or use a new key',
    );
  }
  const externalId = data.externalId.normalize('NFC');
  if (directory.externalIds.has(externalId)) {
    return refuse('external_id_taken', 'Another holder has this externalId: choose another one, or use that holder');
  }
  const { holderId, companyId, environment, kind, status } = data;
  const { sealed, sealedMetadata, requestId, fingerprint, createdAt } = data;
  const facts = { holderId, companyId, environment, kind, externalId, status };
  const details = sealedMetadata === undefined ? { sealed } : { sealed, sealedMetadata };
  return [{ type: 'HolderRegistered', data: { ...facts, ...details, requestId, fingerprint, createdAt } }];
}

function registeredHolder({ sealedMetadata: _, ...registered }: HolderRegistered['data']): Holder {
  const { status } = registered;
  const unchanged = { sealedName: undefined, sealedEmail: undefined };
  return { registered, status, operatorStatus: status, ...unchanged, erased: false };
}

function change({ data }: ChangeHolder, holder: Holder, directory: HolderDirectory): Decision {
  const { accountId: _, ...changed } = data;
  const repeat = decideRepeat(directory.requests, requestOf(data), data.requestedAt);
  if (repeat !== undefined) return repeat;
  if (holder.erased) return erasedHolder(data.holderId);
  return refuseStatus(data.status, holder) ?? [{ type: 'HolderChanged', data: changed }];
}

/** In live, a company cannot approve a holder, nor lift the decision of an operator. */
function refuseStatus(status: HolderStatus | undefined, holder: Holder): Refusal<HolderRefusal> | undefined {
  const { registered, operatorStatus } = holder;
  if (status === undefined || status === holder.status || registered.environment === 'sandbox') return undefined;
  if (status === 'pending') return refuse('status_not_allowed', 'Only an operator can set a live holder to pending');
  if (status !== 'active' || operatorStatus === 'active') return undefined;
  const message = `An operator has set holder ${registered.holderId} to ${operatorStatus}: only an operator can activate it`;
  return refuse('status_not_allowed', message);
}

function erasedHolder(holderId: string): Refusal<HolderRefusal> {
  return refuse('holder_erased', `Holder ${holderId} was erased and stays inactive: register the person again`);
}

/** The sealed texts that together have the current name and e-mail address. Later ones replace fields of earlier ones. */
export function sealedPerson({ registered, sealedName, sealedEmail }: Holder): readonly string[] {
  return [registered.sealed, sealedName, sealedEmail].filter((text) => text !== undefined);
}

function setStatus({ data }: SetHolderStatus, holder: Holder, directory: HolderDirectory): Decision {
  const { holderId, status, requestId, requestedAt } = data;
  const repeat = decideRepeat(directory.requests, requestOf(data), requestedAt);
  if (repeat !== undefined) return repeat;
  if (holder.erased) return erasedHolder(holderId);
  return [{ type: 'HolderStatusChanged', data: { holderId, status, requestId, requestedAt } }];
}

function requestOf({ holderId, requestId }: { readonly holderId: string; readonly requestId: string }): string {
  return `${holderId} ${requestId}`;
}

export function holderAnswer(directory: HolderDirectory, holderId: string): HolderAnswer {
  const holder = directory.holders.get(holderId);
  assert(holder !== undefined, () => `holder ${holderId} must exist after an accepted command`);
  const { kind, externalId, createdAt } = holder.registered;
  return { holderId, kind, status: holder.status, externalId, createdAt };
}
