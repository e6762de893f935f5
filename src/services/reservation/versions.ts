// Every microversion of Reservation: there is one.
import { versions } from '../../kernel/microversion.ts';

export const reservationVersions = versions('reservation', {
  '1.0': 'leases, hosts and floating IPs, as they first were',
});

export type ReservationVersion = (typeof reservationVersions)['min']['name'];
