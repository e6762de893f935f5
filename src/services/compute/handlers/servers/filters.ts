// The filters for servers that SQL does not evaluate: regular expressions and tags.
import { badRequest } from '../../../../kernel/errors.ts';
import { finder } from '../../../../kernel/bounded-text.ts';
import { pythonRepr } from '../../../../kernel/contract/jsonschema-messages.ts';
import { statusOf } from '../../domain/servers/states.ts';
import type { Server } from '../../model.ts';
import { naiveIsoOrNull } from '../../../../kernel/clock.ts';

export type ServerPredicate = (server: Server) => boolean;

/** The text of a server that each filter searches. */
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

/** The predicate of a filter. */
export function predicateOf(name: string, text: string): ServerPredicate {
  const requested = new Set(text.split(','));
  const hasAll: ServerPredicate = ({ tags }) =>
    tags.filter((tag) => requested.has(tag)).length === requested.size;
  const hasAny: ServerPredicate = ({ tags }) => tags.some((tag) => requested.has(tag));
  switch (name) {
    case 'tags':
      return hasAll;
    case 'tags-any':
      return hasAny;
    case 'not-tags':
      return (server) => !hasAll(server);
    case 'not-tags-any':
      return (server) => !hasAny(server);
    default:
      return byText(textFilters.get(name) ?? statusOf, text);
  }
}

/** Searches the text for an expression, like MySQL's REGEXP, which ignores case. */
function byText(textOf: (server: Server) => string | null, text: string): ServerPredicate {
  const matches = searchFor(text);
  return (server) => {
    const value = textOf(server);
    return value !== null && matches(value);
  };
}

/**
 * A function that searches texts for a regular expression and ignores case.
 * @throws 400 for an expression that the engine does not support
 */
export function searchFor(text: string): (value: string) => boolean {
  try {
    return finder(text, { ignoreCase: true });
  } catch {
    throw badRequest(`Invalid input for query parameters. ${pythonRepr(text)} is not a 'regex'`);
  }
}
