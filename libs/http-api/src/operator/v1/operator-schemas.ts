import type { OperatorRole } from '@florin/companies-domain';
import type { OperatorView } from '@florin/read-models';
import { z } from 'zod';
import { exampleIds, operatorId } from '../../ids';
import { roleDescriptions } from '../../openapi/role-descriptions';
import { actor, emailAddress, explainedEnum, text, timestamp } from '../../schemas';
import { pageOf } from '../../pages';

const role = explainedEnum<OperatorRole>('OperatorRole', 'What the operator may do', roleDescriptions).meta({
  examples: ['support'],
});
const name = z.string().meta({ description: 'The name of the operator', examples: ['Ada Operator'] });
const email = z.string().meta({ description: 'The e-mail address of the operator', examples: ['ada@example.com'] });

export const operator = z
  .strictObject({
    id: operatorId,
    name,
    email,
    role,
    roleChangedAt: timestamp.optional().meta({ description: 'When the role was last changed' }),
    roleChangedBy: actor.optional(),
    hint: z.string().meta({ description: 'The last four characters of the token', examples: ['x7Qz'] }),
    createdAt: timestamp,
    createdBy: actor.optional(),
    rotatedAt: timestamp.optional().meta({ description: 'When the token was last replaced' }),
    rotatedBy: actor.optional(),
    disabledAt: timestamp.optional().meta({ description: 'Absent while the operator is enabled' }),
    disabledBy: actor.optional(),
  })
  .meta({ id: 'Operator', description: 'An operator' });

export const operatorList = pageOf('OperatorPage', operator);

export const operatorRequest = z
  .strictObject({
    name: text(200).meta({ description: 'The name of the operator', examples: ['Ada Operator'] }),
    email: emailAddress,
    role,
  })
  .meta({ id: 'OperatorCreation', description: 'A new operator' });

export const roleChange = z
  .strictObject({ role })
  .meta({ id: 'RoleChange', description: 'The new role of an operator' });

export const issuedToken = z
  .strictObject({
    id: operatorId,
    token: z.string().meta({ description: 'The token of the operator. It is shown only once', examples: ['flop_…'] }),
  })
  .meta({ id: 'IssuedToken', description: 'An operator with a new token' });

export const currentOperator = z
  .strictObject({
    id: z.string().meta({
      description: 'The id of the operator; `bootstrap` for the token of the configuration',
      examples: [exampleIds.operator],
    }),
    role,
    name: name.optional(),
    email: email.optional(),
  })
  .meta({ id: 'CurrentOperator', description: 'The operator of the token' });

export function operatorBody({ operatorId, ...view }: OperatorView) {
  return { id: operatorId, ...view };
}
