// Handles the events of servers that other services report. Upstream: external_instance_event in
// compute/api.py and compute/manager.py.
import type { Context } from '../../../../kernel/model.ts';
import { hostsOfServers } from '../../store/servers/servers.ts';
import { recordFinished } from './tasks.ts';

/** An event that a service reports for a server on a host. */
export interface ServerEventReport {
  readonly name: string;
  readonly tag?: string | undefined;
}

/**
 * The actions that are recorded for the tags of `power-update`. The power state does not change:
 * only an action of Compute can change it.
 */
const powerActions = new Map([
  ['POWER_ON', 'start'],
  ['POWER_OFF', 'stop'],
]);

/** Records an action for each event that users wait for. Other events have no effect. */
export async function handleExternalEvent(
  context: Context,
  server: { readonly uuid: string; readonly host: string },
  { name, tag = '' }: ServerEventReport,
): Promise<void> {
  if (name === 'volume-extended')
    await recordFinished(context, server, 'extend_volume', 'compute_extend_volume');
  const power = name === 'power-update' ? powerActions.get(tag) : undefined;
  if (power !== undefined) await recordFinished(context, server, power, 'compute_power_update');
}

/** Handles Volume's report of an extended volume, if the server is on a host. */
export async function volumeExtended(context: Context, uuid: string): Promise<void> {
  const host = (await hostsOfServers(context.db, [uuid])).get(uuid);
  if (host) await handleExternalEvent(context, { uuid, host }, { name: 'volume-extended' });
}
