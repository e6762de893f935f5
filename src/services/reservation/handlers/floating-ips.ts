// Floating IPs: list, create, show, delete.
import { created, noContent, ok } from '../../../kernel/http/reply.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { ReservationCall } from '../call.ts';
import { getFloatingIp, registerFloatingIp, unregisterFloatingIp } from '../domain/floating-ips.ts';
import { listFloatingIps } from '../store/floating-ips.ts';
import { floatingIpView } from '../views/floating-ips.ts';

export async function list({ db }: ReservationCall): Promise<Reply> {
  return ok({ floatingips: (await listFloatingIps(db)).map((ip) => floatingIpView(ip)) });
}

export async function create(call: ReservationCall): Promise<Reply> {
  return created({
    floatingip: floatingIpView(await registerFloatingIp(call, call.body), { isNew: true }),
  });
}

export async function show(call: ReservationCall): Promise<Reply> {
  return ok({
    floatingip: floatingIpView(await getFloatingIp(call, call.params['floatingip_id']!)),
  });
}

export async function remove(call: ReservationCall): Promise<Reply> {
  await unregisterFloatingIp(call, call.params['floatingip_id']!);
  return noContent({ 'content-type': 'application/json' });
}
