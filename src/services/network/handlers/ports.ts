// Ports, which are shown to who owns them and to who owns the network.
import { parentNetworks } from '../domain/networks/parent-networks.ts';
import { portAttributes } from '../domain/ports/attributes.ts';
import { createPortOn, deletePort, updatePort } from '../domain/ports/ports.ts';
import type { Port } from '../model.ts';
import { getPort, visibility } from '../domain/visibility.ts';
import { loadPortDetails } from '../store/details.ts';
import { portTable } from '../store/tables.ts';
import { portView } from '../views/ports.ts';
import { each, resourceHandlers, shown, type UpdatableResource } from './resources.ts';
import { tagHandlers } from './tags.ts';

export const portResource: UpdatableResource<Port> = {
  map: portAttributes,
  table: portTable,
  visibility: visibility.port,
  get: getPort,
  parents: parentNetworks,
  create: each(createPortOn),
  update: updatePort,
  delete: deletePort,
  views: shown(loadPortDetails, portView),
};

export const { list, show, create, update, remove } = resourceHandlers(portResource);
export const tags = tagHandlers(portResource);
