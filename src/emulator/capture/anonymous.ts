// Captures a cloud without what could identify it: names, ids, addresses and texts are replaced
// before a service sees them, each value by the same replacement everywhere.
import { newHexId, newUuid } from '../../kernel/ids.ts';
import { singularOf, someOf } from '../../kernel/user/sentences.ts';
import { AnonymousAddresses } from './anonymous-addresses.ts';
import { identityFields, imageFields } from './fields.ts';
import type { CaptureSource, Json } from './model.ts';

/** Fields whose texts say nothing about the owner of a cloud: states, times, words of the API. */
const clearFields = new Set([
  'action',
  'alias',
  'attached_at',
  'before_end',
  'binary',
  'binding:vnic_type',
  'bootable',
  'cipher',
  'config_drive',
  'consumer',
  'consumer_type',
  'container_format',
  'control_location',
  'created',
  'created_at',
  'criteria',
  'data_timestamp',
  'destination_type',
  'device',
  'device_type',
  'direction',
  'disk_bus',
  'disk_format',
  'end_date',
  'ethertype',
  'event',
  'event_type',
  'expected_codes',
  'fencing',
  'http_method',
  'hypervisor_type',
  'init_at',
  'ip_allocation',
  'ipv6_address_mode',
  'ipv6_ra_mode',
  'last_op',
  'lb_method',
  'object_type',
  'OS-DCF:diskConfig',
  'OS-EXT-SRV-ATTR:reservation_id',
  'OS-EXT-SRV-ATTR:root_device_name',
  'OS-EXT-STS:task_state',
  'OS-EXT-STS:vm_state',
  'os-extended-snapshot-attributes:progress',
  'OS-SRV-USG:launched_at',
  'os_hash_algo',
  'policies',
  'policy',
  'protocol',
  'provider',
  'provider:network_type',
  'recovery_conditional',
  'replication_status',
  'resource_type',
  'schema_version',
  'source_type',
  'start_date',
  'state',
  'status',
  'swap',
  'time',
  'timestamp',
  'type',
  'updated',
  'updated_at',
  'version',
  'visibility',
  'vnic_type',
]);

/** Fields that are emptied: texts that people write, addresses, and what a copy does not need. */
const emptied = new Set([
  'accessIPv4',
  'accessIPv6',
  'actor',
  'addresses',
  'admin_pass',
  'binding:profile',
  'binding:vif_details',
  'config',
  'cpu_info',
  'description',
  'details',
  'disabled_reason',
  'dns_assignment',
  'dns_domain',
  'dns_name',
  'extra_dhcp_opts',
  'fail_reason',
  'fingerprint',
  'hypervisor_properties',
  'links',
  'locked_reason',
  'message',
  'os_hash_value',
  'personality',
  'poll_url',
  'poll_url_healthy_response',
  'public_key',
  'resource_properties',
  'status_reason',
  'tag',
  'tags',
  'user_data',
]);

/** The lists of Identity whose entries can have any attributes. */
const identityLists = new Set(['domains', 'groups', 'projects', 'roles', 'users']);

/** The names of the actions by which policies recover nodes. */
const recoveries = new Set<unknown>(['REBOOT', 'REBUILD', 'RECREATE']);

/** The fields with the name of a host. */
const hostFields = new Set(['binding:host_id', 'host_name', 'os-vol-host-attr:host']);

/** Names that every cloud has. */
const commonNames = new Set([
  'default',
  'freepool',
  'nova',
  'internal',
  '__DEFAULT__',
  'default_cgsnapshot_type',
  'Default',
  'admin',
  'demo',
  'manager',
  'member',
  'reader',
  'service',
]);

/** Fields that the scheduler and drivers read, and that are kept but for ids and zones. */
const schedulerFields = new Set(['extra_specs', 'group_specs', 'specs', 'traits']);

/** The fields with the name of a zone, in the metadata of aggregates too. */
const isZone = (field: string): boolean =>
  field === 'zone' || /availability_zone(s|_hints)?$/.test(field);

/** The ids in a text: UUIDs, and those of Keystone, which have no dashes. */
const ids = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b[0-9a-f]{32}\b/gi;
const wholeId = new RegExp(`^(?:${ids.source})$`, 'i');

/** The id of a reservation in the name of its resource class. */
const idInClass =
  /(?<=^(?:resources:)?CUSTOM_RESERVATION_)[0-9A-F]{8}(?:_[0-9A-F]{4}){3}_[0-9A-F]{12}$/;

/** The zone of a reservation, or the provider of a host's reservations. */
const reserved = /^blazar_(?=.)/;

/** The device of a DHCP agent's port, which has two ids in its name. */
const dhcpDevice = new RegExp(`^dhcp(?:${ids.source})-(?:${ids.source})$`, 'i');

/** The owner of a port: Neutron, or a server with its zone. Users can write any other text. */
const deviceOwner = /^(?:network:\w+|compute:.+)$/;

/** A source whose replies are anonymous, and what they have left in clear. */
export interface AnonymousSource extends CaptureSource {
  /** Lines that list what is left in clear. */
  leftInClear(): string[];
}

