// Routes in the emulator's own API: the settings of Reservation, which upstream reads from a file.
import type { Route } from '../../kernel/model.ts';
import * as settings from './handlers/settings.ts';

export const reservationControls: readonly Route[] = [
  { method: 'GET', path: '/reservation/settings', handler: settings.show, single: true },
  { method: 'PUT', path: '/reservation/settings', handler: settings.update, single: true },
];
