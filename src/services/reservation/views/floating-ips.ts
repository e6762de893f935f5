// Floating IPs as a client sees them.
import { SECOND } from '../../../kernel/clock.ts';
import { dateText, writtenText } from '../domain/dates.ts';
import type { FloatingIp } from '../model.ts';

/** The answer to a POST has its times in another form than all others. */
export const floatingIpView = (
  ip: FloatingIp,
  { fresh = false }: { fresh?: boolean } = {},
): object => ({
  id: ip.id,
  floating_network_id: ip.networkId,
  subnet_id: ip.subnetId,
  floating_ip_address: ip.address,
  reservable: ip.reservable,
  created_at: fresh ? dateText(ip.createdAt - (ip.createdAt % SECOND)) : writtenText(ip.createdAt),
  updated_at: writtenText(ip.updatedAt),
});
