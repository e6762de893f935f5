// The services of a cloud, from the lowest floor to the highest: each asks only those before it.
import type { ServiceDefinition } from '../kernel/model.ts';
import { clustering } from './clustering/index.ts';
import { compute } from './compute/index.ts';
import { emulatorWith } from '../emulator/index.ts';
import { computeGateway, volumeGateway } from './gateway/index.ts';
import { identity } from './identity/index.ts';
import { image } from './image/index.ts';
import { network } from './network/index.ts';
import { placement } from './placement/index.ts';
import { reservation } from './reservation/index.ts';
import { tricircle } from './tricircle/index.ts';
import { volume } from './volume/index.ts';

export { authenticator, seededUsersWith } from './identity/index.ts';

const services: readonly ServiceDefinition[] = [
  identity,
  placement,
  image,
  network,
  volume,
  compute,
  reservation,
  clustering,
  tricircle,
  computeGateway,
  volumeGateway,
];

/** The emulator's own service stands beside them, and shows the controls that they add. */
export const serviceDefinitions: readonly ServiceDefinition[] = [
  ...services,
  emulatorWith(services.flatMap(({ controls = [] }) => controls)),
];

/** Those with an API of their own: gateways have that of the services for which they stand. */
export const ownDefinitions: readonly ServiceDefinition[] = serviceDefinitions.filter(
  ({ api }) => api === undefined,
);
