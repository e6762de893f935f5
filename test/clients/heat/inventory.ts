// Lists everything that stacks of Heat can create in a cloud, to find what one has left behind.
import { expect } from 'chai';
import { tokenOf } from '../../support/tokens.ts';

/** The IDs of the resources, by the paths of their lists. */
export type Inventory = Readonly<Record<string, readonly string[]>>;

const identity = ['projects', 'users', 'groups', 'roles', 'domains', 'regions', 'services']
  .concat(['endpoints', 'OS-TRUST/trusts', 'credentials'])
  .map((name) => `identity/v3/${name}`);
const network = ['networks', 'subnets', 'ports', 'routers', 'floatingips', 'security-groups']
  .concat(['security-group-rules', 'subnetpools', 'address-scopes', 'qos/policies', 'trunks'])
  .concat(['rbac-policies', 'segments', 'metering/metering-labels'])
  .map((name) => `network/v2.0/${name}`);
const volume = ['volumes', 'backups', 'snapshots', 'attachments'].map(
  (name) => `volume/v3/${name}?all_tenants=1`,
);
const lists = [
  ...identity,
  ...network,
  ...volume,
  'volume/v3/types',
  'volume/v3/qos-specs',
  'image/v2/images',
  'compute/v2.1/servers?all_tenants=1',
  'compute/v2.1/flavors?is_public=None',
  'compute/v2.1/os-aggregates',
  'compute/v2.1/os-keypairs',
  'compute/v2.1/os-server-groups?all_projects=1',
  'reservation/v1/leases',
  'reservation/v1/os-hosts',
  ...['clusters', 'nodes', 'profiles', 'policies', 'receivers'].map(
    (name) => `clustering/v1/${name}?global_project=true`,
  ),
];

/** An element of a list. Keypairs have a name only. */
interface Element {
  readonly id?: string | number;
  readonly name?: string;
  readonly keypair?: { readonly name: string };
  readonly trustee_user_id?: string;
}

/** @throws Error unless all lists are answered */
export async function takeInventory(origin: string): Promise<Inventory> {
  const token = await tokenOf(origin, 'admin');
  const headers = { 'x-auth-token': token, 'openstack-api-version': 'volume 3.70' };
  const found = await Promise.all(lists.map(async (path) => [path, await elements(path)] as const));
  // Like upstream, Clustering and Reservation keep their accounts, the trusts in these, and the
  // aggregate of free hosts from the first use on.
  const users = found.find(([path]) => path === 'identity/v3/users')![1];
  const accounts = users.filter(({ name }) => name === 'senlin' || name === 'blazar');
  const isOfService = ({ id, name, trustee_user_id: trustee }: Element): boolean =>
    accounts.some((account) => account.id === (trustee ?? id)) || name === 'freepool';
  return Object.fromEntries(
    found.map(([path, all]) => [
      path,
      all
        .filter((one) => !isOfService(one))
        .map(idOf)
        .sort(),
    ]),
  );

  async function elements(path: string): Promise<Element[]> {
    const reply = await fetch(`${origin}/${path}`, { headers });
    expect(reply.status, path).to.equal(200);
    const body = (await reply.json()) as Record<string, unknown>;
    return Object.values(body).find((value) => Array.isArray(value)) as Element[];
  }
}

const idOf = ({ id, keypair }: Element): string => String(id ?? keypair!.name);
