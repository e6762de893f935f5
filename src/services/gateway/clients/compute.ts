// What the Compute gateway has of Compute: its API, and the tables of the central region.
import type { ServiceDefinition } from '../../../kernel/model.ts';
import { compute as card } from '../../compute/index.ts';

export const compute = card as ServiceDefinition;
