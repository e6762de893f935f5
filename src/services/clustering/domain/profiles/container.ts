// The profile container.dockerinc.docker. Containers exist only as records: there is no Docker
// host.
import { newHexId } from '../../../../kernel/ids.ts';
import type { Context } from '../../../../kernel/model.ts';
import { clusterFor, nodeFor } from '../requests/identities.ts';
import { integer, map, text, type Schema } from '../specs/schema.ts';
import type { Json } from '../../model.ts';
import { invalidSpec } from '../refusals.ts';
import { simulatedDriver } from './simulated.ts';
import type { ProfileType } from './types.ts';

const schema: Schema = {
  context: map('Customized security context for operating containers.'),
  image: text('The image used to create a container', { required: true }),
  name: text('The name of the container.', { updatable: true }),
  command: text('The command to run when container is started.'),
  host_node: text('The node on which container will be launched.'),
  host_cluster: text('The cluster on which container will be launched.'),
  port: integer('The port number used to connect to docker daemon.', { initial: 2375 }),
};

async function validate(context: Context, _name: string, properties: Json): Promise<void> {
  const { host_node: node, host_cluster: cluster } = properties as Record<string, string | null>;
  if (node && cluster)
    throw invalidSpec("Either 'host_cluster' or 'host_node' must be specified, but not both.");
  if (!node && !cluster)
    throw invalidSpec("Either 'host_cluster' or 'host_node' must be specified.");
  const missing = (key: string, value: string) => () =>
    invalidSpec(`The specified ${key} '${value}' could not be found or is not unique.`);
  if (node) await nodeFor(context, node, missing('host_node', node));
  if (cluster) await clusterFor(context, cluster, missing('host_cluster', cluster));
}

export const container: ProfileType = {
  name: 'container.dockerinc.docker',
  version: '1.0',
  support: { '1.0': [{ status: 'EXPERIMENTAL', since: '2017.02' }] },
  schema,
  operations: {
    restart: {
      description: 'Restart a container.',
      parameters: { wait_time: integer('Number of seconds to wait before killing the container.') },
    },
    pause: { description: 'Pause a container.', parameters: {} },
    unpause: { description: 'Unpause a container.', parameters: {} },
  },
  validate,
  driver: simulatedDriver(
    () => newHexId() + newHexId(),
    ({ node, properties }) => ({
      Id: node.physicalId,
      Name: `/${node.name}`,
      Image: properties['image'],
      State: { Status: 'running' },
    }),
  ),
};
