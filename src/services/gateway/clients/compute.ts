// The client of Compute: the gateway serves its API, uses its tables in the central region, and
// checks its quotas. The ports of servers are there, too.
import type { ServiceDefinition } from '../../../kernel/model.ts';
import { compute as definition } from '../../compute/index.ts';

export {
  amountsOf,
  bothLimitsOf,
  checkBounds,
  checkGroupQuota,
  checkGrowth,
  countAllowed,
  growthOf,
  readCounts,
} from '../../compute/index.ts';

export const compute = definition as ServiceDefinition;

export {
  addressesView,
  bindServerPorts,
  createGuestPorts,
  detachPorts,
  listGuestPorts,
  portsOfGuests,
  renameGuest,
} from '../../compute/index.ts';
export type { Guest, RequestedNetworks, ServerPort } from '../../compute/index.ts';
