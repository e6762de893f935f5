// The filters of servers that are no plain comparison of a column: regular expressions, and tags.
import { badRequest } from '../../../../kernel/errors.ts';
import { finder } from '../../../../kernel/bounded-text.ts';
import { pythonRepr } from '../../../../kernel/contract/jsonschema-messages.ts';
import { statusOf } from '../../domain/servers/states.ts';

import type { Server } from '../../model.ts';
import { naiveIsoOrNull } from '../../../../kernel/clock.ts';

export type Keep = (server: Server) => boolean;

/** The text that each filter matches. */
export const textFilters: ReadonlyMap<string, (server: Server) => string | null> = new Map<
  string,
  (server: Server) => string | null
>([
  ['name', ({ name }) => name],
  ['display_name', ({ name }) => name],
  ['description', ({ description }) => description],
  ['display_description', ({ description }) => description],
  ['hostname', ({ hostname }) => hostname],
  ['key_name', ({ keyName }) => keyName],
  ['power_state', ({ powerState }) => String(powerState)],
  ['launch_index', ({ launchIndex }) => String(launchIndex)],
  ['launched_at', ({ launchedAt }) => naiveIsoOrNull(launchedAt)],
  ['terminated_at', ({ terminatedAt }) => naiveIsoOrNull(terminatedAt)],
  ['created_at', ({ createdAt }) => naiveIsoOrNull(createdAt)],
  ['availability_zone', ({ zone, pinnedZone }) => zone ?? pinnedZone],
  ['locked_by', ({ lockedBy }) => lockedBy],
  ['root_device_name', ({ rootDeviceName }) => rootDeviceName],
  ['config_drive', ({ configDrive }) => configDrive],
  ['access_ip_v4', ({ accessIpV4 }) => accessIpV4],
  ['access_ip_v6', ({ accessIpV6 }) => accessIpV6],
  ['auto_disk_config', ({ diskConfig }) => diskConfig],
  ['progress', ({ progress }) => String(progress)],
]);

/** Which servers a filter keeps. */
export function keeperOf(name: string, text: string): Keep {
  const named = text.split(',');
  switch (name) {
    case 'tags':
      return ({ tags }) => named.every((tag) => tags.includes(tag));
    case 'tags-any':
      return ({ tags }) => named.some((tag) => tags.includes(tag));
    case 'not-tags':
      return ({ tags }) => !named.every((tag) => tags.includes(tag));
    case 'not-tags-any':
      return ({ tags }) => !named.some((tag) => tags.includes(tag));
    default:
      return byText(textFilters.get(name) ?? statusOf, text);
  }
}

/** Matches as MySQL's REGEXP does: anywhere in the text, upper and lower case alike. */
function byText(of: (server: Server) => string | null, text: string): Keep {
  const matches = expressionOf(text);
  return (server) => {
    const value = of(server);
    return value !== null && matches(value);
  };
}

/**
 * The search for the expression of a filter, upper and lower case alike.
 * @throws 400 for one that the engine does not have
 */
export function expressionOf(text: string): (value: string) => boolean {
  try {
    return finder(text, { ignoreCase: true });
  } catch {
    throw badRequest(`Invalid input for query parameters. ${pythonRepr(text)} is not a 'regex'`);
  }
}
