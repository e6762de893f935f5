// The client of Placement: the providers of agents, and the allocations of servers.
export {
  allocationsOf,
  changeAmounts,
  ensureProviders,
  existingProviders,
  providersNamed,
  pruneTree,
} from '../../placement/index.ts';
export type { InventoryBody, ProviderShape } from '../../placement/index.ts';
