// The client of Compute: the gateway serves its API, uses its tables in the central region, and
// checks its quotas.
import type { ServiceDefinition } from '../../../kernel/model.ts';
import { compute as definition } from '../../compute/index.ts';

export {
  amountsOf,
  bothLimitsOf,
  checkGroupQuota,
  checkGrowth,
  countAllowed,
  growthOf,
} from '../../compute/index.ts';

export const compute = definition as ServiceDefinition;
