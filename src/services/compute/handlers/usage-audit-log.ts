// The log of usage audits. It is empty, as in a cloud without `instance_usage_audit`.
import { ok } from '../../../kernel/http/reply.ts';
import { badRequest } from '../../../kernel/errors.ts';
import type { ComputeCall } from '../call.ts';
import { lastPeriod, readMoment, type Period } from '../domain/hosts/audit-periods.ts';
import { listServices } from '../store/hosts/services.ts';
import type { Reply } from '../../../kernel/model.ts';

export async function list(call: ComputeCall): Promise<Reply> {
  return ok({
    instance_usage_audit_logs: await logOf(call, lastPeriod(new Date(Math.floor(call.now / 1000)))),
  });
}

/** The log of the last period that had ended at the time in the path. */
export async function show(call: ComputeCall): Promise<Reply> {
  const id = call.params['id']!;
  const moment = readMoment(id);
  const period = moment && lastPeriod(moment);
  if (!period) throw badRequest(`Invalid timestamp for date ${id}`);
  return ok({ instance_usage_audit_log: await logOf(call, period) });
}

async function logOf({ db }: ComputeCall, { begin, end }: Period): Promise<object> {
  const hosts = [
    ...new Set((await listServices(db, { binary: 'nova-compute' })).map(({ host }) => host)),
  ];
  return {
    period_beginning: begin,
    period_ending: end,
    num_hosts: hosts.length,
    num_hosts_done: 0,
    num_hosts_running: 0,
    num_hosts_not_run: hosts.length,
    hosts_not_run: hosts,
    total_instances: 0,
    total_errors: 0,
    overall_status: `${hosts.length ? `0 of ${hosts.length}` : 'ALL'} hosts done. 0 errors.`,
    log: {},
  };
}
