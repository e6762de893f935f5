// The only microversion of Reservation.
import { versions } from '../../kernel/microversion.ts';

export const reservationVersions = versions('reservation', {
  '1.0': 'leases, hosts and floating IPs',
});

export type ReservationVersion = (typeof reservationVersions)['min']['name'];
