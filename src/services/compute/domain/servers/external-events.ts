// What the events that other services report do to servers. Upstream: external_instance_event in
// compute/api.py and compute/manager.py.
import type { Context } from '../../../../kernel/model.ts';
import { hostsOfServers } from '../../store/servers/servers.ts';
import { recordDone } from './tasks.ts';

/** An event of a server that is on a host. */
export interface ServerEventReport {
  readonly name: string;
  readonly tag?: string | undefined;
}

/**
 * The actions that the tags of `power-update` are told as. The driver does nothing more: the power
 * of a server is nobody else's to change.
 */
const powerActions: Readonly<Record<string, string>> = { POWER_ON: 'start', POWER_OFF: 'stop' };

/** Hears an event: those that users wait for are told as actions. */
export async function hearEvent(
  context: Context,
  server: { readonly uuid: string; readonly host: string },
  { name, tag = '' }: ServerEventReport,
): Promise<void> {
  if (name === 'volume-extended')
    await recordDone(context, server, 'extend_volume', 'compute_extend_volume');
  const power = name === 'power-update' ? powerActions[tag] : undefined;
  if (power !== undefined) await recordDone(context, server, power, 'compute_power_update');
}

/**
 * Volume's own report that a volume of a server is larger; a server on no host does not hear it.
 */
export async function volumeExtended(context: Context, uuid: string): Promise<void> {
  const host = (await hostsOfServers(context.db, [uuid])).get(uuid);
  if (host) await hearEvent(context, { uuid, host }, { name: 'volume-extended' });
}
