// Strangers: a member and a reader of another project ask every operation for what an
// administrator's project has.
import { expect } from 'chai';
import { inSpan, type Version } from '../../../src/kernel/microversion.ts';
import type { Route, Service } from '../../../src/kernel/model.ts';
import { onEachDatabase } from '../../support/cloud.ts';
import { someone, type Caller } from '../../support/people.ts';
import { rawClient, type Client, type Raw } from '../../support/raw.ts';
import { actionBodies } from '../samples/actions.ts';
import { fill, sampled, type Sample, type Samples } from '../samples/index.ts';

export interface Stranger {
  readonly who: string;
  readonly caller: Caller;
}

export interface Strangers {
  /**
   * The operations that answer any caller: what they show or make is everybody's or the caller's
   * own.
   */
  readonly open: readonly string[];
  /** Those that answer a member, and not a reader: they make what is the member's. */
  readonly ofMembers?: readonly string[];
  /** Who tries; a member and a reader of another project, where nothing is said. */
  readonly strangers?: (client: Client) => Promise<readonly Stranger[]>;
  /**
   * What a reply to a stranger never has: that something is the administrator's, where nothing is
   * said.
   */
  readonly secret?: RegExp;
}

const elsewhere: readonly Stranger[] = [
  { who: 'a member', caller: someone('member,reader', 'stranger', 'elsewhere') },
  { who: 'a reader', caller: someone('reader', 'stranger', 'elsewhere') },
];

/**
 * Refused: no right, no such thing, or a reference to no such thing in the body (which Senlin tells
 * as 500 where Nova has no such server).
 */
const isRefusal = (status: number, text: string): boolean =>
  [400, 401, 403, 404, 410].includes(status) ||
  (status === 500 && text.includes('ProfileOperationFailed'));

/**
 * Declares the suite of a service: whatever operation is not `open` refuses strangers, and nobody
 * is shown the secret.
 */
export function triesStrangers(
  name: string,
  {
    open,
    ofMembers = [],
    strangers,
    secret = /"(project_id|tenant_id|owner|project|user_id)": ?"admin"/,
  }: Strangers,
): void {
  const { config, prepare } = sampled.find(({ service }) => service === name)!;
  onEachDatabase(`strangers at ${name}`, config, (world) => {
    let client: Client;
    beforeEach(() => (client = rawClient(world.server)));
    afterEach(() => client.close());

    it('are refused what is another project’s, at every operation and action', async () => {
      const service = world.cloud.services.find(({ definition }) => definition.name === name)!;
      const { samples } = await prepare(client);
      const all = (await strangers?.(client)) ?? elsewhere;
      const used = new Set<string>();
      for (const asked of requestsOf(service, samples)) {
        for (const { who, caller } of all) {
          const request = await asked.request();
          const reply = await client.ask(name, asked.method, request.url, {
            ...request,
            ...caller,
            headers: { ...request.headers, ...caller.headers },
          });
          const mayAsk =
            open.includes(asked.id) || (!who.endsWith('reader') && ofMembers.includes(asked.id));
          if (reply.status < 400) used.add(asked.id);
          check(`${who}: ${asked.id} (${asked.method} ${request.url})`, reply, mayAsk, secret);
        }
      }
      expect([...open, ...ofMembers].filter((id) => !used.has(id))).to.deep.equal([]);
    });
  });
}

function check(what: string, { status, text }: Raw, mayAsk: boolean, secret: RegExp): void {
  if (!mayAsk) expect(isRefusal(status, text), `${what}: ${status} ${text}`).to.equal(true);
  expect(text, what).to.not.match(secret);
}

interface Request extends Sample {
  readonly url: string;
  readonly version: string;
}

interface Tried {
  /** The operationId, and the action behind a blank. */
  readonly id: string;
  readonly method: string;
  readonly request: () => Promise<Request>;
}

/** All operations of a service at their newest version, and all actions. */
function requestsOf({ definition, contract }: Service, samples: Samples): Tried[] {
  return definition.routes.flatMap((route) => {
    const at = definition.versions.list.findLast((one) =>
      inSpan(one, route.span, definition.versions),
    )!;
    const { id } = contract.operation(route.method, route.path, at);
    const plain: Tried = {
      id,
      method: route.method,
      request: () => sampleAt(route, definition.prefix, samples[id]!, at),
    };
    const actions = Object.keys(route.actions ?? {}).map((action): Tried => {
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
  // Lists are shown whole.
  const query = given
    ?.replaceAll(/(^|&)(fields|limit|name|resource_name|user\.id)=[^&]*/g, '')
    .replace(/^&/, '');
  return {
    ...sample,
    url: `${prefix}${fill(route.path, params)}${query ? `?${query}` : ''}`,
    version: version.name,
  };
}
