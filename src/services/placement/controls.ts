// The routes that Placement adds to the emulator's own API, below `/_emulator`.
import type { Route } from '../../kernel/model.ts';
import * as capacity from './handlers/capacity.ts';
import * as explanation from './handlers/explanation.ts';

export const placementControls: readonly Route[] = [
  { method: 'GET', path: '/explain/candidates', handler: explanation.candidates, single: true },
  { method: 'GET', path: '/capacity/candidates', handler: capacity.candidates, single: true },
];
