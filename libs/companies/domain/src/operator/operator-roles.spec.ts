import { operatorRoles, rolesWith } from './operator-roles';

describe('Operator roles', () => {
  it('let everyone read, and an admin do everything', () => {
    expect(rolesWith('viewer')).toEqual(operatorRoles);
    for (const role of operatorRoles) expect(rolesWith(role)).toContain('admin');
  });

  it('separate support from finance', () => {
    expect(rolesWith('support')).toEqual(['support', 'admin']);
    expect(rolesWith('finance')).toEqual(['finance', 'admin']);
    expect(rolesWith('admin')).toEqual(['admin']);
  });
});
