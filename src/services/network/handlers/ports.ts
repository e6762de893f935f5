// Ports. A project sees its own, and all ports on its networks.
import { deletePortOfClient } from '../domain/agents/dhcp-ports.ts';
import { parentNetworks } from '../domain/networks/parent-networks.ts';
import { portAttributes } from '../domain/ports/attributes.ts';
import { createPorts, updatePort } from '../domain/ports/ports.ts';
import { reportChange, reportDeletion } from '../domain/ports/server-events.ts';
import type { Port } from '../model.ts';
import { getPort, visibility } from '../domain/visibility.ts';
import { loadNewPortDetails, loadPortDetails } from '../store/details.ts';
import { portTable } from '../store/tables.ts';
import { portView } from '../views/ports.ts';
import { resourceHandlers, viewsWith, type UpdatableResource } from './resources.ts';
import { tagHandlers } from './tags.ts';

export const portResource: UpdatableResource<Port> = {
  map: portAttributes,
  table: portTable,
  visibility: visibility.port,
  get: getPort,
  parents: parentNetworks,
  create: createPorts,
  async update(context, port, fields) {
    const updated = await updatePort(context, port, fields);
    await reportChange(context, updated);
    return updated;
  },
  async delete(context, port) {
    await deletePortOfClient(context, port);
    await reportDeletion(context, port);
  },
  views: viewsWith(loadPortDetails, portView),
  viewsOfNew: viewsWith(loadNewPortDetails, portView),
};

export const { list, show, create, update, remove } = resourceHandlers(portResource);
export const tags = tagHandlers(portResource);
