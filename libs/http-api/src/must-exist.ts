import { isUuid } from '@florin/kernel';
import { notFound } from './errors/api-error';

/** Refuses an id that cannot exist just like one that does not: a client cannot tell the two apart, nor need it. */
export function mustExist(id: string, thing: string): void {
  if (!isUuid(id)) throw notFound(`There is no ${thing} with this id: check it.`);
}