/** Makes the replies of a source anonymous. */
export const anonymized = (source: CaptureSource): AnonymousSource => new Anonymous(source);

class Anonymous implements AnonymousSource {
  private readonly source: CaptureSource;
  private readonly replacements = new Map<string, string>();
  private readonly originals = new Map<string, string>();
  private readonly counts = new Map<string, number>();
  private readonly clear = new Map<string, Set<string>>();
  private readonly addresses = new AnonymousAddresses();

  constructor(source: CaptureSource) {
    this.source = source;
  }

  has(service: string): boolean {
    return this.source.has(service);
  }

  newest(service: string, limit: string): Promise<string> {
    return this.source.newest(service, limit);
  }

  async get(service: string, path: string, version?: string): Promise<Json> {
    const reply = await this.source.get(service, this.originalOf(path), version);
    return this.replyOf(reply) as Json;
  }

  async list(service: string, path: string, key: string, version?: string): Promise<Json[]> {
    const entries = await this.source.list(service, this.originalOf(path), key, version);
    return (this.replyOf({ [key]: entries }) as Record<string, Json[]>)[key]!;
  }

  each<T, R>(noun: string, items: readonly T[], read: (item: T) => Promise<R>): Promise<R[]> {
    return this.source.each(noun, items, read);
  }

  ifKnown<T, R>(
    noun: string,
    read: Promise<T>,
    otherwise: R,
    statuses?: readonly number[],
  ): Promise<T | R> {
    return this.source.ifKnown(noun, read, otherwise, statuses);
  }

  leftInClear(): string[] {
    return [
      'Left in clear: sizes, quotas, states, times, names that most clouds have, and',
      ...[...this.clear].map(([what, names]) => `  ${what}: ${someOf([...names].toSorted(), 30)}`),
    ];
  }

  /** The path with the original ids. */
  private originalOf(path: string): string {
    return path.replaceAll(/[^/?&=]+/g, (part) => {
      const original = this.originals.get(decodeURIComponent(part));
      return original === undefined
        ? part.replaceAll(ids, (id) => this.originals.get(id) ?? id)
        : encodeURIComponent(original);
    });
  }

  private replyOf(reply: Json): unknown {
    return Object.fromEntries(
      Object.entries(reply).map(([key, value]) => [
        this.keyOf(key, ''),
        this.valueOf(value, key, nounOf(key)),
      ]),
    );
  }

  /**
   * A value without what identifies a cloud.
   * @param noun what the names are of, such as `server`
   */
  private valueOf(value: unknown, field: string, noun: string): unknown {
    if (emptied.has(field)) return emptyOf(value);
    if (schedulerFields.has(field)) return this.keptOf(value, field);
    if (typeof value === 'string') {
      if (field === 'type') this.note('types', value);
      return value === '' || clearFields.has(field) ? value : this.textOf(value, field, noun);
    }
    if (Array.isArray(value)) return value.map((one) => this.valueOf(one, field, noun));
    if (typeof value !== 'object' || value === null) return value;
    const object = value as Json;
    if (field === 'metadata') return this.metadataOf(object, noun);
    if (['properties', 'volume_image_metadata'].includes(field)) return this.propertiesOf(object);
    if (field === 'images') return this.imageOf(object);
    if (field === 'spec') return this.specOf(object, field);
    if (identityLists.has(field) && 'domain_id' in object) return this.accountOf(object, noun);
    return Object.fromEntries(
      Object.entries(object).map(([key, own]) => [
        this.keyOf(key, field),
        this.valueOf(own, key, noun),
      ]),
    );
  }

  /**
   * A key: an id in allocations, a resource class in inventories, a physical network, or the name
   * of a field.
   */
  private keyOf(key: string, field: string): string {
    if (wholeId.test(key)) return this.replacementOf(key, '');
    if (field === 'bridge_mappings') return this.textOf(key, field, 'network');
    const named = this.classOf(key);
    if (['inventories', 'resources'].includes(field)) this.note('resource classes', named);
    return named;
  }

  /** The name of a resource class, with the id of the reservation that it is for. */
  private classOf(name: string): string {
    return name.replace(idInClass, (id) =>
      this.replacementOf(id.toLowerCase().replaceAll('_', '-'), '')
        .toUpperCase()
        .replaceAll('-', '_'),
    );
  }

  private textOf(text: string, field: string, noun: string): string {
    const address = this.addresses.replacementOf(text);
    if (address !== undefined) return address;
    // Numbers, and words such as the id `default` of a domain, identify nobody.
    if (/^[\d.]+$|^\*$/.test(text) || commonNames.has(text)) return text;
    if (field === 'device_id' && dhcpDevice.test(text)) return this.withoutIds(text);
    if (reserved.test(text)) return `blazar_${this.replacementOf(text.slice(7), 'host')}`;
    if (field === 'device_owner' && deviceOwner.test(text)) return this.deviceOwnerOf(text);
    if (hostFields.has(field)) return this.hostOf(text);
    return this.replacementOf(text, isZone(field) ? 'zone' : field === 'key_name' ? 'key' : noun);
  }

