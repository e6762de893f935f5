// Calls every operation of every service at each microversion that changes it.
import { servicesOfShard } from '../../support/shard.ts';
import { callEveryMicroversion } from './every-microversion.ts';

for (const service of servicesOfShard()) callEveryMicroversion(service);
