// The client of Block storage: the gateway serves its API, uses its tables in the central region,
// and checks its quotas.
import type { ServiceDefinition } from '../../../kernel/model.ts';
import { volume as definition } from '../../volume/index.ts';

export {
  checkAboveUsage,
  checkQuota,
  defaultType,
  quotaLimitsOf,
  type QuotaReservation as VolumeDemand,
} from '../../volume/index.ts';

export const volume = definition as ServiceDefinition;
