// The addresses of a server.
import { ok } from '../../../../kernel/http/reply.ts';
import { notFound } from '../../../../kernel/errors.ts';
import type { ComputeCall } from '../../call.ts';
import { attachedPorts } from '../../domain/servers/networks.ts';
import { addressesView } from '../../views/servers/servers.ts';
import { serverOf } from './subject.ts';
import type { Reply } from '../../../../kernel/model.ts';

export async function list(call: ComputeCall): Promise<Reply> {
  const server = await serverOf(call, 'ips:index');
  return ok({ addresses: addressesView(await attachedPorts(call, [server.uuid]), false) });
}

export async function show(call: ComputeCall): Promise<Reply> {
  const server = await serverOf(call, 'ips:show');
  const addresses = addressesView(await attachedPorts(call, [server.uuid]), false);
  const network = call.params['id']!;
  if (!Object.hasOwn(addresses, network))
    throw notFound('Instance is not a member of specified network');
  return ok({ [network]: addresses[network] });
}
