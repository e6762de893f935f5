// Routes in the emulator's own API: the settings of Tricircle, which upstream would read from a
// file.
import type { Route } from '../../kernel/model.ts';
import * as settings from './handlers/settings.ts';

export const tricircleControls: readonly Route[] = [
  { method: 'GET', path: '/tricircle/settings', handler: settings.show, single: true },
  { method: 'PUT', path: '/tricircle/settings', handler: settings.update, single: true },
];
