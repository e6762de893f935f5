// Ports, which are shown to who owns them and to who owns the network.
import { getNetwork, getPort, scopes } from '../domain/visibility.ts';
import { portKind } from '../domain/ports/attributes.ts';
import { createPort, deletePort, updatePort } from '../domain/ports/ports.ts';
import type { Port } from '../domain/records.ts';
import { groupsOf } from '../store/links.ts';
import { portTable } from '../store/tables.ts';
import { showPorts } from '../views/things.ts';
import { each, onNetworksOf } from './networks.ts';
import { handlersFor, type Thing } from './resources.ts';

export const portThing: Thing<Port> = {
  kind: portKind,
  table: portTable,
  scope: scopes.port,
  get: getPort,
  relatives: onNetworksOf,
  create: (work, items) =>
    each(items, async (fields) => createPort(work, await getNetwork(work, fields['network_id'] as string), fields)),
  update: async (work, port, fields) => updatePort(work, port, (await groupsOf(work.db, [port.id])).get(port.id) ?? [], fields),
  remove: deletePort,
  show: showPorts,
};

export const ports = handlersFor(portThing);
