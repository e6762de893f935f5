// Calls services outside of this cloud that its catalog lists, such as a real Nova beside the
// cloud's Neutron and Cinder. Like keystoneauth's session, it finds the endpoint and signs in.
import { isLoopback } from '../../kernel/http/loopback.ts';
import { NoReply, sendRequest, type IncomingReply } from '../../kernel/http-client.ts';
import { DeliveryFailure } from '../../kernel/jobs/outbox-sender.ts';
import type { Context } from '../../kernel/model.ts';
import type { Config } from '../../kernel/settings.ts';
import { writeInCentral } from '../../kernel/context.ts';
import { issueToken } from './domain/auth/sign-in.ts';
import { ensureServiceUser } from './domain/identity/service-users.ts';
import { defaultDomainId } from './domain/seeded-ids.ts';
import * as userStore from './store/identity/users.ts';
import * as projectStore from './store/resource/projects.ts';
import type { PublicEndpoint } from './model.ts';
import { allPublicEndpoints } from './public-endpoints.ts';

/** The timeout of a request, in milliseconds. */
const timeout = 5_000;

/**
 * Finds a service of the context's region that is outside of this cloud: the first endpoint of its
 * type decides. Every write to a server's port asks.
 * @returns undefined if this cloud itself offers the service, or nobody does
 */
export async function remoteEndpoint(
  context: Context,
  type: string,
): Promise<PublicEndpoint | undefined> {
  const { cloud, region } = context;
  const endpoints = await allPublicEndpoints(context);
  const first = endpoints.find((one) => one.regionId === region.name && one.type === type);
  return !first || first.isHere || isOwn(cloud.config, first.url) ? undefined : first;
}

/** Whether an absolute URL names this process. */
function isOwn({ host, port }: Config, url: string): boolean {
  if (!URL.canParse(url)) return true; // nothing can be sent there
  const parsed = new URL(url);
  return parsed.port === String(port) && (parsed.hostname === host || isLoopback(parsed.hostname));
}

/**
 * Issues a token for the user of a service, on the project `service`, for requests to other clouds
 * over HTTP.
 * @throws 401 if that project does not exist
 */
export const serviceToken = (context: Context, name: string): Promise<string> =>
  writeInCentral(context, async (central) => {
    const id = await ensureServiceUser(central.db, name);
    const user = (await userStore.findUser(central.db, id))!;
    const project = await projectStore.findProjectByName(central.db, 'service', defaultDomainId);
    const token = await issueToken(
      central,
      { user, methods: ['password'] },
      { kind: 'project', id: project?.id ?? '' },
    );
    return token.id;
  });

export interface RemoteRequest {
  /** The type of the service in the catalog. */
  readonly type: string;
  /** The name of the service whose user sends the request, such as `neutron`. */
  readonly user: string;
  readonly method: string;
  /** The path below the URL in the catalog. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/**
 * Sends a request to a service outside of this cloud, with a token of a service's own user.
 * @returns the reply; undefined if the catalog no longer lists the service
 * @throws DeliveryFailure if the service does not answer, fails, or rejects the token
 */
export async function requestRemote(
  context: Context,
  { type, user, method, path, headers, body }: RemoteRequest,
): Promise<IncomingReply | undefined> {
  const endpoint = await remoteEndpoint(context, type);
  if (!endpoint) return undefined;
  const token =
    context.cloud.config.auth === 'noauth2' ? 'admin' : await serviceToken(context, user);
  const base = endpoint.url.replace(/\/[$%]\((?:tenant|project)_id\)s$/, '').replace(/\/$/, '');
  try {
    const reply = await sendRequest(`${base}${path}`, {
      method,
      headers: {
        ...headers,
        'x-auth-token': token,
        'x-openstack-request-id': context.requestId,
        'content-type': 'application/json',
        accept: 'application/json',
      },
      body: JSON.stringify(body),
      timeout,
    });
    if (reply.status < 500 && reply.status !== 401) return reply;
    throw new DeliveryFailure(`${base}${path} answered with ${reply.status}.`);
  } catch (error) {
    if (!(error instanceof NoReply)) throw error;
    throw new DeliveryFailure(error.message, { cause: error });
  }
}
