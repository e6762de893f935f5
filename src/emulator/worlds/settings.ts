// The option that starts a new cloud from a preset.
import { oneOf, option, type OptionValues } from '../../kernel/options.ts';
import { presetFile, presetNames } from './presets.ts';

export const presetOptions = {
  /** The name of a preset, whose file becomes that of --seed. */
  preset: option<string | undefined>({
    flag: '--preset <name>',
    group: 'Emulator',
    help: "start a new cloud from a named world of 'cumulet presets'",
    choices: presetNames(),
    default: undefined,
    fillsCloud: true,
    parse: (text) => oneOf(presetNames(), text),
    implies: (name) => (name === undefined ? {} : { seed: presetFile(name) }),
  }),
};

declare module '../../kernel/settings.ts' {
  interface Config extends OptionValues<typeof presetOptions> {}
}
