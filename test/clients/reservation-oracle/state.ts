// Reads the visible state of a cloud after a step, with ids replaced by names, so that two clouds
// can be compared.
import type { Side } from './side.ts';

type Fields = Record<string, any>;

/** The known ids and their names. */
export class Names {
  private readonly known = new Map<string, string>();

  set(id: string, name: string): void {
    this.known.set(id.toLowerCase(), name);
  }

  /** Replaces ids by names, including ids within strings. */
  within<T>(value: T): T {
    return JSON.parse(this.inText(JSON.stringify(value ?? null))) as T;
  }

  private inText(text: string): string {
    return text
      .replaceAll(
        /CUSTOM_RESERVATION_([0-9A-F]{8}(?:_[0-9A-F]{4}){3}_[0-9A-F]{12})/g,
        (_, id: string) => `CUSTOM_RESERVATION_${this.of(id.replaceAll('_', '-'))}`,
      )
      .replaceAll(/\breq-[0-9a-f-]{36}/g, 'req-ID')
      .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b[0-9a-f]{32}\b/g, (id) =>
        this.of(id),
      );
  }

  private of(id: string): string {
    return this.known.get(id.toLowerCase()) ?? 'ID';
  }
}

/** Names a lease and its parts. Reservations are distinguished by their parameters. */
export function learnLease(names: Names, lease: Fields): void {
  names.set(lease['id'] as string, `lease ${lease['name']}`);
  if (typeof lease['trust_id'] === 'string')
    names.set(lease['trust_id'], `trust of ${lease['name']}`);
  for (const [index, one] of inOrder(lease['reservations'] as Fields[]).entries())
    names.set(one['id'] as string, `${lease['name']}#${index + 1}`);
}

const inOrder = (list: readonly Fields[]): Fields[] =>
  list.toSorted((a, b) => compare(anonymous(a), anonymous(b)));
const anonymous = (one: Fields): string =>
  new Names().within(JSON.stringify(sorted(without(one, 'aggregate_id'))));
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const without = (one: Fields, key: string): Fields =>
  Object.fromEntries(Object.entries(one).filter(([name]) => name !== key));

const sorted = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(sorted)
    : value !== null && typeof value === 'object'
      ? Object.fromEntries(
          Object.entries(value)
            .toSorted(([a], [b]) => compare(a, b))
            .map(([key, one]) => [key, sorted(one)]),
        )
      : value;

/** Indexes a list by name. Equal names get a number in their order. */
function byName<T>(list: readonly T[], nameOf: (one: T) => string): Record<string, T> {
  const result: Record<string, T> = {};
  for (const one of list) {
    let name = nameOf(one);
    while (Object.hasOwn(result, name)) name += "'";
    result[name] = one;
  }
  return result;
}

/**
 * Reads the complete state: Reservation, the related parts of Compute, Placement and Network, and
 * trusts.
 */
export async function stateOf(side: Side, names: Names): Promise<Fields> {
  const reservation = await reservationOf(side, names);
  return {
    reservation,
    compute: await computeOf(side, names),
    placement: await placementOf(side, names),
    network: await networkOf(side, names),
    trusts: await trustsOf(side, names),
  };
}

export function leaseView(lease: Fields): Fields {
  return {
    ...lease,
    reservations: byName(
      inOrder((lease['reservations'] ?? []) as Fields[]),
      (one) => one['id'] as string,
    ),
    events: byName(
      (lease['events'] as Fields[]).toSorted((a, b) =>
        compare(String(a['event_type']), String(b['event_type'])),
      ),
      (one) => String(one['event_type']),
    ),
  };
}

async function reservationOf(side: Side, names: Names): Promise<Fields> {
  const { leases } = (await side.must('reservation', 'GET', '/leases')) as { leases: Fields[] };
  for (const lease of leases) learnLease(names, lease);
  const { hosts } = (await side.must('reservation', 'GET', '/os-hosts')) as { hosts: Fields[] };
  for (const { trust_id: id, hypervisor_hostname: host } of hosts)
    names.set(id as string, `trust of ${host}`);
  const { allocations } = (await side.must('reservation', 'GET', '/os-hosts/allocations')) as {
    allocations: Fields[];
  };
  const { resource_properties: properties } = await side.must(
    'reservation',
    'GET',
    '/os-hosts/properties?detail=1&all=1',
  );
  const { floatingips } = (await side.must('reservation', 'GET', '/floatingips')) as {
    floatingips: Fields[];
  };
  return {
    leases: byName(
      leases.map((lease) => names.within(leaseView(names.within(lease)))),
      (one) => String(one['name']),
    ),
    hosts: byName(
      hosts.map((one) => names.within(one)),
      (one) => one['hypervisor_hostname'] as string,
    ),
    allocations: byName(
      allocations.map((one) => ({
        ...one,
        reservations: inOrder(names.within(one['reservations']) as Fields[]),
      })),
      (one) => (one as Fields)['resource_id'] as string,
    ),
    properties: byName(
      (properties as Fields[]).map((one) => ({
        ...one,
        values: (one['values'] as string[]).toSorted(),
      })),
      (one) => (one as Fields)['property'] as string,
    ),
    floatingips: byName(names.within(floatingips), (one) => one['floating_ip_address'] as string),
  };
}

