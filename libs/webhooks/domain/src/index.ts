export * from './compact/compact-event';
export { compactJson, expandJson } from './compact/compact-json';
export * from './derive/derive-card';
export * from './derive/derive-holder';
export * from './derive/derive-invoice';
export * from './derive/derive-operation';
export * from './derive/derive-transaction';
export type { Derived } from './derive/derived';
export * from './derive/sample-object';
export * from './egress/check-url';
export * from './endpoint/endpoint-answer';
export * from './endpoint/endpoint-directory';
export {
  type AcceptedRequest,
  acceptedFingerprint,
  type EndpointRequest,
  isAcceptedRequest,
  requestFingerprint,
} from './endpoint/endpoint-requests';
export * from './endpoint/endpoint.decider';
export * from './endpoint/endpoint.messages';
export * from './endpoint/secret-vault.port';
export * from './event-ids';
export * from './event-types';
