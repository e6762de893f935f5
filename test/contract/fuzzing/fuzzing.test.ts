// Sends invalid input to every operation of every service.
import { servicesOfShard } from '../../support/shard.ts';
import { fuzzService } from './fuzzing.ts';

for (const service of servicesOfShard()) fuzzService(service);
