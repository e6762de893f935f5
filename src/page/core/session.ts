// How the page signs in to the services: with the account that /_emulator names.
import { emulator, json, RequestError, send, sendAny, type Sent } from './http.ts';
import type { FilledRequest } from '../../stories/play.ts';
import { Store } from './store.ts';

interface Environment {
  readonly environment: Readonly<Record<string, string>>;
  readonly missing: string | null;
}

/** Why the page cannot sign in; undefined if it can. */
export const signInProblem = new Store<string | undefined>(undefined);

const token = new Store<Promise<string> | undefined>(undefined);

async function signIn(): Promise<string> {
  const { environment, missing } = await emulator<Environment>('/environment');
  if (environment['OS_TOKEN'] !== undefined) return environment['OS_TOKEN'];
  signInProblem.set(missing ?? undefined);
  if (missing !== null) throw new RequestError(401, missing);
  const domain = { name: environment['OS_USER_DOMAIN_NAME'] };
  const response = await send('/identity/v3/auth/tokens', {
    method: 'POST',
    body: {
      auth: {
        identity: {
          methods: ['password'],
          password: {
            user: {
              name: environment['OS_USERNAME'],
              password: environment['OS_PASSWORD'],
              domain,
            },
          },
        },
        scope: { project: { name: environment['OS_PROJECT_NAME'], domain } },
      },
    },
  });
  return response.headers.get('x-subject-token') ?? '';
}

/** The token of the page's requests. Requests at the same time share a sign-in. */
function currentToken(): Promise<string> {
  const current = token.get() ?? signIn();
  token.set(current);
  current.catch(() => token.get() === current && token.set(undefined));
  return current;
}

/** Forgets the token: after a reset, a restore or a move of the clock it may be invalid. */
export const forgetToken = (): void => token.set(undefined);

/** A request to a service of the cloud. */
export interface ServiceSent extends Sent {
  /** The microversion, such as `compute 2.90`. */
  readonly version?: string;
}

/**
 * Sends a request to a service as an administrator, and signs in again if the token is no longer
 * valid. @throws RequestError
 */
export async function service<T>(path: string, sent: ServiceSent = {}): Promise<T> {
  const { version, headers = {}, ...rest } = sent;
  const attempt = async (): Promise<T> =>
    json<T>(path, {
      ...rest,
      headers: {
        ...headers,
        ...(version === undefined ? {} : { 'openstack-api-version': version }),
        'x-auth-token': await currentToken(),
      },
    });
  try {
    return await attempt();
  } catch (error) {
    if (!(error instanceof RequestError) || error.status !== 401) throw error;
    forgetToken();
    return attempt();
  }
}

/** Sends a request of a story, as an administrator's client would. */
export async function sendAsClient({ method, path, body, version }: FilledRequest) {
  const attempt = async (): Promise<Response> =>
    sendAny(path, {
      method,
      body,
      isOfClient: true,
      headers: {
        ...(version === undefined ? {} : { 'openstack-api-version': version }),
        'x-auth-token': await currentToken(),
      },
    });
  let response = await attempt();
  if (response.status === 401) {
    forgetToken();
    response = await attempt();
  }
  const text = await response.text();
  return { status: response.status, body: text ? (JSON.parse(text) as unknown) : undefined };
}

/** The reply to a request that the user has written. */
export interface Tried {
  readonly status: number;
  /** Its body, indented if it is JSON. */
  readonly text: string;
}

/**
 * Sends a request that the user has written, as an administrator.
 * @param version the microversion, such as `compute 2.90`; undefined for the emulator's own API
 */
export async function sendTried(
  method: string,
  path: string,
  body: unknown,
  version: string | undefined,
): Promise<Tried> {
  const headers =
    version === undefined
      ? {}
      : { 'openstack-api-version': version, 'x-auth-token': await currentToken() };
  const response = await sendAny(path, { method, body, headers });
  const text = await response.text();
  try {
    return { status: response.status, text: JSON.stringify(JSON.parse(text), undefined, 2) };
  } catch {
    return { status: response.status, text };
  }
}
