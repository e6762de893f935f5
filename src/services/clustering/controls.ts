// The routes that Clustering adds to the emulator's own API, below `/_emulator`.
import type { Route } from '../../kernel/model.ts';
import * as capacity from './handlers/capacity.ts';
import * as preview from './handlers/preview.ts';

export const clusteringControls: readonly Route[] = [
  { method: 'POST', path: '/explain/actions', handler: preview.explain, single: true },
  { method: 'GET', path: '/capacity/nodes', handler: capacity.nodes, single: true },
];
