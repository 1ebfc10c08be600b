import type { DescribedRole } from '@florin/database';
import { table } from '../table';

export function roleTable(roles: readonly DescribedRole[]): string {
  return table(roles, {
    ROLE: ({ name }) => name,
    'RUNS AS': ({ role }) => role,
    'LOGS IN': ({ canLogIn }) => (canLogIn ? 'yes' : 'no'),
    MEMBERS: ({ members }) => members.join(' '),
    RIGHTS: ({ exists, differences }) => {
      if (!exists) return 'role missing';
      return differences.length === 0 ? 'correct' : `${differences.length} differ`;
    },
  });
}
