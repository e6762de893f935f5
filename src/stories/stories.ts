// The stories of `cumulet tour` and of the page: each is a few steps on a preset, which the reader
// takes with a real client, or lets the emulator's own client take.
import type { Story, StoryRequest } from './model.ts';

const compute = 'compute 2.90';
const servers = '/compute/v2.1/servers';

/** Looks up what a server needs. */
const lookUp = (prefix = ''): readonly StoryRequest[] => [
  {
    method: 'GET',
    path: `${prefix}/compute/v2.1/flavors?sort_key=memory_mb`,
    version: compute,
    save: { flavor: 'flavors.0.id' },
  },
  { method: 'GET', path: `${prefix}/image/v2/images`, save: { image: 'images.0.id' } },
];

const server = (name: string, fields: object): object => ({
  server: { name, flavorRef: '{flavor}', imageRef: '{image}', networks: 'none', ...fields },
});

/** Creates a server in the central region. */
const createInCentre = (name: string): readonly StoryRequest[] => [
  ...lookUp('/CentralRegion'),
  {
    method: 'POST',
    path: `/CentralRegion${servers}`,
    version: compute,
    body: server(name, {}),
  },
];

export const stories: readonly Story[] = [
  {
    name: 'no-host',
    title: 'Why was no host found?',
    preset: 'three-zones',
    view: 'why',
    steps: [
      {
        text: 'A flavor with a larger disk than any host has.',
        command: 'openstack flavor create --vcpus 1 --ram 512 --disk 5000 huge',
        requests: [
          {
            method: 'POST',
            path: '/compute/v2.1/flavors',
            version: compute,
            body: { flavor: { name: 'huge', vcpus: 1, ram: 512, disk: 5000 } },
          },
        ],
      },
      {
        text: 'A server of that flavor ends in ERROR: "No valid host was found", says Nova.',
        command: 'openstack server create --flavor huge --image cirros --nic none db',
        requests: [
          ...lookUp(),
          {
            method: 'GET',
            path: '/compute/v2.1/flavors',
            version: compute,
            save: { huge: 'flavors.name=huge.id' },
          },
          {
            method: 'POST',
            path: servers,
            version: compute,
            body: server('db', { flavorRef: '{huge}' }),
            save: { server: 'server.id' },
          },
          {
            method: 'GET',
            path: `${servers}/{server}`,
            version: compute,
            until: ['server.status', 'ERROR'],
          },
        ],
      },
      {
        text: 'The emulator took the decision itself, so it knows the reason and what would be enough.',
        command: 'npx cumulet why server db',
        show: ['why', 'server', 'db'],
      },
      {
        text: 'How many servers of another flavor fit, and what runs out first?',
        command: 'npx cumulet capacity --flavor m1.small',
        show: ['capacity', '--flavor', 'm1.small'],
        view: 'hosts?q=resources%3DVCPU%3A1%2CMEMORY_MB%3A2048%2CDISK_GB%3A20',
      },
    ],
  },
  {
    name: 'next-week',
    title: "Reserve next week's hosts",
    preset: 'reserved',
    view: 'leases',
    steps: [
      {
        text: 'Next week some hosts are taken. A lease of five hosts then is refused.',
        command:
          "openstack reservation lease create --reservation 'resource_type=physical:host,min=5," +
          "max=5,hypervisor_properties=,resource_properties=' --start-date '{start}' " +
          "--end-date '{end}' mine",
        requests: [
          {
            method: 'POST',
            path: '/reservation/v1/leases',
            body: {
              name: 'mine',
              start_date: '{start}',
              end_date: '{end}',
              reservations: [
                {
                  resource_type: 'physical:host',
                  min: 5,
                  max: 5,
                  hypervisor_properties: '',
                  resource_properties: '',
                },
              ],
              events: [],
            },
            status: 500, // as upstream's
          },
        ],
      },
      {
        text: 'Blazar says "not enough hosts". The emulator says which leases are in the way, and when there is room.',
        command: 'npx cumulet why lease mine',
        show: ['why', 'lease', 'mine'],
        view: 'why?kind=lease',
      },
      {
        text: 'No need to wait a week: the clock moves, and all that is due on the way happens.',
        command:
          "curl -sS -X POST {url}/_emulator/clock/advance -H 'content-type: application/json' " +
          `-d '{"weeks": 2}'`,
        requests: [{ method: 'POST', path: '/_emulator/clock/advance', body: { weeks: 2 } }],
      },
      {
        text: 'Two weeks later three leases have ended, and the fourth has begun.',
        command: 'openstack reservation lease list',
      },
    ],
  },
  {
    name: 'scale',
    title: 'Scale across zones',
    preset: 'autoscaling',
    view: 'clusters?cluster=web',
    steps: [
      {
        text: 'The cluster web has four nodes in three zones. What would three more do?',
        command: `npx cumulet why action-preview web '{"scale_out": {"count": 3}}'`,
        show: ['why', 'action-preview', 'web', '{"scale_out": {"count": 3}}'],
        view: 'clusters?cluster=web&do=scale+out&count=3',
      },
      {
        text: 'Take the action, without a number: the scaling policy decides.',
        command: 'openstack cluster expand web',
        requests: [
          {
            method: 'GET',
            path: '/clustering/v1/clusters?global_project=true&name=web',
            save: { cluster: 'clusters.0.id' },
          },
          {
            method: 'POST',
            path: '/clustering/v1/clusters/{cluster}/actions',
            body: { scale_out: {} },
          },
          {
            method: 'GET',
            path: '/clustering/v1/clusters/{cluster}',
            until: ['cluster.status', 'ACTIVE'],
          },
        ],
      },
      {
        text: 'The limit of the cluster is twelve. What becomes of nine more?',
        command: `npx cumulet why action-preview web '{"scale_out": {"count": 9}}'`,
        show: ['why', 'action-preview', 'web', '{"scale_out": {"count": 9}}'],
        view: 'clusters?cluster=web&do=scale+out&count=9',
      },
    ],
  },
  {
    name: 'pods',
    title: 'Fill a pod',
    preset: 'edge-sites',
    firstRegion: 'Core',
    view: 'pods',
    steps: [
      {
        text: 'A tenant knows the central region only. Its first server binds it to a pod.',
        command:
          'openstack --os-region-name CentralRegion server create --flavor m1.tiny --image cirros ' +
          '--nic none first',
        requests: [
          { method: 'PUT', path: '/_emulator/explain', body: { all: true } },
          ...createInCentre('first'),
        ],
      },
      {
        text: 'Why this pod?',
        command: 'npx cumulet why pod first --region CentralRegion',
        show: ['why', 'pod', 'first', '--region', 'CentralRegion'],
      },
      {
        text: 'Core goes under maintenance, and gives its servers to other pods.',
        command: 'npx cumulet pods drain Core',
        requests: [{ method: 'POST', path: '/_emulator/pods/Core/drain', body: {} }],
      },
      {
        text: 'The next server of the tenant ends the binding to Core, and begins another.',
        command:
          'openstack --os-region-name CentralRegion server create --flavor m1.tiny --image cirros ' +
          '--nic none second',
        requests: createInCentre('second'),
        show: ['why', 'pod', 'second', '--region', 'CentralRegion'],
      },
    ],
  },
  {
    name: 'production',
    title: 'Fail like production',
    preset: 'three-zones',
    view: 'requests',
    steps: [
      {
        text: 'Record requests, and let the next request for servers fail as a busy API does.',
        command:
          'npx cumulet requests keep 100 && ' +
          'npx cumulet fault add --operation servers:detail --status 503 --count 1',
        requests: [
          { method: 'PUT', path: '/_emulator/requests', body: { keep: 100 } },
          {
            method: 'POST',
            path: '/_emulator/faults',
            body: { match: { operation: 'servers:detail' }, effect: { status: 503 }, count: 1 },
          },
        ],
      },
      {
        text: 'What does your client do: retry, or give up?',
        command: 'openstack server list',
        requests: [
          { method: 'GET', path: `${servers}/detail`, version: compute, status: 503 },
          { method: 'GET', path: `${servers}/detail`, version: compute },
        ],
      },
      {
        text: 'The journal has every request with its status.',
        command: 'npx cumulet requests list',
        show: ['requests', 'list'],
      },
      {
        text: 'Twenty failures of production have names.',
        command: 'npx cumulet fault scenario',
        show: ['fault', 'scenario'],
      },
    ],
  },
];
