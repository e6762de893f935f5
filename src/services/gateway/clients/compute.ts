// The definition of Compute: the gateway serves its API and uses its tables in the central region.
import type { ServiceDefinition } from '../../../kernel/model.ts';
import { compute as definition } from '../../compute/index.ts';

export const compute = definition as ServiceDefinition;
