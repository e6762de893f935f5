// What the body of a request refers to: resources that are in a pod already, to which what is
// created has to go.
type Json = Readonly<Record<string, unknown>>;

/** Resources by kind. */
export interface References {
  readonly server?: readonly string[];
  readonly volume?: readonly string[];
  readonly snapshot?: readonly string[];
  readonly server_group?: readonly string[];
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const objectsIn = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : []);
const texts = (...values: readonly unknown[]): string[] =>
  values.filter((one): one is string => typeof one === 'string' && one !== '');
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value]);

/**
 * What a new server refers to: its volumes and snapshots, its group, and the server beside which it
 * wants to be.
 */
export function referencesOfServer(body: Json): References {
  const server = body['server'] as Json;
  const devices = objectsIn(server['block_device_mapping_v2']);
  const older = objectsIn(server['block_device_mapping']);
  const hints =
    [body['os:scheduler_hints'], body['OS-SCH-HNT:scheduler_hints']].find(isObject) ?? {};
  const sources = (type: string): unknown[] =>
    devices.filter((one) => one['source_type'] === type).map((one) => one['uuid']);
  return {
    volume: texts(...sources('volume'), ...older.map((one) => one['volume_id'])),
    snapshot: texts(...sources('snapshot'), ...older.map((one) => one['snapshot_id'])),
    server_group: texts(hints['group']),
    server: texts(...listOf(hints['same_host'])),
  };
}

/**
 * What a new volume refers to: what it is a copy of, and the servers or volumes beside which it
 * wants to be.
 */
export function referencesOfVolume(body: Json): References {
  const volume = body['volume'] as Json;
  const hints =
    [body['OS-SCH-HNT:scheduler_hints'], volume['scheduler_hints']].find(isObject) ?? {};
  return {
    snapshot: texts(volume['snapshot_id']),
    volume: texts(volume['source_volid'], volume['source_replica'], ...listOf(hints['same_host'])),
    server: texts(hints['local_to_instance']),
  };
}
