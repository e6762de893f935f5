// Reads a cloud by its public APIs: it signs in, and then sends nothing but GET requests.
import { countedAmong } from '../../kernel/user/sentences.ts';
import type { CloudAccess } from './clouds-yaml.ts';
import { entriesOf } from './fields.ts';
import { CaptureError, type CaptureSource, type Json } from './model.ts';
import { openReplies, type Replies } from './replies.ts';
import { Requests } from './requests.ts';
import { endpointsIn, identityRoot, signIn } from './sign-in.ts';

/** How many requests are sent at a time. */
const atATime = 8;

/** How to read a cloud. */
export interface SourceOptions {
  /** How many requests to send a second. */
  readonly rate: number;
  /** Where replies are kept until the capture is complete. */
  readonly replies: string;
  /** Whether to continue an interrupted capture. */
  readonly resume: boolean;
  /** Called with lines that say how far the capture is. */
  readonly report: (line: string) => void;
}

/** A cloud that is read, and what it has answered so far. */
export interface OpenSource extends CaptureSource {
  readonly region: string;
  readonly replies: Replies;
  /** What the caller may not read: services with paths, without ids. */
  readonly forbidden: ReadonlySet<string>;
}

/** Signs in to a cloud. @throws CaptureError if the cloud refuses, or there is nothing to resume */
export async function openSource(
  access: CloudAccess,
  { rate, replies: file, resume, report }: SourceOptions,
): Promise<OpenSource> {
  const session = await signIn(access);
  const { endpoints, region } = endpointsIn(session, access.region);
  const root = identityRoot(access);
  const header = { auth_url: root, region, project: session.project };
  const replies = openReplies(file, header, resume);
  if (replies.size) report(`Continuing with the ${replies.size} replies in ${file}.`);
  const renew = async (): Promise<string> => (await signIn(access)).token;
  return new Source(
    new Requests(session.token, renew, rate),
    replies,
    new Map([['identity', root], ...endpoints]),
    region,
    report,
  );
}

class Source implements OpenSource {
  readonly region: string;
  readonly replies: Replies;
  readonly forbidden = new Set<string>();
  private readonly requests: Requests;
  private readonly endpoints: ReadonlyMap<string, string>;
  private readonly report: (line: string) => void;

  constructor(
    requests: Requests,
    replies: Replies,
    endpoints: ReadonlyMap<string, string>,
    region: string,
    report: (line: string) => void,
  ) {
    this.requests = requests;
    this.replies = replies;
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
    return this.readAllowed(this.endpoints.get(service)! + path, service, version);
  }

  async list(service: string, path: string, key: string, version?: string): Promise<Json[]> {
    const entries: Json[] = [];
    let url: string | undefined = this.endpoints.get(service)! + path;
    while (url !== undefined) {
      const page: Json = await this.readAllowed(url, service, version);
      entries.push(...entriesOf(page, key));
      url = nextOf(page, key, this.endpoints.get(service)!);
      if (url !== undefined) this.report(`${key}: ${entries.length} so far`);
    }
    this.report(countedAmong(entries.length, key.replaceAll('_', ' ')));
    return entries;
  }

  async each<T, R>(noun: string, items: readonly T[], read: (item: T) => Promise<R>): Promise<R[]> {
    const results: R[] = [];
    let [next, done] = [0, 0];
    const work = async (): Promise<void> => {
      for (let at = next++; at < items.length; at = next++) {
        results[at] = await read(items[at]!).catch((error: unknown) => {
          next = items.length;
          throw error;
        });
        if (++done % 500 === 0) this.report(`${noun}: ${done} of ${items.length}`);
      }
    };
    // After a failure, the replies to the other requests under way are kept, too.
    const ended = await Promise.allSettled(Array.from({ length: atATime }, work));
    const failure = ended.find(({ status }) => status === 'rejected') as PromiseRejectedResult;
    if (failure) throw failure.reason;
    return results;
  }

  async ifKnown<T, R>(
    noun: string,
    read: Promise<T>,
    otherwise: R,
    statuses: readonly number[] = [404],
  ): Promise<T | R> {
    try {
      return await read;
    } catch (error) {
      if (!(error instanceof CaptureError) || !statuses.includes(error.status ?? 0)) throw error;
      this.report(`${noun}: left out, because the cloud does not know it (${error.status})`);
      return otherwise;
    }
  }

  /** Reads a URL. The document is empty if the cloud forbids it. */
  private async readAllowed(url: string, service: string, version?: string): Promise<Json> {
    try {
      return await this.read(url, service, version);
    } catch (error) {
      if (!(error instanceof CaptureError) || error.status !== 403) throw error;
      const path = url.slice(this.endpoints.get(service)!.length).replace(/\?.*$/, '');
      this.forbidden.add(`${service} ${path.replaceAll(/\/[0-9a-f-]{32,36}(?=\/|$)/g, '/{id}')}`);
      return {};
    }
  }

  /** Reads a URL, unless the cloud has answered before. */
  private async read(url: string, service: string, version: string | undefined): Promise<Json> {
    const named = version === undefined ? undefined : `${service} ${version}`;
    const request = named === undefined ? url : `${url} ${named}`;
    const found = this.replies.find(request);
    if (found) return found;
    const reply = await this.requests.read(url, named);
    this.replies.add(request, reply);
    return reply;
  }
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
