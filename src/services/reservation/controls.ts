// The route that Reservation adds to the emulator's own API, below `/_emulator`.
import type { Route } from '../../kernel/model.ts';
import * as capacity from './handlers/capacity.ts';

export const reservationControls: readonly Route[] = [
  { method: 'GET', path: '/capacity/leases', handler: capacity.leases, single: true },
];
