import { operatorRoles } from '@florin/companies-domain';
import type { OperatorView } from '@florin/read-models';
import { z } from 'zod';
import { actor, emailAddress, id, text, timestamp } from '../../schemas';
import { pageOf } from '../../pages';

const role = z
  .enum(operatorRoles)
  .meta({ description: 'What the operator may do; see the introduction', examples: ['support'] });
const name = z.string().meta({ examples: ['Ada Operator'] });
const email = z.string().meta({ examples: ['ada@example.com'] });

export const operator = z
  .strictObject({
    id,
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
  .meta({ id: 'Operator' });

export const operatorList = pageOf(operator);

export const operatorRequest = z.strictObject({ name: text(200), email: emailAddress, role });

export const roleChange = z.strictObject({ role });

export const issuedToken = z.strictObject({
  id,
  token: z.string().meta({ description: 'The token of the operator. It is shown only once.' }),
});

export const currentOperator = z
  .strictObject({
    id: z.string().meta({
      description: 'The id of the operator; `bootstrap` for the token of the configuration',
      examples: ['0f8b4a4e-2f0c-5c4e-9d53-5b6a9d3c1e57'],
    }),
    role,
    name: name.optional(),
    email: email.optional(),
  })
  .meta({ id: 'CurrentOperator' });

export function operatorBody({ operatorId, ...view }: OperatorView) {
  return { id: operatorId, ...view };
}
