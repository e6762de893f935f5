// Leases: list, create, show, update, delete.
import { created, noContent, ok } from '../../../kernel/http/reply.ts';
import { authorize } from '../../../kernel/http/steps.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { ReservationCall } from '../call.ts';
import { createLease } from '../domain/leases/create.ts';
import { removeLease } from '../domain/leases/lifecycle.ts';
import { getLease } from '../domain/leases/find.ts';
import { updateWholeLease } from '../domain/leases/update.ts';
import type { WholeLease } from '../model.ts';
import { listLeases } from '../store/leases.ts';
import { leaseView } from '../views/leases.ts';

/** Administrators see the leases of all projects. */
export async function list({ db, actor }: ReservationCall): Promise<Reply> {
  const leases = await listLeases(db, actor.isAdmin ? undefined : (actor.projectId ?? ''));
  return ok({ leases: leases.map(leaseView) });
}

export async function create(call: ReservationCall): Promise<Reply> {
  return created({ lease: leaseView(await createLease(call, call.body)) });
}

export async function show(call: ReservationCall): Promise<Reply> {
  return ok({ lease: leaseView(await authorizedLease(call)) });
}

export async function update(call: ReservationCall): Promise<Reply> {
  const whole = await authorizedLease(call, 'put');
  const { lease, ...parts } = await updateWholeLease(call, whole, call.body);
  // Upstream creates the reply before the update is complete (blazar/status.py lease_status), so
  // clients see the new status in the next GET.
  return ok({ lease: leaseView({ ...parts, lease: { ...lease, status: 'UPDATING' } }) });
}

export async function remove(call: ReservationCall): Promise<Reply> {
  await removeLease(call, await authorizedLease(call, 'delete'));
  return noContent({ 'content-type': 'application/json' });
}

/** Reads the lease in the path, and authorizes the operation on it. @throws 404, 403 */
async function authorizedLease(
  call: ReservationCall,
  verb?: 'put' | 'delete',
): Promise<WholeLease> {
  const whole = await getLease(call, call.params['lease_id']!);
  const target = { project_id: whole.lease.projectId, user_id: whole.lease.userId };
  authorize(call, 'blazar:leases:get', target);
  if (verb) authorize(call, `blazar:leases:${verb}`, target);
  return whole;
}
