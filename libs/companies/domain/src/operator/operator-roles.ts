/** What an operator may do. Each endpoint of the operator API requires one role. */
export const operatorRoles = ['viewer', 'support', 'finance', 'admin'] as const;

export type OperatorRole = (typeof operatorRoles)[number];

/** The roles that include a role: everyone may read, and an admin may do everything. */
export function rolesWith(needed: OperatorRole): readonly OperatorRole[] {
  return operatorRoles.filter((role) => needed === 'viewer' || role === needed || role === 'admin');
}
