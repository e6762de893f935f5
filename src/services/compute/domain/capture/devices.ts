// Captures which ports and volumes servers have.
import { entriesOf, textOrNull } from '../../../../emulator/capture/fields.ts';
import type { CaptureSource, Json } from '../../../../emulator/capture/model.ts';
import { newUuid } from '../../../../kernel/ids.ts';
import type { Context } from '../../../../kernel/model.ts';
import { insertServerPort, insertServerVolume } from '../../store/servers/devices.ts';

/** Captures the ports and volumes of servers, as Compute's API shows them. */
export async function captureDevices(
  context: Context,
  source: CaptureSource,
  servers: readonly Json[],
  version: string,
): Promise<void> {
  if (source.has('network')) await capturePorts(context, source, servers);
  if (source.has('volume')) await captureVolumes(context, source, servers, version);
}

/**
 * Captures the ports of servers, in the order of the servers' addresses. No API shows which ports
 * Nova has created and so deletes with the server: those without a name are taken for such.
 */
async function capturePorts(
  { db }: Context,
  source: CaptureSource,
  servers: readonly Json[],
): Promise<void> {
  const known = new Map(servers.map((one) => [String(one['id']), macsOf(one)]));
  const fields = ['id', 'name', 'device_id', 'mac_address'].map((name) => `fields=${name}`);
  const path = `/v2.0/ports?limit=1000&${fields.join('&')}`;
  const ports = await source.list('network', path, 'ports');
  const placeOf = (port: Json): number => {
    const place = known.get(String(port['device_id']))!.indexOf(String(port['mac_address']));
    return place < 0 ? Infinity : place; // a port without an address is in no list
  };
  const owned = ports.filter((port) => known.has(String(port['device_id'])));
  for (const port of owned.toSorted((one, other) => placeOf(one) - placeOf(other) || 0)) {
    const [serverUuid, portId] = [String(port['device_id']), String(port['id'])];
    await insertServerPort(db, { serverUuid, portId, tag: null, own: !port['name'] });
  }
}

/** The MAC addresses of a server, in the order in which Nova lists its addresses. */
function macsOf({ addresses }: Json): readonly string[] {
  const networks = Object.values((addresses ?? {}) as Readonly<Record<string, readonly Json[]>>);
  return networks.flat().map((address) => String(address['OS-EXT-IPS-MAC:mac_addr']));
}

/** Captures the volumes of servers. The root disk is the one whose device is that of the server. */
async function captureVolumes(
  { db }: Context,
  source: CaptureSource,
  servers: readonly Json[],
  version: string,
): Promise<void> {
  const attached = (server: Json): readonly Json[] =>
    (server['os-extended-volumes:volumes_attached'] ?? []) as readonly Json[];
  const owners = servers.filter((server) => attached(server).length);
  const read = await source.each('servers with volumes', owners, async (server) => {
    const path = `/servers/${String(server['id'])}/os-volume_attachments`;
    const found = entriesOf(await source.get('compute', path, version), 'volumeAttachments');
    return { server, found };
  });
  for (const { server, found } of read) {
    const root = server['OS-EXT-SRV-ATTR:root_device_name'];
    for (const one of found) {
      const device = textOrNull(one['device']);
      await insertServerVolume(db, {
        uuid: String(one['bdm_uuid'] ?? newUuid()),
        serverUuid: String(server['id']),
        volumeId: String(one['volumeId']),
        attachmentId: textOrNull(one['attachment_id']),
        device,
        tag: textOrNull(one['tag']),
        deleteOnTermination: one['delete_on_termination'] === true,
        bootIndex: !server['image'] && device !== null && device === root ? 0 : null,
      });
    }
  }
}
