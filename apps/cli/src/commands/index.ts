import type { Command } from '../command';
import { audit } from './audit';
import { companiesActivate } from './companies-activate';
import { companiesCreate } from './companies-create';
import { companiesList } from './companies-list';
import { companiesVerify } from './companies-verify';
import { depositsList } from './deposits-list';
import { holdersErase } from './holders-erase';
import { holdersSetStatus } from './holders-set-status';
import { keysCreate } from './keys-create';
import { keysList } from './keys-list';
import { keysRevoke } from './keys-revoke';
import { keysRotate } from './keys-rotate';
import { listen } from './listen';
import { productsList } from './products-list';
import { productsPut } from './products-put';
import { replay } from './replay';
import { reviewsList } from './reviews-list';
import { reviewsResolve } from './reviews-resolve';
import { trigger } from './trigger';
import { verify } from './verify';

/** Everything the command line can do, in the order in which help shows it. */
export const commands: readonly Command[] = [
  companiesList,
  companiesCreate,
  companiesVerify,
  companiesActivate,
  keysList,
  keysCreate,
  keysRotate,
  keysRevoke,
  reviewsList,
  reviewsResolve,
  depositsList,
  productsList,
  productsPut,
  holdersSetStatus,
  holdersErase,
  listen,
  trigger,
  verify,
  audit,
  replay,
];
