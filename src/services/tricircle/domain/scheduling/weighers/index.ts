// All weighers, in the order of the setting's default. To add one, write a file in this folder and
// list it here: see docs/internals/choosing-a-pod.md.
import type { PodWeigher } from '../request.ts';
import { costWeigher } from './cost.ts';
import { createTimeWeigher } from './create-time.ts';
import {
  idleCapacityWeigher,
  idleDiskWeigher,
  idleMemoryWeigher,
  idleVcpusWeigher,
  idleVolumesWeigher,
} from './idle-amounts.ts';
import { idleShareWeigher } from './idle-share.ts';

export const podWeighers: readonly PodWeigher[] = [
  createTimeWeigher,
  idleCapacityWeigher,
  idleVcpusWeigher,
  idleMemoryWeigher,
  idleDiskWeigher,
  idleVolumesWeigher,
  idleShareWeigher,
  costWeigher,
];
