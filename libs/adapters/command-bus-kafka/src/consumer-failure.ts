import { brokerRefusalIn } from './kafka-client';

/** How long after the start these broker errors are expected. */
const startUpMs = 120_000;
const startUpRefusals: ReadonlySet<string> = new Set([
  'UNKNOWN_TOPIC_OR_PARTITION',
  'LEADER_NOT_AVAILABLE',
  'NOT_LEADER_FOR_PARTITION',
  'GROUP_COORDINATOR_NOT_AVAILABLE',
  'NOT_COORDINATOR_FOR_GROUP',
  'GROUP_LOAD_IN_PROGRESS',
  'KafkaJSGroupCoordinatorNotFound',
]);

/** A new topic has no leader and its group no coordinator for a moment; that needs no attention unless it lasts. */
export function isExpectedAtStart(error: Error, sinceStartMs: number): boolean {
  const type = brokerRefusalIn(error)?.type ?? error.name;
  return startUpRefusals.has(type) && sinceStartMs < startUpMs;
}

/** A retry cannot help: an operator has to change the permissions. */
export function isPermanent(error: Error): boolean {
  if (error.name === 'KafkaJSSASLAuthenticationError') return true;
  return brokerRefusalIn(error)?.type.endsWith('_AUTHORIZATION_FAILED') ?? false;
}
