// Hosts: list, create, show, update, delete.
import { created, noContent, ok } from '../../../kernel/http/reply.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { ReservationCall } from '../call.ts';
import {
  updateHost,
  getHost,
  registerHost,
  unregisterHost,
  withCapabilities,
} from '../domain/hosts/hosts.ts';
import { listHosts } from '../store/hosts.ts';
import { hostView } from '../views/hosts.ts';

export async function list(call: ReservationCall): Promise<Reply> {
  return ok({ hosts: (await withCapabilities(call, await listHosts(call.db))).map(hostView) });
}

export async function create(call: ReservationCall): Promise<Reply> {
  return created({ host: hostView(await registerHost(call, call.body)) });
}

export async function show(call: ReservationCall): Promise<Reply> {
  const [host] = await withCapabilities(call, [await getHost(call, call.params['host_id']!)]);
  return ok({ host: hostView(host!) });
}

export async function update(call: ReservationCall): Promise<Reply> {
  return ok({ host: hostView(await updateHost(call, call.params['host_id']!, call.body)) });
}

export async function remove(call: ReservationCall): Promise<Reply> {
  await unregisterHost(call, call.params['host_id']!);
  return noContent({ 'content-type': 'application/json' });
}
