import { isUuid } from '@florin/kernel';
import { notFound } from './errors/api-error';

/** An id in a wrong format returns the same 404 as an unknown id. */
export function mustExist(id: string, thing: string): void {
  if (!isUuid(id)) throw notFound(`There is no ${thing} with this id: check it.`);
}
