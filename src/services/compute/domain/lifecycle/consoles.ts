// Opens consoles of servers: a URL with a token, which lets people in until it expires. Upstream:
// compute/manager.py get_vnc_console and others, objects/console_auth_token.py.
import { createHash } from 'node:crypto';
import { SECOND } from '../../../../kernel/clock.ts';
import { badRequest, conflict, type ApiError } from '../../../../kernel/errors.ts';
import { newUuid } from '../../../../kernel/ids.ts';
import type { Context } from '../../../../kernel/model.ts';
import {
  deleteExpiredTokens,
  findConsoleToken,
  insertConsoleToken,
} from '../../store/servers/console-tokens.ts';
import { bumpServerRevision } from '../../store/servers/servers.ts';
import { instanceNameOf } from '../servers/states.ts';
import { loadSettings } from '../settings.ts';
import type { ConsoleToken, ConsoleType, Server } from '../../model.ts';

/**
 * The lines of a server's console log: a boot that depends only on the server, and the prompt that
 * programs wait for. The last line has no end, as while a guest waits for input.
 */
export function consoleLogOf(server: Server): string[] {
  const { uuid, hostname, flavor } = server;
  const memory = flavor.ram * 1024;
  const cpus = Array.from({ length: flavor.vcpus }, (_, cpu) => cpu);
  const boot = [
    'Linux version 6.1.0 (simulated: this server has no guest)',
    'Command line: root=/dev/vda1 ro console=tty1 console=ttyS0',
    `Memory: ${memory}K/${memory}K available`,
    ...cpus.map((cpu) => `smpboot: CPU${cpu} is up`),
    'virtio_blk: [vda] is the root disk',
    'EXT4-fs (vda1): mounted filesystem with ordered data mode',
    'systemd[1]: Reached target Local File Systems',
    'systemd[1]: Reached target Network is Online',
    `cloud-init: instance ${uuid}`,
    `cloud-init: hostname ${hostname}`,
    'cloud-init: finished',
    'systemd[1]: Reached target Multi-User System',
  ];
  return [
    `Booting ${instanceNameOf(server)}`,
    ...boot.map((line, index) => `[${(index * 0.25).toFixed(6).padStart(12)}] ${line}`),
    '',
    `${hostname} login: `,
  ];
}

/** The types of each protocol. */
const typesOf: Readonly<Record<string, readonly ConsoleType[]>> = {
  vnc: ['novnc'],
  spice: ['spice-html5', 'spice-direct'],
  serial: ['serial'],
  mks: ['webmks'],
};

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');

/** The error for a server that has no console yet. */
const notReady = ({ uuid }: Server): ApiError => conflict(`Instance ${uuid} is not ready`);

/**
 * Creates a token for a console of a server.
 * @throws 400 if the protocol has no such type, 409 if the server is still being built
 */
export async function openConsole(
  context: Context,
  server: Server,
  protocol: string,
  type: string,
): Promise<string> {
  const { db, now } = context;
  const consoleType = typesOf[protocol]?.find((one) => one === type);
  if (consoleType === undefined) throw badRequest(`Invalid console type ${type}`);
  if (server.vmState === 'building') throw notReady(server);
  const { consoleTokenTtl } = await loadSettings(context);
  const token = newUuid();
  // The end of the server deletes its tokens.
  await bumpServerRevision(db, server);
  await deleteExpiredTokens(db, server.uuid, now);
  await insertConsoleToken(db, {
    tokenHash: hashOf(token),
    serverUuid: server.uuid,
    consoleType,
    host: '127.0.0.1',
    ...portsOf(server, consoleType),
    expiresAt: now + consoleTokenTtl * SECOND,
  });
  return token;
}

/** Finds a token that has not expired. */
export const validToken = (
  { db, now }: Context,
  token: string,
): Promise<ConsoleToken | undefined> => findConsoleToken(db, hashOf(token), now);

/** The ports of the first server; the hypervisor gives the next server the next ones. */
const firstPorts: Readonly<Record<ConsoleType, Pick<ConsoleToken, 'port' | 'tlsPort'>>> = {
  novnc: { port: 5900, tlsPort: null },
  'spice-html5': { port: 15_900, tlsPort: 25_900 },
  'spice-direct': { port: 15_900, tlsPort: 25_900 },
  serial: { port: 35_900, tlsPort: null },
  webmks: { port: 45_900, tlsPort: null },
};

/** How many servers have ports of their own. */
const portRange = 10_000;

/** Where a hypervisor would offer the console of a server. Nothing listens there. */
function portsOf({ id }: Server, type: ConsoleType): Pick<ConsoleToken, 'port' | 'tlsPort'> {
  const slot = (id - 1) % portRange;
  const { port, tlsPort } = firstPorts[type];
  return { port: port + slot, tlsPort: tlsPort === null ? null : tlsPort + slot };
}
