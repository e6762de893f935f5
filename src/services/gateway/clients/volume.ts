// The definition of Block storage: the gateway serves its API and uses its tables in the central
// region.
import type { ServiceDefinition } from '../../../kernel/model.ts';
import { volume as definition } from '../../volume/index.ts';

export const volume = definition as ServiceDefinition;
