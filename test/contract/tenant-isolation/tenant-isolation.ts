// Tests that a member and a reader of another project cannot access an administrator's resources
// through any operation.
import { expect } from 'chai';
import { inSpan, type Version } from '../../../src/kernel/microversion.ts';
import type { Route, Service } from '../../../src/kernel/model.ts';
import { onEachDatabase } from '../../support/cloud.ts';
import { someone, type Caller } from '../../support/people.ts';
import { rawClient, type Client, type Raw } from '../../support/raw.ts';
import { actionBodies } from '../samples/actions.ts';
import { fill, sampled, type Sample, type Samples } from '../samples/index.ts';

export interface OtherTenant {
  readonly who: string;
  readonly caller: Caller;
}

export interface Expectations {
  /**
   * The operations that any caller may use: they return or create only public resources or the
   * caller's own.
   */
  readonly open: readonly string[];
  /**
   * The operations that a member may use but a reader may not: they create the member's own
   * resources.
   */
  readonly forMembers?: readonly string[];
  /** Creates the callers that try; a member and a reader of another project by default. */
  readonly otherTenants?: (client: Client) => Promise<readonly OtherTenant[]>;
  /**
   * Text that must not appear in any reply to these callers; by default, that the administrator
   * owns something.
   */
  readonly secret?: RegExp;
}

const defaultTenants: readonly OtherTenant[] = [
  { who: 'a member', caller: someone('member,reader', 'other-user', 'other-project') },
  { who: 'a reader', caller: someone('reader', 'other-user', 'other-project') },
];

/**
 * Whether a reply is a refusal: not permitted, not found, or a reference to an unknown resource in
 * the body. Senlin returns 500 for a reference to a server that Nova does not find.
 */
const isRefusal = (status: number, text: string): boolean =>
  [400, 401, 403, 404, 410].includes(status) ||
  (status === 500 && text.includes('ProfileOperationFailed'));

/**
 * Declares the suite of a service: every operation that is not `open` refuses callers of other
 * projects, and no reply contains the secret.
 */
export function testTenantIsolation(
  name: string,
  {
    open,
    forMembers = [],
    otherTenants,
    secret = /"(project_id|tenant_id|owner|project|user_id)": ?"admin"/,
  }: Expectations,
): void {
  const { config, prepare } = sampled.find(({ service }) => service === name)!;
  onEachDatabase(`tenant isolation in ${name}`, config, (world) => {
    let client: Client;
    beforeEach(() => (client = rawClient(world.server)));
    afterEach(() => client.close());

    it('refuses every operation and action on another project’s resources', async () => {
      const service = world.cloud.services.find(({ definition }) => definition.name === name)!;
      const { samples } = await prepare(client);
      const all = (await otherTenants?.(client)) ?? defaultTenants;
      const used = new Set<string>();
      for (const attempt of requestsOf(service, samples)) {
        for (const { who, caller } of all) {
          const request = await attempt.request();
          const reply = await client.ask(name, attempt.method, request.url, {
            ...request,
            ...caller,
            headers: { ...request.headers, ...caller.headers },
          });
          const isAllowed =
            open.includes(attempt.id) ||
            (!who.endsWith('reader') && forMembers.includes(attempt.id));
          if (reply.status < 400) used.add(attempt.id);
          check(
            `${who}: ${attempt.id} (${attempt.method} ${request.url})`,
            reply,
            isAllowed,
            secret,
          );
        }
      }
      expect([...open, ...forMembers].filter((id) => !used.has(id))).to.deep.equal([]);
    });
  });
}

function check(what: string, { status, text }: Raw, isAllowed: boolean, secret: RegExp): void {
  if (!isAllowed) expect(isRefusal(status, text), `${what}: ${status} ${text}`).to.equal(true);
  expect(text, what).to.not.match(secret);
}

interface Request extends Sample {
  readonly url: string;
  readonly version: string;
}

interface Attempt {
  /** The operationId, followed by a space and the action if there is one. */
  readonly id: string;
  readonly method: string;
  readonly request: () => Promise<Request>;
}

/** All operations and actions of a service, each at its newest version. */
function requestsOf({ definition, contract }: Service, samples: Samples): Attempt[] {
  return definition.routes.flatMap((route) => {
    const at = definition.versions.list.findLast((one) =>
      inSpan(one, route.span, definition.versions),
    )!;
    const { id } = contract.operation(route.method, route.path, at);
    const plain: Attempt = {
      id,
      method: route.method,
      request: () => sampleAt(route, definition.prefix, samples[id]!, at),
    };
    const actions = Object.keys(route.actions ?? {}).map((action): Attempt => {
      const { body, version = at.name, params } = actionBodies[id]![action]!;
      const request = async (): Promise<Request> => {
        const { params: of } = await samples[params ?? id]!(version);
        return { url: definition.prefix + fill(route.path, of), version, body: { [action]: body } };
      };
      return { id: `${id} ${action}`, method: route.method, request };
    });
    return actions.length ? actions : [plain];
  });
}

async function sampleAt(
  route: Route,
  prefix: string,
  make: Samples[string],
  version: Version,
): Promise<Request> {
  const { params, query: given, ...sample } = await make(version.name);
  // Remove filters, so that lists are complete.
  const query = given
    ?.replaceAll(/(^|&)(fields|limit|name|resource_name|user\.id)=[^&]*/g, '')
    .replace(/^&/, '');
  return {
    ...sample,
    url: `${prefix}${fill(route.path, params)}${query ? `?${query}` : ''}`,
    version: version.name,
  };
}
