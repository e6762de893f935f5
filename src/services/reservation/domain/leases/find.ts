// Finds the lease that a request names.
import { notFound } from '../../../../kernel/errors.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import { pythonRepr } from '../../../../kernel/oslo/python-repr.ts';
import { findLease } from '../../store/leases.ts';
import type { WholeLease } from '../../model.ts';

/** @throws 404 */
export async function getLease({ db }: { readonly db: Db }, id: string): Promise<WholeLease> {
  const lease = id.length <= 36 ? await findLease(db, id) : undefined;
  if (!lease) throw notFound(`Object with ${pythonRepr({ lease_id: id })} not found`);
  return lease;
}
