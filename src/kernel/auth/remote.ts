// Validates tokens with the Keystone of another cloud, so that this cloud can be one of its pods.
// Upstream: keystonemiddleware's auth_token.
import { parseTime, ticks } from '../clock.ts';
import { unavailable } from '../errors.ts';
import { sendRequest } from '../http-client.ts';
import { callerOf, type Authenticate, type Caller } from './caller.ts';

/**
 * How long a valid token is cached, in milliseconds. A revocation takes effect after this time at
 * the latest.
 */
const cacheTime = 5_000;

/** The number of tokens in the cache. */
const cacheSize = 1000;

/** How long Keystone may take to reply, in milliseconds. */
const timeout = 10_000;

interface Reference {
  readonly id: string;
  readonly name?: string;
}

/** The fields of Keystone's token that services need. */
interface TokenBody {
  readonly user: Reference & { readonly domain?: Reference };
  readonly project?: Reference & { readonly domain?: Reference };
  readonly domain?: Reference;
  readonly system?: { readonly all?: boolean };
  readonly roles?: readonly Reference[];
  readonly expires_at: string;
  readonly application_credential?: { readonly access_rules?: readonly unknown[] };
}

/**
 * Returns a function that finds the caller of a token at a Keystone. `url` is its base, such as
 * `http://127.0.0.1:6060/identity/v3`.
 */
export function remoteAuthenticator(url: string): Authenticate {
  const cache = new Map<string, { readonly caller: Caller; readonly validatedAt: number }>();
  return async (token, now) => {
    const cached = cache.get(token);
    if (cached && ticks() - cached.validatedAt < cacheTime)
      return now < cached.caller.expiresAt ? cached.caller : undefined;
    cache.delete(token);
    const body = await validate(url, token);
    const caller = body && callerFrom(token, body);
    if (!caller || now >= caller.expiresAt) return undefined;
    cache.set(token, { caller, validatedAt: ticks() });
    if (cache.size > cacheSize) cache.delete(cache.keys().next().value!);
    return caller;
  };
}

/**
 * Gets the token with the token itself, which Keystone always allows.
 * @throws 503 if Keystone does not reply
 */
async function validate(url: string, token: string): Promise<TokenBody | undefined> {
  const headers = { 'x-auth-token': token, 'x-subject-token': token, accept: 'application/json' };
  const down = () => unavailable(`The Keystone at ${url} does not answer. Please try again later.`);
  const reply = await sendRequest(`${url}/auth/tokens?nocatalog`, { headers, timeout }).catch(
    () => {
      throw down();
    },
  );
  if (reply.status >= 500) throw down();
  if (!reply.isOk) return undefined;
  return (JSON.parse(reply.body.toString()) as { token: TokenBody }).token;
}

/**
 * The caller of a token; undefined for a token with access rules, which name the paths of the cloud
 * that issued it.
 */
function callerFrom(token: string, body: TokenBody): Caller | undefined {
  if (body.application_credential?.access_rules?.length) return undefined;
  const { user, project, domain, system, roles = [] } = body;
  return callerOf({
    token,
    userId: user.id,
    ...(user.name === undefined ? {} : { userName: user.name }),
    ...(user.domain ? { userDomainId: user.domain.id } : {}),
    ...(project
      ? {
          projectId: project.id,
          projectName: project.name ?? '',
          projectDomainId: project.domain?.id ?? '',
        }
      : {}),
    ...(domain ? { domainId: domain.id } : {}),
    ...(system?.all ? { systemScope: 'all' as const } : {}),
    roles: roles.flatMap(({ name }) => name ?? []),
    expiresAt: parseTime(body.expires_at) ?? 0,
  });
}
