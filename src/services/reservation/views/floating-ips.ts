// The view of a floating IP.
import { SECOND } from '../../../kernel/clock.ts';
import { dateText, timestampText } from '../domain/dates.ts';
import type { FloatingIp } from '../model.ts';

/** A reply to a POST, with `isNew`, has another date format than all other replies. */
export const floatingIpView = (
  ip: FloatingIp,
  { isNew = false }: { isNew?: boolean } = {},
): object => ({
  id: ip.id,
  floating_network_id: ip.networkId,
  subnet_id: ip.subnetId,
  floating_ip_address: ip.address,
  reservable: ip.reservable,
  created_at: isNew
    ? dateText(ip.createdAt - (ip.createdAt % SECOND))
    : timestampText(ip.createdAt),
  updated_at: timestampText(ip.updatedAt),
});