  /** The owner of a port: `compute:` with the zone of a server, or a part of Neutron. */
  private deviceOwnerOf(owner: string): string {
    const [, zone] = /^compute:(.+)$/.exec(owner) ?? [];
    return zone === undefined ? owner : `compute:${this.textOf(zone, 'zone', '')}`;
  }

  /** A host, for Cinder with its backend and pool: `host@backend#pool`. */
  private hostOf(text: string): string {
    const [, host = '', backend = ''] = /^([^@#]*)(.*)$/.exec(text)!;
    if (backend) this.note('backends of volumes', backend);
    return this.replacementOf(host, 'host') + backend;
  }

  /** An image, whose properties are fields among the others. */
  private imageOf(image: Json): Json {
    const entries = Object.entries(image);
    const own = entries.filter(([key]) => imageFields.has(key));
    const others = entries.filter(([key]) => !imageFields.has(key));
    return {
      ...Object.fromEntries(own.map(([key, value]) => [key, this.valueOf(value, key, 'image')])),
      ...this.propertiesOf(Object.fromEntries(others)),
    };
  }

  /** A user, group, role, project or domain without the attributes that only its owner knows. */
  private accountOf(account: Json, noun: string): Json {
    const own = Object.entries(account).filter(([key]) => identityFields.has(key));
    return Object.fromEntries(own.map(([key, value]) => [key, this.valueOf(value, key, noun)]));
  }

  /** The spec of a profile or policy, whose properties name other resources. */
  private specOf(value: unknown, field: string): unknown {
    if (field === 'metadata') return emptyOf(value);
    if (Array.isArray(value)) return value.map((one) => this.specOf(one, field));
    if (typeof value !== 'object' || value === null)
      return recoveries.has(value) ? value : this.valueOf(value, field, nounOf(field));
    return Object.fromEntries(
      Object.entries(value).map(([key, own]) => [key, this.specOf(own, key)]),
    );
  }

  /** What the scheduler compares: kept, but for ids in it. */
  private keptOf(value: unknown, field: string): unknown {
    if (typeof value === 'string') return this.withoutIds(value);
    if (Array.isArray(value)) {
      for (const one of value) this.note(field, String(one));
      return value;
    }
    return Object.fromEntries(
      Object.entries((value ?? {}) as Json).map(([key, own]) => {
        const named = this.classOf(key);
        this.note('extra specs', `${named}=${this.withoutIds(String(own))}`);
        return [named, this.withoutIds(String(own))];
      }),
    );
  }

  /** The metadata of aggregates matters for the scheduler; that of servers does not. */
  private metadataOf(metadata: Json, noun: string): Json {
    if (noun !== 'aggregate') return {};
    return Object.fromEntries(
      Object.entries(metadata).map(([key, value]) => {
        const text = String(value);
        if (isZone(key)) return [key, this.textOf(text, key, noun)];
        const kept = this.withoutIds(text);
        this.note('metadata of aggregates', `${key}=${kept}`);
        return [key, kept];
      }),
    );
  }

  /** The properties of an image that the scheduler and drivers read. */
  private propertiesOf(properties: Json): Json {
    const read = Object.entries(properties).filter(([key]) => /^(hw_|os_|trait:)/.test(key));
    for (const [key, value] of read) this.note('properties of images', `${key}=${String(value)}`);
    return Object.fromEntries(read);
  }

  private withoutIds(text: string): string {
    return text.replaceAll(ids, (id) => this.replacementOf(id, ''));
  }

  /** The replacement of a value: an id like it, or a noun with a number. */
  private replacementOf(value: string, noun: string): string {
    const known = this.replacements.get(value);
    if (known !== undefined) return known;
    const made = wholeId.test(value) ? newIdLike(value) : `${noun}-${this.next(noun)}`;
    this.replacements.set(value, made);
    this.originals.set(made, value);
    return made;
  }

  private next(noun: string): number {
    const count = (this.counts.get(noun) ?? 0) + 1;
    this.counts.set(noun, count);
    return count;
  }

  private note(what: string, name: string): void {
    const names = this.clear.get(what);
    if (names) names.add(name);
    else this.clear.set(what, new Set([name]));
  }
}

/** A new id of the same form. */
const newIdLike = (id: string): string => (id.includes('-') ? newUuid() : newHexId());

/** The singular of a list's key: `server` for `servers`, `host` for those of Compute. */
const nounOf = (key: string): string => nouns[key] ?? singularOf(key).replaceAll('_', '-');

const nouns: Readonly<Record<string, string>> = {
  resource_providers: 'host',
  hypervisors: 'host',
  services: 'host',
  server_groups: 'group',
  keypairs: 'key',
  keypair: 'key',
  cluster_policies: 'policy',
};

function emptyOf(value: unknown): unknown {
  if (typeof value === 'string') return '';
  if (Array.isArray(value)) return [];
  return typeof value === 'object' && value !== null ? {} : value;
}
