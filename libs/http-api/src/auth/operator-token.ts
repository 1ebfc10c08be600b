import { sha256 } from '@florin/kernel';
import { generateSecret, hasSecretFormat } from './checked-secret';

/** Secret scanners find leaked tokens by the prefix. */
const prefix = 'fl_op_';

export interface GeneratedToken {
  /** Shown once and not stored. */
  readonly token: string;
  readonly tokenHash: string;
  /** The last four characters, to distinguish tokens in a list. */
  readonly hint: string;
}

export function generateOperatorToken(): GeneratedToken {
  const token = generateSecret(prefix);
  return { token, tokenHash: sha256(token), hint: token.slice(-4) };
}

/** Whether the text has the format of an operator's token. FLORIN_OPERATOR_TOKEN can have any format. */
export function hasOperatorTokenFormat(text: string): boolean {
  return hasSecretFormat(text, [prefix]);
}
