// Leases: list, create, show, update, delete.
import { created, noContent, ok } from '../../../kernel/http/reply.ts';
import { authorize } from '../../../kernel/http/steps.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { ReservationCall } from '../call.ts';
import { createLease } from '../domain/leases/create.ts';
import { removeLease } from '../domain/leases/run.ts';
import { leaseOf } from '../domain/leases/subject.ts';
import { changeLease } from '../domain/leases/update.ts';
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
  return ok({ lease: leaseView(await allowed(call)) });
}

export async function update(call: ReservationCall): Promise<Reply> {
  const whole = await allowed(call, 'put');
  const { lease, ...parts } = await changeLease(call, whole, call.body);
  // Upstream writes the answer before the change is over (blazar/status.py lease_status): whoever
  // wants to know how it is then asks again.
  return ok({ lease: leaseView({ ...parts, lease: { ...lease, status: 'UPDATING' } }) });
}

export async function remove(call: ReservationCall): Promise<Reply> {
  await removeLease(call, await allowed(call, 'delete'));
  return noContent({ 'content-type': 'application/json' });
}

/** The lease of the path. Who may not see it is told so. @throws 404, 403 */
async function allowed(call: ReservationCall, verb?: 'put' | 'delete'): Promise<WholeLease> {
  const whole = await leaseOf(call, call.params['lease_id']!);
  const target = { project_id: whole.lease.projectId, user_id: whole.lease.userId };
  authorize(call, 'blazar:leases:get', target);
  if (verb) authorize(call, `blazar:leases:${verb}`, target);
  return whole;
}
