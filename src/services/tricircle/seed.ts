// What a new cloud starts with: the pods of its profile, in their order of age.
import type { Work } from '../../kernel/model.ts';
import { seedPods } from './domain/pods/pods.ts';

export const seedTricircle = (work: Work): Promise<void> => seedPods(work, work.cloud.config.pods);
