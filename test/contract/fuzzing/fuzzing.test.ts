// Sends invalid input to every operation of every service.
import { servicesOfShard } from '../../support/shard.ts';
import { wrongInput } from './fuzzing.ts';

for (const service of servicesOfShard()) wrongInput(service);
