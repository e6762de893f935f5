// Runs a cloud in this process: opens it, listens on its ports, and stops it.
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { closeCloud, openCloud } from './cloud.ts';
import { originAt } from './emulator/client.ts';
import { pause } from './kernel/clock.ts';
import { nativePortsOf, type NativePort } from './kernel/http/native-ports.ts';
import { serverFor } from './kernel/http/server.ts';
import { watchOutboxes } from './kernel/jobs/outbox-sender.ts';
import type { Cloud, Service } from './kernel/model.ts';
import type { Config } from './kernel/settings.ts';
import { serverIdentity } from './kernel/tls/identity.ts';
import { authorityFile, isSecure } from './kernel/tls/settings.ts';

/** The URLs of an emulator. */
export interface Addresses {
  /** The file with the authority of the certificate, if clients need it. */
  readonly cacert: string | undefined;
  /** `http://host:port`, or with `https`, of the port that serves everything. */
  readonly origin: string;
  /** The ports that serve a single service. */
  readonly servicePorts: readonly ServicePort[];
}

/** A port that serves a single service. */
export interface ServicePort {
  readonly service: string;
  readonly origin: string;
}

/** A running cloud and its URLs. */
export interface Running extends Addresses {
  readonly cloud: Cloud;
  /** Waits for requests in flight, then closes the cloud. */
  readonly stop: () => Promise<void>;
}

/**
 * Opens a cloud and listens on all its ports.
 * @throws Error with the next step if a port is not available
 */
export async function run(config: Config): Promise<Running> {
  const identity = serverIdentity(config);
  const cloud = await openCloud(config);
  const servers: Server[] = [];
  try {
    const main = serverFor({ cloud, identity });
    servers.push(main);
    const port = await listen(main, config.port, config.host, '--port');
    const servicePorts: ServicePort[] = [];
    for (const { service, host = config.host, port: ownPort } of config.listen) {
      const server = serverFor({ cloud, identity, only: serviceNamed(cloud, service) });
      servers.push(server);
      const own = await listen(server, ownPort, host, '--listen');
      servicePorts.push({ service, origin: originAt(host, own, isSecure(config)) });
    }
    for (const { service, region, port, path } of nativePorts(cloud)) {
      const server = serverFor({ cloud, identity, only: service, region: region.name });
      servers.push(server);
      await listen(server, port, config.host, '--native-ports');
      cloud.ports.native.set(path, port);
    }
    cloud.ports.main = port;
    const origin = originAt(config.host, port, isSecure(config));
    cloud.folderLock?.announce(port);
    if (cloud.central.kind === 'mysql') void watchOutboxes(cloud);
    const cacert = authorityFile(config);
    return { cloud, origin, cacert, servicePorts, stop: () => stop(cloud, servers) };
  } catch (error) {
    await stop(cloud, servers);
    throw error;
  }
}

const nativePorts = (cloud: Cloud): NativePort[] => {
  const { nativePorts: offset } = cloud.config;
  return offset === false ? [] : nativePortsOf(cloud, offset);
};

/** The service with a name or a type. @throws Error with the known services if there is none */
function serviceNamed({ services }: Cloud, name: string): Service {
  const service = services.find(
    ({ definition }) => definition.name === name || definition.type === name,
  );
  if (service) return service;
  const names = services.map(({ definition }) => definition.name);
  throw new Error(`--listen ${name}: unknown service. Services: ${names.join(', ')}.`);
}

function listen(server: Server, port: number, host: string, flag: Place['flag']): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(new Error(listenProblem(error, { port, host, flag }))),
    );
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port));
  });
}

interface Place {
  readonly port: number;
  readonly host: string;
  /** The option that names the port. */
  readonly flag: '--port' | '--listen' | '--native-ports';
}

/** Why a port cannot be listened on, with the next step. */
export function listenProblem(
  { code, message }: NodeJS.ErrnoException,
  { port, host, flag }: Place,
): string {
  const another = {
    '--port': '--port, or 0 for any free port',
    '--listen': '--listen',
    '--native-ports': '--native-ports <offset>',
  }[flag];
  const hostFlag = flag === '--listen' ? flag : '--host';
  if (code === 'EADDRINUSE')
    return `Port ${port} is already in use. Choose another with ${another}.`;
  if (code === 'EACCES')
    return `Port ${port} is for administrators only. Choose one from 1024 on with ${another}.`;
  if (code === 'EADDRNOTAVAIL')
    return `${host} is not an address of this machine. Name one that is with ${hostFlag}.`;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return `No address is known for ${host}. Name an address of this machine with ${hostFlag}.`;
  return `Port ${port} of ${host} cannot be listened on: ${message}. Choose another with ${another}.`;
}

/** How long a stop waits for requests in flight, in milliseconds. */
const stopTimeout = 10_000;

async function stop(cloud: Cloud, servers: readonly Server[]): Promise<void> {
  cloud.stopping.abort();
  const open = servers.filter((server) => server.listening);
  let listening = open.length;
  for (const server of open) server.close(() => listening--);
  // A kept-alive connection becomes idle only after its last response. After the timeout, requests
  // that are still in flight are aborted.
  for (let waited = 0; listening; waited += 10) {
    for (const server of open)
      if (waited < stopTimeout) server.closeIdleConnections();
      else server.closeAllConnections();
    await pause(10);
  }
  await closeCloud(cloud);
}
