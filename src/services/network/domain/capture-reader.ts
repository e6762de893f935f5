// Reads lists of a cloud's resources, and inserts them as rows.
import { timeOf } from '../../../emulator/capture/fields.ts';
import type { CaptureSource, Json } from '../../../emulator/capture/model.ts';
import type { Context } from '../../../kernel/model.ts';
import type { ObjectType, RbacAction, Standard } from '../model.ts';
import type { ResourceTable } from '../store/resource-table.ts';
import { insertTags } from '../store/tags.ts';
import type { Blank } from './capture-blanks.ts';
import { parentGroup } from './security-groups/default-rules.ts';

/** The lists whose objects have the attribute `shared`, and the type of their policies. */
const sharedLists: Readonly<Record<string, ObjectType>> = {
  networks: 'network',
  subnetpools: 'subnetpool',
  address_scopes: 'address_scope',
  security_groups: 'security_group',
  policies: 'qos_policy',
};

/** The extensions without which a cloud does not have a list. */
const extensionOf: Readonly<Record<string, string>> = {
  segments: 'segment',
  address_groups: 'address-group',
  policies: 'qos',
  flavors: 'flavors',
  service_profiles: 'flavors',
  metering_labels: 'metering',
  metering_label_rules: 'metering',
  address_scopes: 'address-scope',
  subnetpools: 'subnet_allocation',
  security_groups: 'security-group',
  security_group_rules: 'security-group',
  routers: 'router',
  floatingips: 'router',
  port_forwardings: 'floating-ip-port-forwarding',
  conntrack_helpers: 'l3-conntrack-helper',
  rbac_policies: 'rbac-policies',
  trunks: 'trunk',
};

/** The paths of lists, where they are not the name of the list. */
const paths: Readonly<Record<string, string>> = {
  policies: 'qos/policies',
  service_profiles: 'service_profiles',
  metering_labels: 'metering/metering-labels',
  metering_label_rules: 'metering/metering-label-rules',
};

/** The attributes that name another resource, which must have been captured before. */
const references = [
  'address_scope_id',
  'subnetpool_id',
  'network_id',
  'metering_label_id',
  'security_group_id',
  'remote_group_id',
  'remote_address_group_id',
  'floating_network_id',
  'floatingip_id',
  'internal_port_id',
  'segment_id',
  'port_id',
  'router_id',
];

/**
 * Reads lists of resources, and inserts them with their tags. A resource that refers to one that no
 * list had is left out: it was created or deleted while the cloud was read.
 */
export class Reader {
  /** The ids that captured resources may refer to; default rules refer to their parent group. */
  private readonly captured = new Set<string>([parentGroup]);
  /** The objects that are shared or external for the caller. */
  readonly shared: { type: ObjectType; object: Standard; action: RbacAction }[] = [];
  private readonly context: Context;
  private readonly source: CaptureSource;
  private readonly extensions: ReadonlySet<string>;

  constructor(context: Context, source: CaptureSource, extensions: ReadonlySet<string>) {
    this.context = context;
    this.source = source;
    this.extensions = extensions;
  }

  /** Whether a resource with this id has been captured. */
  has(id: string): boolean {
    return this.captured.has(id);
  }

  /**
   * Captures a list, which is empty if the cloud does not have it.
   * @param convert turns the attributes of the API into those that are stored; undefined leaves the
   *   resource out
   * @param path the path of the list below `/v2.0/`
   */
  async all<T extends Standard>(
    key: string,
    table: ResourceTable<T>,
    blank: Blank<T>,
    convert: (record: T, shown: Json) => T | undefined,
    path = paths[key] ?? key.replaceAll('_', '-'),
  ): Promise<T[]> {
    const { db, now } = this.context;
    const extension = extensionOf[key];
    if (extension !== undefined && !this.extensions.has(extension)) return [];
    const captured: T[] = [];
    for (const shown of await this.source.list('network', `/v2.0/${path}?limit=1000`, key)) {
      const own = Object.entries(blank).map(([name, value]) => [name, shown[name] ?? value]);
      const createdAt = timeOf(shown['created_at']) ?? now;
      const found = convert(
        {
          ...Object.fromEntries(own),
          id: String(shown['id']),
          created_at: createdAt,
          updated_at: timeOf(shown['updated_at']) ?? createdAt,
        } as T,
        shown,
      );
      if (!found || !this.refersToKnown(found)) continue;
      const record = this.withKnownPolicy(found);
      this.captured.add(record.id);
      await table.create(db, record);
      this.noteSharing(key, record, shown);
      await insertTags(db, record.id, (shown['tags'] ?? []) as readonly string[]);
      captured.push(record);
    }
    return captured;
  }

  private noteSharing(key: string, object: Standard, shown: Json): void {
    const type = sharedLists[key];
    if (type && shown['shared'] === true)
      this.shared.push({ type, object, action: 'access_as_shared' });
    if (type === 'network' && shown['router:external'] === true)
      this.shared.push({ type, object, action: 'access_as_external' });
  }

  /** Removes the reference to a QoS policy that the caller does not see. */
  private withKnownPolicy<T extends Standard>(record: T): T {
    const { qos_policy_id: policy } = record as T & { qos_policy_id?: string | null };
    return typeof policy === 'string' && !this.has(policy)
      ? { ...record, qos_policy_id: null }
      : record;
  }

  private refersToKnown(record: object): boolean {
    const named = references.map((name) => (record as Json)[name] as string | null | undefined);
    return named.every((id) => id === undefined || id === null || this.has(id));
  }
}
