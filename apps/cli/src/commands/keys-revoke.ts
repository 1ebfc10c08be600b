import type { Command } from '../command';

interface RevokedKey {
  readonly id: string;
  readonly revokedAt: string;
}

export const keysRevoke: Command = {
  words: 'keys revoke',
  summary: 'Ends an API key for good, within seconds on every replica.',
  arguments: ['key-id'],
  options: {},
  run: async (input) => {
    const path = `/keys/${encodeURIComponent(input.text('key-id'))}/revoke`;
    const revoked = await input.api.post<RevokedKey>(path);
    return { answer: revoked, text: `Key ${revoked.id} is revoked since ${revoked.revokedAt}.` };
  },
};
