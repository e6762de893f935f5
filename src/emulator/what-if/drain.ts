// Drains a host: disables its service, and moves its servers to other hosts.
import { badRequest, ApiError } from '../../kernel/errors.ts';
import { counted } from '../../kernel/user/sentences.ts';
import type { Json, RegionClient } from '../worlds/client.ts';

const version = 'compute 2.79';

interface Shown extends Json {
  readonly id: string;
  readonly name: string;
  readonly status: string;
}

/** Drains a host. Running servers are live-migrated, stopped ones cold-migrated. */
export async function drainHost(region: RegionClient, host: string): Promise<string> {
  await disable(region, host);
  const path = `/compute/v2.1/servers/detail?all_tenants=1&host=${encodeURIComponent(host)}`;
  const { servers } = (await region.ask('GET', path, { version })) as { servers: Shown[] };
  const stays: string[] = [];
  for (const server of servers.toReversed()) {
    const reason = await move(region, server, host);
    if (reason !== undefined) stays.push(`${server.name} stays: ${reason}`);
  }
  const moved = servers.length - stays.length;
  const text = `disabled ${host}; ${moved} of ${counted(servers.length, 'server')} moved`;
  return [text, ...stays].join('; ');
}

/** @throws 400 if there is no such host */
async function disable(region: RegionClient, host: string): Promise<void> {
  const path = '/compute/v2.1/os-services';
  const query = `?host=${encodeURIComponent(host)}&binary=nova-compute`;
  const { services } = await region.ask('GET', path + query, { version });
  const [service] = services as readonly Json[];
  if (!service) throw badRequest(`there is no host '${host}' in ${region.name}.`);
  const body = { status: 'disabled', disabled_reason: 'drained' };
  await region.ask('PUT', `${path}/${String(service['id'])}`, { version, body });
}

/** Moves a server. @returns why it has not left the host; undefined if it has */
async function move(
  region: RegionClient,
  { id, status }: Shown,
  host: string,
): Promise<string | undefined> {
  const path = `/compute/v2.1/servers/${id}`;
  const act = (body: object): Promise<Json> =>
    region.ask('POST', `${path}/action`, { version, body });
  try {
    if (status === 'SHUTOFF') {
      await act({ migrate: { host: null } });
      const { server } = await region.ask('GET', path, { version });
      if ((server as Json)['status'] === 'VERIFY_RESIZE') await act({ confirmResize: null });
    } else await act({ 'os-migrateLive': { host: null, block_migration: 'auto' } });
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    return error.message;
  }
  const { server } = await region.ask('GET', path, { version });
  if ((server as Json)['OS-EXT-SRV-ATTR:host'] !== host) return undefined;
  return decisionAbout(region, id);
}

/** The explanation of the last decision about a server. */
export async function decisionAbout({ client, name }: RegionClient, id: string): Promise<string> {
  const path = `/_emulator/explain/servers/${id}?region=${name}`;
  const reply = await client.ask('GET', path).catch(() => undefined);
  const explanation = reply?.['explanation'] as Json | undefined;
  return String(explanation?.['summary'] ?? 'no valid host was found');
}
