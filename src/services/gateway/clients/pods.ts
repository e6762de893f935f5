// Asking the services of a pod, and those that the central region has for itself: in this process
// where they are here, else over HTTP.
import { ApiError, unavailable } from '../../../kernel/errors.ts';
import { forward, type ForwardedRequest } from '../../../kernel/http/app.ts';
import { mountAt } from '../../../kernel/http/mounts.ts';
import { isDropped, isStream } from '../../../kernel/http/reply.ts';
import type { Reply, Service } from '../../../kernel/model.ts';
import type { GatewayCall, Json } from '../call.ts';
import { ownToken, type OwnToken } from './identity.ts';
import { endpointOf, type Pod } from './tricircle.ts';

/** What is asked; what is not given is as in the request of the client. */
export interface Question {
  readonly method?: string;
  /**
   * Below the version of the API, such as `/servers/detail`; with `/v2.1` and the like where the
   * service's URL has no version.
   */
  readonly path?: string;
  readonly query?: string;
  /** JSON. */
  readonly body?: unknown;
  /** Bytes instead of it. */
  readonly bytes?: Buffer;
  readonly type?: string;
  /** The type of the service in the catalog; the client's own, where none is given. */
  readonly service?: string;
  /** The microversion, as the header has it. */
  readonly version?: string;
  /** Asked with a token of the gateway's own, which has the role admin. */
  readonly isOwn?: boolean;
}

/** An answer with its body read: JSON, bytes, or nothing. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

export const isOk = ({ status }: Answer): boolean => status >= 200 && status < 300;

/** The body of an answer that went well; undefined of another. */
export const bodyOf = (answer: Answer): Json | undefined =>
  isOk(answer) ? (answer.body as Json) : undefined;

/** How long a pod may take, in milliseconds. */
const patience = 60_000;

/**
 * Asks a service of a pod.
 * @throws 500 where the catalog does not have it; 503, 504 where it does not answer
 */
export async function askPod(
  call: GatewayCall,
  pod: Pod,
  question: Question = {},
): Promise<Answer> {
  const { definition } = call.service;
  const endpoint = await endpointOf(call, pod, question.service ?? definition.type!);
  if (!endpoint) throw noEndpoint();
  const projectId = question.isOwn ? (await ownOf(call)).projectId : call.caller?.projectId;
  const url = filledIn(endpoint.url, projectId) + (question.path ?? pathBelowVersion(call));
  const sent = await messageOf(call, question);
  if (!endpoint.isHere) {
    const answer = await overHttp(call, pod, url, sent);
    return question.service === undefined
      ? relinked(answer, rootOf(endpoint.url), call.origin + call.prefix)
      : answer;
  }
  const mount = mountAt(call.cloud, url);
  // A pod whose endpoint is a gateway would send it round and round.
  if (!mount || mount.service.definition.api !== undefined) throw noEndpoint();
  // The links in what it answers lead to the gateway.
  const isSame = question.service === undefined;
  const answer = await forward(call, {
    ...sent,
    ...mount,
    prefix: isSame ? call.prefix : mount.prefix,
  });
  if (isDropped(answer))
    throw notAnswered(
      call,
      pod,
      sent.method,
      new Error('The connection was closed without an answer.'),
    );
  return read(answer);
}

/** Asks a service for what the central region itself holds. */
export async function askCentre(call: GatewayCall, question: Question = {}): Promise<Answer> {
  const { region } = call;
  const name = question.service ?? call.service.definition.api!;
  const service = call.cloud.services.find(({ definition }) => definition.name === name)!;
  const path = question.path === undefined ? call.asked! : `${versionOf(service)}${question.path}`;
  const prefix =
    question.service === undefined ? call.prefix : `/${region.name}${service.definition.prefix}`;
  return read(
    await forward(call, { ...(await messageOf(call, question)), region, service, prefix, path }),
  );
}

/** Upstream: the words of cinder_apigw for a pod that the catalog does not have. */
const noEndpoint = (): ApiError =>
  new ApiError(500, 'Bottom Pod endpoint incorrect', { code: 'gateway.no_endpoint' });

/** The part of the catalog's path that is the version, such as `/v2.1`. */
const versionOf = ({ definition }: Service): string =>
  /^\/v[\d.]+/.exec(definition.catalogPath ?? '')?.[0] ?? '';

const pathBelowVersion = ({ path, service }: GatewayCall): string =>
  path.slice(versionOf(service).length);

/** A URL of the catalog with a project. */
const filledIn = (url: string, projectId: string | undefined): string =>
  url
    .replace(/\/[$%]\((?:tenant|project)_id\)s$/, projectId === undefined ? '' : `/${projectId}`)
    .replace(/\/$/, '');

/** The gateway's own token, one for each request that needs it. */
const ownOf = (call: GatewayCall): Promise<OwnToken> => (call.own ??= ownToken(call));

type Message = Pick<ForwardedRequest, 'method' | 'query' | 'headers' | 'raw'>;

