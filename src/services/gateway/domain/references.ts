// Finds the resources that the body of a request refers to: those in a pod, which determine the pod
// of the new resource, and those of the central region, which the pod may lack.
type Json = Readonly<Record<string, unknown>>;

/** Ids of resources in pods, by type. */
export interface References {
  readonly server?: readonly string[];
  readonly volume?: readonly string[];
  readonly snapshot?: readonly string[];
  readonly server_group?: readonly string[];
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const objectsIn = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : []);
const idsIn = (...values: readonly unknown[]): string[] =>
  values.filter((value): value is string => typeof value === 'string' && value !== '');
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value]);

/** The sources of a new server's block devices that have a type, such as `volume`. */
const deviceSources = (server: Json, type: string): unknown[] =>
  objectsIn(server['block_device_mapping_v2'])
    .filter((device) => device['source_type'] === type)
    .map((device) => device['uuid']);

/**
 * A new server's volumes and snapshots, its group, and the servers on whose host it should run.
 */
export function referencesOfServer(body: Json): References {
  const server = body['server'] as Json;
  const legacyDevices = objectsIn(server['block_device_mapping']);
  const hints =
    [body['os:scheduler_hints'], body['OS-SCH-HNT:scheduler_hints']].find(isObject) ?? {};
  return {
    volume: idsIn(
      ...deviceSources(server, 'volume'),
      ...legacyDevices.map((device) => device['volume_id']),
    ),
    snapshot: idsIn(
      ...deviceSources(server, 'snapshot'),
      ...legacyDevices.map((device) => device['snapshot_id']),
    ),
    server_group: idsIn(hints['group']),
    server: idsIn(...listOf(hints['same_host'])),
  };
}

/** The image of a new server, and the images of its volumes. */
export const imagesOfServer = (server: Json): string[] =>
  idsIn(server['imageRef'], ...deviceSources(server, 'image'));

/** The block devices of a new server for which Nova creates volumes. */
export const newVolumesOfServer = (server: Json): Json[] =>
  objectsIn(server['block_device_mapping_v2']).filter(
    ({ destination_type: destination, source_type: source }) =>
      destination === 'volume' && ['image', 'snapshot', 'blank'].includes(String(source)),
  );

/** The sources of a new volume, and the volumes on whose back end it should be. */
export function referencesOfVolume(body: Json): References {
  const volume = body['volume'] as Json;
  const hints = volumeHints(body);
  return {
    snapshot: idsIn(volume['snapshot_id']),
    volume: idsIn(volume['source_volid'], volume['source_replica'], ...listOf(hints['same_host'])),
  };
}

/** The server that a new volume belongs to, by its hint. */
export const serversOfVolume = (body: Json): string[] =>
  idsIn(volumeHints(body)['local_to_instance']);

/** The scheduler hints of a new volume, which may be beside it or inside. */
function volumeHints(body: Json): Json {
  const volume = body['volume'] as Json;
  return [body['OS-SCH-HNT:scheduler_hints'], volume['scheduler_hints']].find(isObject) ?? {};
}
