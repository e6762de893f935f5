// What Tricircle adds to the emulator's own API: its settings, which upstream would have in a file.
import type { Route } from '../../kernel/model.ts';
import * as settings from './handlers/settings.ts';

export const tricircleControls: readonly Route[] = [
  { method: 'GET', path: '/tricircle/settings', handler: settings.show, single: true },
  { method: 'PUT', path: '/tricircle/settings', handler: settings.update, single: true },
];
