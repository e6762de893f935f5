// The lease of a request.
import { notFound } from '../../../../kernel/errors.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import { pythonRepr } from '../../../../kernel/oslo/python-repr.ts';
import { findLease } from '../../store/leases.ts';
import type { WholeLease } from '../../model.ts';

/** @throws 404 */
export async function leaseOf({ db }: { readonly db: Db }, id: string): Promise<WholeLease> {
  const found = id.length <= 36 ? await findLease(db, id) : undefined;
  if (!found) throw notFound(`Object with ${pythonRepr({ lease_id: id })} not found`);
  return found;
}
