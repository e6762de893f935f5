// Tokens of another cloud's Keystone, so that this cloud can be one of its pods. Upstream:
// keystonemiddleware's auth_token.
import { parseTime, ticks } from '../clock.ts';
import { unavailable } from '../errors.ts';
import { callerOf, type Authenticate, type Caller } from './caller.ts';

/**
 * How long a token that was valid counts as valid without asking again, in milliseconds: a
 * revocation takes effect after it.
 */
const bound = 5_000;

/** How many tokens are remembered. */
const most = 1000;

/** How long Keystone may take, in milliseconds. */
const patience = 10_000;

interface Named {
  readonly id: string;
  readonly name?: string;
}

/** What Keystone says of a token, as far as services need it. */
interface TokenBody {
  readonly user: Named & { readonly domain?: Named };
  readonly project?: Named & { readonly domain?: Named };
  readonly domain?: Named;
  readonly system?: { readonly all?: boolean };
  readonly roles?: readonly Named[];
  readonly expires_at: string;
  readonly application_credential?: { readonly access_rules?: readonly unknown[] };
}

/**
 * The function that asks the Keystone at `url`, such as `http://127.0.0.1:6060/identity/v3`, for
 * the caller of a token.
 */
export function remoteAuthenticator(url: string): Authenticate {
  const known = new Map<string, { readonly caller: Caller; readonly askedAt: number }>();
  return async (token, now) => {
    const found = known.get(token);
    if (found && ticks() - found.askedAt < bound)
      return now < found.caller.expiresAt ? found.caller : undefined;
    known.delete(token);
    const body = await ask(url, token);
    const caller = body && callerFrom(token, body);
    if (!caller || now >= caller.expiresAt) return undefined;
    known.set(token, { caller, askedAt: ticks() });
    if (known.size > most) known.delete(known.keys().next().value!);
    return caller;
  };
}

/** A token may always ask about itself. @throws 503 where Keystone does not answer */
async function ask(url: string, token: string): Promise<TokenBody | undefined> {
  const headers = { 'x-auth-token': token, 'x-subject-token': token, accept: 'application/json' };
  const down = () => unavailable(`The Keystone at ${url} does not answer. Please try again later.`);
  const request = { headers, signal: AbortSignal.timeout(patience) };
  const response = await fetch(`${url}/auth/tokens?nocatalog`, request).catch(() => {
    throw down();
  });
  if (response.status >= 500) throw down();
  if (!response.ok) return undefined;
  return ((await response.json()) as { token: TokenBody }).token;
}

/**
 * The caller of a token. One with access rules is refused: they name the paths of the cloud that
 * made them.
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