async function computeOf(side: Side, names: Names): Promise<Fields> {
  const get = async (path: string, key: string): Promise<Fields[]> =>
    (await side.must('compute', 'GET', path))[key] as Fields[];
  const aggregates = await get('/os-aggregates', 'aggregates');
  const flavors = await get('/flavors/detail?is_public=False', 'flavors');
  const whole: Fields[] = [];
  for (const flavor of flavors) {
    const { extra_specs: specs } = await side.must(
      'compute',
      'GET',
      `/flavors/${flavor['id']}/os-extra_specs`,
    );
    const access = await get(`/flavors/${flavor['id']}/os-flavor-access`, 'flavor_access');
    whole.push({
      ...without(flavor, 'links'),
      specs,
      access: access.map((one) => one['tenant_id'] as string),
    });
  }
  const servers = await get('/servers/detail?all_tenants=1', 'servers');
  return names.within({
    aggregates: byName(aggregates.map(aggregateView), (one) => names.within(one['name'] as string)),
    flavors: byName(whole, (one) => names.within(one['name'] as string)),
    groups: byName(
      (await get('/os-server-groups?all_projects=1', 'server_groups')).map((one) => ({
        ...one,
        members: (one['members'] as unknown[]).length,
      })),
      (one) => names.within((one as Fields)['name'] as string),
    ),
    servers: byName(servers.map(serverView), (one) => one['name'] as string),
    images: (await side.must('image', 'GET', '/images')).images
      .map(({ name }: Fields) => name as string)
      .toSorted(),
  });
}

const aggregateView = ({ name, availability_zone, hosts, metadata }: Fields): Fields => ({
  name,
  availability_zone,
  hosts,
  metadata,
});
const serverView = (one: Fields): Fields => ({
  name: one['name'],
  status: one['status'],
  host: one['OS-EXT-SRV-ATTR:host'],
});

async function placementOf(side: Side, names: Names): Promise<Fields> {
  const get = (path: string): Promise<Fields> => side.must('placement', 'GET', path);
  const classes = ((await get('/resource_classes'))['resource_classes'] as Fields[]).map(
    ({ name }) => name as string,
  );
  const providers = (await get('/resource_providers'))['resource_providers'] as Fields[];
  for (const { uuid, name } of providers) names.set(uuid as string, `provider ${name}`);
  const whole = [];
  for (const { uuid, name, parent_provider_uuid: parent } of providers) {
    const path = `/resource_providers/${uuid}`;
    const { inventories } = await get(`${path}/inventories`);
    const { usages } = await get(`${path}/usages`);
    const { traits } = await get(`${path}/traits`);
    whole.push({
      name: name as string,
      parent,
      inventories,
      usages,
      traits: (traits as string[]).toSorted(),
    });
  }
  return names.within({
    classes: classes
      .filter((name) => name.startsWith('CUSTOM_'))
      .map((name) => names.within(name))
      .toSorted(),
    providers: byName(whole, ({ name }) => name),
  });
}

async function networkOf(side: Side, names: Names): Promise<Fields> {
  const { floatingips } = (await side.must('network', 'GET', '/floatingips')) as {
    floatingips: Fields[];
  };
  const view = ({
    floating_ip_address: address,
    status,
    project_id,
    tags,
    fixed_ip_address,
    description,
  }: Fields) => ({ address, status, project_id, tags, fixed_ip_address, description });
  return names.within(byName(floatingips.map(view), ({ address }) => address as string));
}

/**
 * Reads the trusts of existing resources. Upstream leaves behind those of refused requests and
 * deleted hosts.
 */
async function trustsOf(side: Side, names: Names): Promise<Fields> {
  const { trusts } = (await side.must('identity', 'GET', '/OS-TRUST/trusts')) as {
    trusts: Fields[];
  };
  const whole = [];
  for (const { id } of trusts) {
    const { trust } = await side.must('identity', 'GET', `/OS-TRUST/trusts/${id}`);
    const { project_id, impersonation, remaining_uses, redelegation_count, roles } =
      trust as Fields;
    const named = (roles as Fields[]).map(({ name }) => name as string).toSorted();
    whole.push(
      names.within({
        id,
        project_id,
        impersonation,
        remaining_uses,
        redelegation_count,
        roles: named,
      }),
    );
  }
  return byName(
    whole
      .filter(({ id }) => id !== 'ID')
      .toSorted((a, b) => compare(JSON.stringify(a), JSON.stringify(b))),
    ({ id }) => id as string,
  );
}
