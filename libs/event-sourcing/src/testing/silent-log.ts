import type { SubscriptionLog } from '../subscription';

export const silentLog: SubscriptionLog = { info: () => undefined, warn: () => undefined, error: () => undefined };
