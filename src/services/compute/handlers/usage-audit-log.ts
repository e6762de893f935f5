// The log of usage audits. It is empty, as in a cloud without `instance_usage_audit`.
import { ok } from '../../../kernel/http/reply.ts';
import { badRequest } from '../../../kernel/errors.ts';
import type { ComputeCall } from '../call.ts';
import { lastPeriod, readMoment, type Period } from '../domain/audit-periods.ts';
import type { Reply } from '../../../kernel/model.ts';

export function list({ now }: ComputeCall): Reply {
  const period = lastPeriod(new Date(Math.floor(now / 1000)));
  return ok({ instance_usage_audit_logs: logOf(period) });
}

/** The log of the last period that had ended at the time in the path. */
export function show({ params }: ComputeCall): Reply {
  const id = params['id']!;
  const moment = readMoment(id);
  const period = moment && lastPeriod(moment);
  if (!period) throw badRequest(`Invalid timestamp for date ${id}`);
  return ok({ instance_usage_audit_log: logOf(period) });
}

/**
 * The log of a period. It has no hosts: upstream looks for them in the database of nova-api, which
 * is that of cell0 in DevStack. Upstream: api/openstack/compute/instance_usage_audit_log.py.
 */
const logOf = ({ begin, end }: Period): object => ({
  period_beginning: begin,
  period_ending: end,
  num_hosts: 0,
  num_hosts_done: 0,
  num_hosts_running: 0,
  num_hosts_not_run: 0,
  hosts_not_run: [],
  total_instances: 0,
  total_errors: 0,
  overall_status: 'ALL hosts done. 0 errors.',
  log: {},
});
