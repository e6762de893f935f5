// What the Volume gateway has of Volume: its API, and the tables of the central region.
import type { ServiceDefinition } from '../../../kernel/model.ts';
import { volume as card } from '../../volume/index.ts';

export const volume = card as ServiceDefinition;
