// The only version of Tricircle's admin API.
import { versions } from '../../kernel/microversion.ts';

export const tricircleVersions = versions('tricircle', {
  '1.0': 'pods, bindings, routings, jobs and usages',
});

export type TricircleVersion = (typeof tricircleVersions)['min']['name'];
