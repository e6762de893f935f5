// The requests that a gateway sends to other services, and the replies that it reads.
import type { ForwardedRequest } from '../../../kernel/http/app.ts';
import { importHeader } from '../../../kernel/http/imports.ts';
import { isStream } from '../../../kernel/http/reply.ts';
import type { Reply, Service } from '../../../kernel/model.ts';
import type { GatewayCall, Json } from '../call.ts';
import { issueAdminToken, type AdminToken } from './identity.ts';

/** A request to a service. Absent properties are taken from the client's request. */
export interface ServiceRequest {
  readonly method?: string;
  /**
   * The path below the version, such as `/servers/detail`. It includes the version if the catalog's
   * URL of the service does not, as in `/v2.0/networks`.
   */
  readonly path?: string;
  readonly query?: string;
  /** The body, as JSON. */
  readonly body?: unknown;
  /** The body, as bytes. */
  readonly bytes?: Buffer;
  /** The media type of `bytes`; JSON by default. */
  readonly mediaType?: string;
  /** The service's type in the catalog (its name, at the centre). Default: the gateway's own. */
  readonly service?: string;
  /** The value of the microversion header. */
  readonly version?: string;
  /** Whether to send the gateway's admin token instead of the client's token. */
  readonly asAdmin?: boolean;
}

/** A reply with its whole body: JSON, bytes, or undefined. */
export interface ServiceReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

export const isSuccess = ({ status }: ServiceReply): boolean => status >= 200 && status < 300;

/** The body of a successful reply; undefined for any other reply. */
export const successBody = (reply: ServiceReply): Json | undefined =>
  isSuccess(reply) ? (reply.body as Json) : undefined;

/** The gateway's admin token. Each request gets at most one. */
export const adminTokenOf = (call: GatewayCall): Promise<AdminToken> =>
  (call.adminToken ??= issueAdminToken(call));

/** The version in the catalog's path, such as `/v2.1`. */
export const versionPathOf = ({ definition }: Service): string =>
  /^\/v[\d.]+/.exec(definition.catalogPath ?? '')?.[0] ?? '';

export type Message = Pick<ForwardedRequest, 'method' | 'query' | 'headers' | 'raw'>;

/** Headers that describe the client's connection or body, and the one for imports into a pod. */
const unforwardedHeaders: readonly string[] = [
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'expect',
  'accept-encoding',
  'content-encoding',
  'keep-alive',
  'upgrade',
  importHeader,
];

/** Builds the message of a request: the client's message with the changes that it asks for. */
export async function messageOf(
  call: GatewayCall,
  { method, query, body, bytes, mediaType, version, asAdmin, service, path }: ServiceRequest,
): Promise<Message> {
  const credentials = asAdmin
    ? {
        'x-auth-token': (await adminTokenOf(call)).token,
        'x-roles': undefined,
        'x-service-token': undefined,
      }
    : {};
  const keepsBody = bytes === undefined && body === undefined && method === undefined;
  const raw = keepsBody
    ? call.raw
    : (bytes ?? (body === undefined ? undefined : Buffer.from(JSON.stringify(body))));
  const versions = { 'openstack-api-version': version, 'x-openstack-nova-api-version': undefined };
  const headers = Object.entries({
    ...call.headers,
    // The client's microversion means nothing to a service of another type.
    ...(version !== undefined || service !== undefined ? versions : {}),
    ...credentials,
    ...(keepsBody ? {} : { 'content-type': raw ? (mediaType ?? 'application/json') : undefined }),
  }).filter(([name, value]) => value !== undefined && !unforwardedHeaders.includes(name));
  return {
    method: method ?? call.method,
    query: query ?? (path === undefined ? call.query.text : ''),
    headers: Object.fromEntries(headers) as ForwardedRequest['headers'],
    raw,
  };
}

/** Reads the reply of a service in this process, including a body that it streams. */
export async function readReply({ status, headers = {}, body }: Reply): Promise<ServiceReply> {
  const lowerCase = Object.entries(headers).map(
    ([name, value]) => [name.toLowerCase(), String(value)] as const,
  );
  const whole = isStream(body) ? await readStream(body, String(headers['content-type'])) : body;
  return {
    status,
    headers: Object.fromEntries(lowerCase),
    body: typeof whole === 'string' ? parseJson(whole) : whole,
  };
}

async function readStream(
  body: AsyncGenerator<string | Buffer>,
  mediaType: string,
): Promise<string | Buffer> {
  const parts: Buffer[] = [];
  for await (const part of body) parts.push(Buffer.from(part));
  const bytes = Buffer.concat(parts);
  return mediaType.includes('octet-stream') ? bytes : bytes.toString();
}

/** Parses JSON. Other text is returned unchanged; an empty text is undefined. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text || undefined;
  }
}
