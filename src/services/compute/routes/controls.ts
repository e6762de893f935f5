// The routes that Compute adds to the emulator's own API, below `/_emulator`.
import type { Route } from '../../../kernel/model.ts';
import * as capacity from '../handlers/capacity.ts';
import * as hosts from '../handlers/hosts/controls.ts';

export const computeControls: readonly Route[] = [
  { method: 'GET', path: '/hosts', handler: hosts.list, single: true },
  { method: 'POST', path: '/hosts', handler: hosts.create, single: true },
  { method: 'DELETE', path: '/hosts/:name', handler: hosts.remove, single: true },
  { method: 'GET', path: '/capacity/servers', handler: capacity.servers, single: true },
];
