// Concurrent requests for automatic topologies.
import { mustSucceed, type Scenario } from '../races.ts';

const at = (path: string): string => `/network/v2.0/${path}`;
const topologyOf = (project: string): string => at(`auto-allocated-topology/${project}`);

export const autoTopologyScenarios: readonly Scenario[] = [
  {
    name: 'the automatic topologies of two projects',
    async setup(send, name) {
      const subnetpool = { name: 'automatic', prefixes: ['10.64.0.0/12'], default_prefixlen: 26 };
      // The attempts share the default pool.
      await send('POST', at('subnetpools'), { subnetpool: { ...subnetpool, is_default: true } });
      const project = `p-${name}`;
      const network = await mustSucceed(
        send,
        ['GET', topologyOf(project)],
        'auto_allocated_topology.id',
      );
      const subnet = await mustSucceed(
        send,
        ['GET', at(`networks/${network}`)],
        'network.subnets.0',
      );
      const router = await mustSucceed(
        send,
        ['GET', at(`routers?project_id=${project}`)],
        'routers.0.id',
      );
      return { project, other: `q-${name}`, network, subnet, router };
    },
    writes: ({ project, other, network, subnet, router }) => ({
      'ask for the topology': ['GET', topologyOf(project!)],
      'ask for that of the other project': ['GET', topologyOf(other!)],
      'delete the topology': ['DELETE', topologyOf(project!)],
      'create a port': ['POST', at('ports'), { port: { network_id: network } }],
      'remove the interface': [
        'PUT',
        at(`routers/${router}/remove_router_interface`),
        { subnet_id: subnet },
      ],
      'rename the router': ['PUT', at(`routers/${router}`), { router: { name: 'renamed' } }],
      'delete the router': ['DELETE', at(`routers/${router}`)],
      'delete the network': ['DELETE', at(`networks/${network}`)],
    }),
    reads: ({ project, other, network }) =>
      [project, other]
        .flatMap((one) =>
          ['networks', 'subnets', 'routers'].map((list) =>
            at(`${list}?project_id=${one}&fields=name`),
          ),
        )
        .concat(at(`ports?network_id=${network}&fields=device_owner`)),
  },
];
