import type { SubscriptionLog } from '../subscription-options';

export const silentLog: SubscriptionLog = { info: () => undefined, warn: () => undefined, error: () => undefined };
