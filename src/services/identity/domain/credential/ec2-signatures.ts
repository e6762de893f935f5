// Signatures of AWS requests, versions 0 to 2 and 4, as in keystoneclient/contrib/ec2/utils.py. The
// package aws4 is not suitable: it signs its own request with its own date, headers and escaping,
// and here the client has chosen them.
import { createHash, createHmac } from 'node:crypto';
import { percentEncoded } from '../percent-encoding.ts';

/** A signed request, as described by the service that received it. */
export interface SignedRequest {
  readonly verb: string;
  readonly host: string;
  readonly path: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly bodyHash: string;
}

/**
 * Signs a request with the secret, in the version that the request names. Returns undefined if it
 * names none.
 */
export function signatureOf(request: SignedRequest, secret: string): string | undefined {
  const { params } = request;
  switch (params['SignatureVersion']) {
    case '0':
      return hmac('sha1', secret, `${text(params['Action'])}${text(params['Timestamp'])}`).toString(
        'base64',
      );
    case '1':
      return hmac('sha1', secret, plainQuery(params)).toString('base64');
    case '2':
      return version2(request, secret);
    default:
      return isVersion4(request) ? version4(request, secret) : undefined;
  }
}

type Params = SignedRequest['params'];

const text = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value ?? '');

const hmac = (algorithm: string, key: string | Buffer, message: string): Buffer =>
  createHmac(algorithm, key).update(message).digest();

const plainQuery = (params: Params): string =>
  Object.keys(params)
    .toSorted((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1))
    .map((key) => key + text(params[key]))
    .join('');

const canonicalQuery = (params: Params): string =>
  Object.keys(params)
    .toSorted()
    .map((key) => `${percentEncoded(key)}=${percentEncoded(text(params[key]))}`)
    .join('&');

function version2({ verb, host, path, params }: SignedRequest, secret: string): string {
  const query = canonicalQuery({ ...params, SignatureMethod: 'HmacSHA256' });
  return hmac('sha256', secret, `${verb}\n${host}\n${path}\n${query}`).toString('base64');
}

const scheme = 'AWS4-HMAC-SHA256';

const isVersion4 = ({ headers, params }: SignedRequest): boolean =>
  headers['Authorization']?.startsWith(scheme) === true || params['X-Amz-Algorithm'] === scheme;

function version4(request: SignedRequest, secret: string): string | undefined {
  const { verb, path, params, headers, bodyHash } = request;
  const [, day = '', region = '', service = '', ...rest] = authParam(request, 'Credential').split(
    '/',
  );
  const date = headers['X-Amz-Date'] ?? text(params['X-Amz-Date']);
  if (!day || !date.startsWith(day)) return undefined;
  const query = verb.toUpperCase() === 'POST' ? '' : canonicalQuery(params);
  const signed = authParam(request, 'SignedHeaders');
  const canonical = [
    verb.toUpperCase(),
    path,
    query,
    canonicalHeaders(headers, signed),
    signed,
    bodyHash,
  ].join('\n');
  const scope = [day, region, service, ...rest].join('/');
  const message = [scheme, date, scope, createHash('sha256').update(canonical).digest('hex')].join(
    '\n',
  );
  const key = [day, region, service, 'aws4_request'].reduce<string | Buffer>(
    (above, part) => hmac('sha256', above, part),
    `AWS4${secret}`,
  );
  return hmac('sha256', key, message).toString('hex');
}

/** A parameter of the Authorization header, or else of the query. */
function authParam({ headers, params }: SignedRequest, name: string): string {
  const header = headers['Authorization'];
  if (header === undefined) return text(params[`X-Amz-${name}`]);
  return header.split(`${name}=`).slice(1).join(`${name}=`).split(',')[0]!;
}

/** The signed headers. Some versions of Boto sign the host without its port. */
function canonicalHeaders(headers: SignedRequest['headers'], signed: string): string {
  const lower = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase().trim(), value.trim()]),
  );
  const stripsPort = /^Boto\/2\.[0-9]\.[0-2]/.test(lower['user-agent'] ?? '');
  const lines = signed
    .split(';')
    .filter((name) => lower[name] !== undefined)
    .map(
      (name) =>
        `${name}:${name === 'host' && stripsPort ? lower[name]!.split(':')[0] : lower[name]}`,
    );
  return `${lines.join('\n')}\n`;
}
