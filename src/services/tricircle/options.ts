// The options of Tricircle.
import { oneOf, option, type OptionValues } from '../../kernel/options.ts';
import { profiles, type PodSeed } from './profiles.ts';

export const tricircleOptions = {
  /** The pods that Tricircle has in a new cloud, the oldest first. */
  pods: option<readonly PodSeed[]>({
    flag: '--profile <name>',
    help:
      'older name of --preset, for two examples; adds their regions and pods to an existing ' +
      'cloud, too, and restores these pods, with the same ids, at every reset, even without the ' +
      'option',
    choices: Object.keys(profiles),
    default: [],
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
