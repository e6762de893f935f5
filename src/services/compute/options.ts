// The options of the Compute service.
import { resolve } from 'node:path';
import { SECOND } from '../../kernel/clock.ts';
import { option, parseDuration, type OptionValues } from '../../kernel/options.ts';

export const computeOptions = {
  /** A number of hosts, or the path of a file that describes them. */
  hosts: option({
    flag: '--hosts <number|file>',
    help: 'hosts of a new region: a number of them, or a YAML file that describes them',
    default: '3',
    defaultText: '3, or 0 with --auth noauth2',
    // Without Keystone, a client usually tests one service in an empty region.
    defaultFor: ({ auth }) => (auth === 'noauth2' ? '0' : '3'),
    parse: (text) => text,
    within: (text, folder) => (/^\d+$/.test(text) ? text : resolve(folder, text)),
    fillsCloud: true,
  }),
  keepDeleted: option({
    flag: '--keep-deleted <duration>',
    help: 'how long deleted servers and their actions remain readable, such as 12h',
    // Longer than the period of a usage report.
    default: 90 * 86_400 * SECOND,
    defaultText: '90d',
    parse: parseDuration,
  }),
};

declare module '../../kernel/settings.ts' {
  interface Config extends OptionValues<typeof computeOptions> {}
}
