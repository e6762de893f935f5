// The ports of --native-ports: where each service listens as upstream does, and its URL there.
import type { Call, Cloud, Region, Service } from '../model.ts';
import { isServedIn, regionNames } from '../regions.ts';
import { servicePrefix } from './call-service.ts';
import { isMounted } from './mounts.ts';

/** A service of a region, the port on which it listens alone, and its path on the main port. */
export interface NativePort {
  readonly service: Service;
  readonly region: Region;
  readonly port: number;
  /** Such as `/RegionTwo/placement`. */
  readonly path: string;
}

/** The ports of a region are this much higher than those of the region before it. */
const regionStep = 100;

const highestPort = 65_535;

/**
 * The native ports of all services. Those of two regions never meet, because the last two digits of
 * upstream's ports differ.
 * @throws Error with the next step if there are too many regions for them
 */
export function nativePortsOf(cloud: Cloud, offset: number): NativePort[] {
  const regions = regionNames(cloud).map((name) => cloud.regions.get(name)!);
  const ports = cloud.services.flatMap((service) =>
    regions.flatMap((region, index): NativePort[] => {
      const { nativePort, database, prefix } = service.definition;
      const isCentral = database === 'central';
      if (
        nativePort === undefined ||
        (isCentral ? index > 0 : !isServedIn(service.definition, region))
      )
        return [];
      if (isCentral && !isMounted(cloud, service.definition, undefined)) return [];
      const port = nativePort + offset + (isCentral ? 0 : index * regionStep);
      return [{ service, region, port, path: `${regionPath(cloud, region)}${prefix}` }];
    }),
  );
  const high = ports.find(({ port }) => port > highestPort);
  if (high)
    throw new Error(
      `--native-ports: ${high.service.definition.name} of ${high.region.name} would need port ` +
        `${high.port}. Use a smaller offset, or fewer regions.`,
    );
  return ports;
}

const regionPath = ({ firstRegion }: Cloud, { name }: Region): string =>
  name === firstRegion.name ? '' : `/${name}`;

/** The address of the port that serves all services, as the client reaches it. */
export function mainOrigin({ cloud, origin, prefix }: Call): string {
  const port = cloud.ports.main ?? cloud.config.port;
  return prefix !== '' || !port ? origin : withPort(origin, port);
}

/**
 * The URL of a path on the main port, such as `/compute/v2.1`: on the native port of its service,
 * if that has one.
 */
export function urlAt(cloud: Cloud, origin: string, path: string): string {
  const [, first = '', second = ''] = path.split('/', 3);
  for (const prefix of [`/${first}`, `/${first}/${second}`]) {
    const port = cloud.ports.native.get(prefix);
    if (port !== undefined) return `${withPort(origin, port)}${path.slice(prefix.length)}`;
  }
  return `${origin}${path}`;
}

const withPort = (origin: string, port: number): string => origin.replace(/(?::\d+)?$/, `:${port}`);

/** The URL of another service, by its prefix, as the client of the request reaches it. */
export function serviceUrl(call: Call, prefix: string): string {
  const { cloud, region } = call;
  const path =
    call.prefix === '' ? regionPath(cloud, region) + prefix : servicePrefix(call, prefix);
  return urlAt(cloud, mainOrigin(call), path);
}