/** Headers that belong to the connection of the client, or to the body that it sent. */
const notForwarded = [
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'expect',
  'accept-encoding',
  'content-encoding',
  'keep-alive',
  'upgrade',
];

async function messageOf(
  call: GatewayCall,
  { method, query, body, bytes, type, version, isOwn, service, path }: Question,
): Promise<Message> {
  const own = isOwn
    ? {
        'x-auth-token': (await ownOf(call)).token,
        'x-roles': undefined,
        'x-service-token': undefined,
      }
    : {};
  const isAsItCame = bytes === undefined && body === undefined && method === undefined;
  const raw = isAsItCame
    ? call.raw
    : (bytes ?? (body === undefined ? undefined : Buffer.from(JSON.stringify(body))));
  const versions = { 'openstack-api-version': version, 'x-openstack-nova-api-version': undefined };
  const headers = Object.entries({
    ...call.headers,
    // Another service knows nothing of the version that was negotiated here.
    ...(version !== undefined || service !== undefined ? versions : {}),
    ...own,
    ...(isAsItCame ? {} : { 'content-type': raw ? (type ?? 'application/json') : undefined }),
  }).filter(([name, value]) => value !== undefined && !notForwarded.includes(name));
  return {
    method: method ?? call.method,
    query: query ?? (path === undefined ? call.query.text : ''),
    headers: Object.fromEntries(headers) as ForwardedRequest['headers'],
    raw,
  };
}

async function read({ status, headers = {}, body }: Reply): Promise<Answer> {
  const plain = Object.entries(headers).map(
    ([name, value]) => [name.toLowerCase(), String(value)] as const,
  );
  const whole = isStream(body) ? await gathered(body, String(headers['content-type'])) : body;
  return {
    status,
    headers: Object.fromEntries(plain),
    body: typeof whole === 'string' ? jsonOf(whole) : whole,
  };
}

/** A body that is written as it goes: bytes, or a text. */
async function gathered(
  body: AsyncGenerator<string | Buffer>,
  type: string,
): Promise<string | Buffer> {
  const parts: Buffer[] = [];
  for await (const part of body) parts.push(Buffer.from(part));
  const bytes = Buffer.concat(parts);
  return type.includes('octet-stream') ? bytes : bytes.toString();
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text || undefined;
  }
}

async function overHttp(
  call: GatewayCall,
  pod: Pod,
  url: string,
  { method, query, headers, raw }: Message,
): Promise<Answer> {
  const sent = Object.entries(headers).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value as string]).map((one): [string, string] => [name, one]),
  );
  const signal = AbortSignal.timeout(patience);
  const body = raw?.length ? { body: new Uint8Array(raw) } : {};
  try {
    const response = await fetch(query ? `${url}?${query}` : url, {
      method,
      headers: sent,
      ...body,
      redirect: 'manual',
      signal,
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    const isBytes = response.headers.get('content-type')?.includes('octet-stream') ?? false;
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: isBytes ? bytes : jsonOf(bytes.toString()),
    };
  } catch (error) {
    throw notAnswered(call, pod, method, error);
  }
}

/** A URL of the catalog without the version and what follows it. */
const rootOf = (url: string): string => url.replace(/\/v\d[\d.]*(\/[^/]*)?\/?$/, '');

/** An answer whose links lead to the gateway and not to the pod. */
function relinked({ status, headers, body }: Answer, from: string, to: string): Answer {
  const moved = (text: string): string =>
    text.startsWith(`${from}/`) ? to + text.slice(from.length) : text;
  const within = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(within);
    if (typeof value !== 'object' || value === null || Buffer.isBuffer(value)) return value;
    const entries = Object.entries(value).map(([name, one]) => [
      name,
      name === 'href' ? moved(String(one)) : within(one),
    ]);
    return Object.fromEntries(entries) as Json;
  };
  const { location } = headers;
  return {
    status,
    headers: { ...headers, ...(location === undefined ? {} : { location: moved(location) }) },
    body: within(body),
  };
}

/** Why nothing was sent, by the codes of Node. */
const unsent = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
];

/**
 * The fault of a pod that did not answer. Whether a write was done that the pod did not confirm,
 * only the pod knows.
 */
function notAnswered(
  { cloud, requestId }: GatewayCall,
  pod: Pod,
  method: string,
  error: unknown,
): ApiError {
  const { code } = ((error as Error).cause ?? {}) as { code?: string };
  cloud.log.warn({ err: error, request: requestId, pod: pod.regionName }, 'a pod did not answer');
  if (method === 'GET' || method === 'HEAD' || unsent.includes(code ?? ''))
    return unavailable(`The pod ${pod.regionName} does not answer. Please try again later.`, {
      code: 'gateway.pod_down',
    });
  return new ApiError(
    504,
    `The pod ${pod.regionName} went away before it had answered. Lists will show what it has done, when it is back.`,
    { code: 'gateway.pod_lost' },
  );
}
