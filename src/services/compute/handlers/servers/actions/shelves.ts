// The actions shelve, shelveOffload and unshelve.
import { accepted } from '../../../../../kernel/http/reply.ts';
import { authorize } from '../../../../../kernel/http/steps.ts';
import type { Reply } from '../../../../../kernel/model.ts';
import type { ComputeCall } from '../../../call.ts';
import { shelve, shelveOffload, unshelve } from '../../../domain/lifecycle/shelves.ts';
import { serverOf, targetOf } from '../subject.ts';
import { argumentsOf } from '../../action-body.ts';

export async function shelveServer(call: ComputeCall): Promise<Reply> {
  await shelve(call, await serverOf(call, 'os-shelve:shelve'));
  return accepted();
}

export async function shelveOffloadServer(call: ComputeCall): Promise<Reply> {
  await shelveOffload(call, await serverOf(call, 'os-shelve:shelve_offload'));
  return accepted();
}

export async function unshelveServer(call: ComputeCall): Promise<Reply> {
  const body = argumentsOf<{ availability_zone?: string | null; host?: string } | null>(
    call,
    'unshelve',
  );
  const server = await serverOf(call, 'os-shelve:unshelve');
  const zone = call.version.has('2.77') ? body?.availability_zone : undefined;
  const host = call.version.has('2.91') ? body?.host : undefined;
  if (host !== undefined)
    authorize(call, 'os_compute_api:os-shelve:unshelve_to_host', targetOf(server));
  await unshelve(call, server, { zone, host });
  return accepted();
}
