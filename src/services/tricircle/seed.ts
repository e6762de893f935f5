// Seeds a new cloud with the pods of its profile, oldest first.
import type { Context } from '../../kernel/model.ts';
import { seedPods } from './domain/pods/pods.ts';

export const seedTricircle = (context: Context): Promise<void> =>
  seedPods(context, context.cloud.config.pods);
