// Reads a cloud by its public APIs: it signs in, and then sends nothing but GET requests.
import { sendRequest } from '../../kernel/http-client.ts';
import { counted } from '../../kernel/user/sentences.ts';
import type { CloudAccess } from './clouds-yaml.ts';
import { CaptureError, type CaptureSource, type Json } from './model.ts';

/** How many requests are sent at a time, and how long each may take, in milliseconds. */
const [atATime, timeout] = [8, 60_000];

/** The types of the services in a catalog, by their names here. */
const types: Readonly<Record<string, readonly string[]>> = {
  compute: ['compute'],
  placement: ['placement'],
  image: ['image'],
  network: ['network'],
  volume: ['block-storage', 'volumev3', 'block-store'],
  reservation: ['reservation'],
};

interface Entry {
  readonly type: string;
  readonly endpoints: readonly {
    readonly interface: string;
    readonly region?: string;
    readonly region_id?: string;
    readonly url: string;
  }[];
}

/**
 * Signs in to a cloud.
 * @param report is called with lines that say how far the capture is
 * @throws CaptureError if the cloud refuses
 */
export async function openSource(
  access: CloudAccess,
  report: (line: string) => void,
): Promise<CaptureSource & { readonly region: string }> {
  const root = access.authUrl.replace(/\/+$/, '').replace(/(\/v3)?$/, '/v3');
  const reply = await sendRequest(`${root}/auth/tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ auth: access.auth }),
    timeout,
  });
  const token = reply.headers.get('x-subject-token');
  if (!token)
    throw new CaptureError(`${root} refuses to sign in: ${reply.status} ${textOf(reply.body)}`);
  const { catalog = [] } = (json(reply.body)['token'] ?? {}) as { catalog?: readonly Entry[] };
  const endpoints = new Map([['identity', root]]);
  let { region } = access;
  for (const [service, wanted] of Object.entries(types)) {
    const all = catalog.filter(({ type }) => wanted.includes(type)).flatMap((one) => one.endpoints);
    const found = all.find(
      (one) =>
        one.interface === 'public' &&
        (region === undefined || [one.region, one.region_id].includes(region)),
    );
    if (!found) continue;
    region ??= found.region_id ?? found.region;
    endpoints.set(service, rootOf(service, found.url));
  }
  return new Source(token, endpoints, region ?? 'RegionOne', report);
}

class Source implements CaptureSource {
  readonly region: string;
  private readonly token: string;
  private readonly endpoints: ReadonlyMap<string, string>;
  private readonly report: (line: string) => void;

  constructor(
    token: string,
    endpoints: ReadonlyMap<string, string>,
    region: string,
    report: (line: string) => void,
  ) {
    this.token = token;
    this.endpoints = endpoints;
    this.region = region;
    this.report = report;
  }

  has(service: string): boolean {
    return this.endpoints.has(service);
  }

  async newest(service: string, limit: string): Promise<string> {
    // Cinder's endpoint has a project after the version, whose document has none.
    const endpoint = this.endpoints.get(service)!.replace(/(\/v\d+)\/.*$/, '$1');
    const document = await this.read(`${endpoint}/`, service, undefined);
    const versions = (document['versions'] ?? [document['version']]) as readonly Json[];
    const named = versions.map((one) => String(one['max_version'] ?? one['version'] ?? ''));
    const highest = named.toSorted(byVersion).at(-1) ?? '';
    return byVersion(highest, limit) < 0 ? highest : limit;
  }

  get(service: string, path: string, version?: string): Promise<Json> {
    return this.read(this.endpoints.get(service)! + path, service, version);
  }

  async list(service: string, path: string, key: string, version?: string): Promise<Json[]> {
    const entries: Json[] = [];
    let url: string | undefined = this.endpoints.get(service)! + path;
    while (url !== undefined) {
      const page: Json = await this.read(url, service, version);
      entries.push(...(page[key] as readonly Json[]));
      url = nextOf(page, key, this.endpoints.get(service)!);
      if (url !== undefined) this.report(`${key}: ${entries.length} so far`);
    }
    this.report(counted(entries.length, key.replaceAll('_', ' ').replace(/s$/, '')));
    return entries;
  }

  async each<T, R>(noun: string, items: readonly T[], read: (item: T) => Promise<R>): Promise<R[]> {
    const results: R[] = [];
    let [next, done] = [0, 0];
    const work = async (): Promise<void> => {
      for (let at = next++; at < items.length; at = next++) {
        results[at] = await read(items[at]!);
        if (++done % 500 === 0) this.report(`${noun}: ${done} of ${items.length}`);
      }
    };
    await Promise.all(Array.from({ length: atATime }, work));
    return results;
  }

  private async read(url: string, service: string, version: string | undefined): Promise<Json> {
    const named = version === undefined ? {} : { 'openstack-api-version': `${service} ${version}` };
    const headers = { accept: 'application/json', 'x-auth-token': this.token, ...named };
    const reply = await sendRequest(url, { method: 'GET', headers, timeout });
    if (reply.status !== 200)
      throw new CaptureError(`GET ${url}: ${reply.status} ${textOf(reply.body)}`);
    return json(reply.body);
  }
}

/** The URL that paths are appended to, without the version that some catalogs have in it. */
function rootOf(service: string, url: string): string {
  const root = url.replace(/\/+$/, '');
  const versioned = ['image', 'network', 'reservation'].includes(service);
  return versioned ? root.replace(/\/v[12](\.0)?$/, '') : root;
}

/**
 * The next page of a list, as Nova, Neutron and Cinder (a list of links), Keystone (an object) and
 * Glance (a path below its endpoint) name it.
 */
function nextOf(page: Json, key: string, endpoint: string): string | undefined {
  const links = (page[`${key}_links`] ?? []) as readonly { rel: string; href: string }[];
  const { next } = (page['links'] ?? {}) as { next?: string | null };
  const path = page['next'] as string | undefined;
  return (
    links.find(({ rel }) => rel === 'next')?.href ??
    next ??
    (path === undefined ? undefined : endpoint + path)
  );
}

function byVersion(one: string, other: string): number {
  const [[major, minor], [otherMajor, otherMinor]] = [one, other].map((text) =>
    text.split('.').map(Number),
  ) as [number[], number[]];
  return (major || 0) - (otherMajor || 0) || (minor || 0) - (otherMinor || 0);
}

const textOf = (body: Buffer): string => body.toString().slice(0, 300);

function json(body: Buffer): Json {
  try {
    return JSON.parse(body.toString()) as Json;
  } catch {
    throw new CaptureError(`The reply is not JSON: ${textOf(body)}`);
  }
}
