// What a new cloud starts with: the pods of its profile, in their order of age.
import type { Context } from '../../kernel/model.ts';
import { seedPods } from './domain/pods/pods.ts';

export const seedTricircle = (context: Context): Promise<void> =>
  seedPods(context, context.cloud.config.pods);
