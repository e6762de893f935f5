// The options of Identity.
import { InvalidOptionError, option, type OptionValues } from '../../kernel/options.ts';

export const identityOptions = {
  /**
   * The Keystone of another cloud; this cloud accepts the tokens of that one instead of its own.
   */
  keystone: option<string | undefined>({
    flag: '--keystone <url>',
    help: 'accept the tokens of the Keystone at this URL, such as http://host:6060/identity/v3',
    default: undefined,
    parse(text) {
      const url = URL.canParse(text) ? new URL(text) : undefined;
      if (!url || !/^https?:$/.test(url.protocol) || !/\/v3\/?$/.test(url.pathname))
        throw new InvalidOptionError(
          'Use the URL of a Keystone v3, such as http://127.0.0.1:6060/identity/v3.',
        );
      return text.replace(/\/$/, '');
    },
  }),
};

declare module '../../kernel/settings.ts' {
  interface Config extends OptionValues<typeof identityOptions> {}
}
