// The option of explanations.
import { flagOption, type OptionValues } from '../../kernel/options.ts';

export const explainOptions = {
  explainHeader: flagOption({
    flag: '--explain-header',
    group: 'Emulator',
    help: 'name the explanation of a failed request in its header X-Cumulet-Explain',
  }),
};

declare module '../../kernel/settings.ts' {
  interface Config extends OptionValues<typeof explainOptions> {}
}
