// The routes that Tricircle adds to the emulator's own API, below `/_emulator`.
import type { Route } from '../../kernel/model.ts';
import * as drains from './handlers/drains.ts';

export const tricircleControls: readonly Route[] = [
  { method: 'POST', path: '/pods/:region/drain', handler: drains.drain, single: true },
  { method: 'GET', path: '/migrations/:migration_id', handler: drains.show, single: true },
];
