// The options of Tricircle.
import { oneOf, option, type OptionValues } from '../../kernel/options.ts';
import { profiles, type PodSeed } from './profiles.ts';

export const tricircleOptions = {
  /** The pods that Tricircle has in a new cloud, the oldest first. */
  pods: option<readonly PodSeed[]>({
    flag: '--profile <name>',
    help: 'start with the regions and pods of a named example',
    choices: Object.keys(profiles),
    default: [],
    fillsCloud: true,
    parse: (text) => profiles[oneOf(Object.keys(profiles), text)]!,
    implies: (pods) => ({
      regions: pods.map(({ region }) => region),
      centralRegion: pods[0]!.region,
    }),
  }),
};

declare module '../../kernel/settings.ts' {
  interface Config extends OptionValues<typeof tricircleOptions> {}
}
