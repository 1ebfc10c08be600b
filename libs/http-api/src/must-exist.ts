import { isUuid } from '@florin/kernel';
import { notFound } from './errors/api-error';

/** An id in a wrong format returns the same 404 as an unknown id. */
export function mustExist(id: string, thing: string): void {
  if (!isUuid(id)) throw notFound(`There is no ${thing} with this id: check it.`);
}

/** Returns what a query has found, or throws a 404. */
export function mustBeFound<View>(view: View | undefined, thing: string, id: string): View {
  if (view === undefined) throw notFound(`There is no ${thing} ${id}: check the id.`);
  return view;
}
