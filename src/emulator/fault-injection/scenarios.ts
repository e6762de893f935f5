// Failure scenarios: named lists of fault rules for what clients meet in production.
import { notFound } from '../../kernel/errors.ts';
import type { FaultEffect, FaultMatch, FaultPlan } from './model.ts';

export interface FaultScenario {
  readonly name: string;
  /** What happens to clients, in one sentence. */
  readonly description: string;
  readonly rules: readonly FaultPlan[];
}

const rule = (
  match: FaultMatch,
  effect: FaultEffect,
  more: Omit<FaultPlan, 'match' | 'effect'> = {},
): FaultPlan => ({ match, effect, ...more });

const scenario = (name: string, description: string, ...rules: FaultPlan[]): FaultScenario => ({
  name,
  description,
  rules,
});

const down: FaultEffect = { status: 503 };
const noHost: FaultEffect = { status: 400, message: 'No valid host was found.' };
const busy: FaultEffect = {
  status: 409,
  message: 'Cannot act on the instance while it is in task_state rebooting',
};
const expired: FaultEffect = { status: 401, message: 'The request you have made requires auth.' };

/** All scenarios, sorted by name. */
export const faultScenarios: readonly FaultScenario[] = [
  scenario(
    'cinder-down',
    'Block storage returns 503 to everything, until the rule is removed.',
    rule({ service: 'volume' }, down),
  ),
  scenario(
    'flaky-network',
    'One connection in ten closes without a reply, half of them after the request was done.',
    rule({}, { drop: true }, { probability: 0.05, seed: 'flaky-network-before' }),
    rule({}, { drop: true, when: 'after' }, { probability: 0.05, seed: 'flaky-network-after' }),
  ),
  scenario(
    'gateway-timeouts',
    'One write in five returns 504 although it was done, as behind an impatient load balancer.',
    ...(['POST', 'PUT', 'DELETE'] as const).map((method) =>
      rule(
        { method },
        { status: 504, when: 'after' },
        { probability: 0.2, seed: `gateway-timeouts-${method}` },
      ),
    ),
  ),
  scenario(
    'glance-down',
    'Image returns 503 to everything, until the rule is removed.',
    rule({ service: 'image' }, down),
  ),
  scenario(
    'image-upload-breaks',
    'The next two uploads of image data lose their connection; the third succeeds.',
    rule({ service: 'image', operation: 'image_data:create' }, { drop: true }, { count: 2 }),
  ),
  scenario(
    'ip-addresses-exhausted',
    'Ports and floating IPs are refused with 409, because no address is left.',
    rule(
      { service: 'network', operation: 'ports:create' },
      { status: 409, message: 'No more IP addresses available on network.' },
    ),
    rule(
      { service: 'network', operation: 'floatingips:create' },
      { status: 409, message: 'No more IP addresses available on the external network.' },
    ),
  ),
  scenario(
    'keystone-down',
    'Nobody gets a token: requests for one return 503. Tokens that were issued remain valid.',
    rule({ service: 'identity', operation: 'auth_tokens:create' }, down),
  ),
  scenario(
    'keystone-slow',
    'Each request for a token takes three seconds longer.',
    rule({ service: 'identity', operation: 'auth_tokens:create' }, { delay_ms: 3000 }),
  ),
  scenario(
    'leases-refused',
    'Leases are refused with 409, because too few hosts are free.',
    rule(
      { service: 'reservation', operation: 'leases:create' },
      { status: 409, message: 'Not enough resources available for the lease.' },
    ),
  ),
  scenario(
    'lost-answer',
    'The next server is created, but the connection closes before the reply.',
    rule(
      { service: 'compute', operation: 'servers:create' },
      { drop: true, when: 'after' },
      { count: 1 },
    ),
  ),
  scenario(
    'neutron-down',
    'Network returns 503 to everything, until the rule is removed.',
    rule({ service: 'network' }, down),
  ),
  scenario(
    'no-valid-host',
    'Resizes, migrations and evacuations are refused with 400, because no host has room.',
    ...['resize', 'migrate', 'os-migrateLive', 'evacuate'].map((operation) =>
      rule({ service: 'compute', operation }, noHost),
    ),
  ),
  scenario(
    'nova-down',
    'Compute returns 503 to everything, until the rule is removed.',
    rule({ service: 'compute' }, down),
  ),
  scenario(
    'paging-breaks',
    'The second page of the next list of servers returns 500.',
    rule(
      { service: 'compute', operation: 'servers:detail' },
      { status: 500 },
      { skip: 1, count: 1 },
    ),
  ),
  scenario(
    'placement-conflicts',
    'The next two claims of a consumer return 409 with the code placement.concurrent_update.',
    rule(
      { service: 'placement', operation: 'allocations:update' },
      {
        status: 409,
        code: 'placement.concurrent_update',
        message: 'Inventory and/or allocations changed while attempting to allocate.',
      },
      { count: 2 },
    ),
  ),
  scenario(
    'quota-exhausted',
    'New servers, volumes, ports and networks exceed quotas, in the words of each service.',
    rule(
      { service: 'compute', operation: 'servers:create' },
      {
        status: 403,
        message: 'Quota exceeded for instances: Requested 1, but already used 10 of 10 instances',
      },
    ),
    rule(
      { service: 'volume', operation: 'volumes:create' },
      {
        status: 413,
        message:
          "VolumeLimitExceeded: Maximum number of volumes allowed (10) exceeded for quota 'volumes'.",
        headers: { 'retry-after': '0' },
      },
    ),
    ...['ports', 'networks'].map((kind) =>
      rule(
        { service: 'network', operation: `${kind}:create` },
        { status: 409, message: `Quota exceeded for resources: ['${kind.slice(0, -1)}'].` },
      ),
    ),
  ),
  scenario(
    'rate-limited',
    'One request in four returns 429 with Retry-After: 1.',
    rule(
      {},
      { status: 429, headers: { 'retry-after': '1' } },
      { probability: 0.25, seed: 'rate-limited' },
    ),
  ),
  scenario(
    'server-busy',
    'The next three starts, stops and reboots of servers return 409.',
    ...['os-start', 'os-stop', 'reboot'].map((operation) =>
      rule({ service: 'compute', operation }, busy, { count: 3 }),
    ),
  ),
  scenario(
    'server-create-fails-once',
    'The next server is refused with 500; the one after it is created.',
    rule({ service: 'compute', operation: 'servers:create' }, { status: 500 }, { count: 1 }),
  ),
  scenario(
    'slow-image-upload',
    'Each upload of image data takes ten seconds longer.',
    rule({ service: 'image', operation: 'image_data:create' }, { delay_ms: 10_000 }),
  ),
  scenario(
    'slow-network',
    'Every reply comes 300 milliseconds later.',
    rule({}, { delay_ms: 300 }),
  ),
  scenario(
    'token-expires-mid-run',
    'After five requests, each service refuses the token of the next one with 401, once.',
    ...['compute', 'network', 'volume', 'image', 'placement'].map((service) =>
      rule({ service }, expired, { skip: 5, count: 1 }),
    ),
  ),
  scenario(
    'volume-attach-conflicts',
    'The next two attachments of volumes return 409.',
    rule(
      { service: 'compute', operation: 'server_volumes:create' },
      { status: 409, message: 'Cannot attach the volume while the instance is busy' },
      { count: 2 },
    ),
  ),
];

/** The scenario of a name. @throws 404 with the names of all scenarios */
export function scenarioNamed(name: string): FaultScenario {
  const found = faultScenarios.find((one) => one.name === name);
  if (found) return found;
  const names = faultScenarios.map((one) => one.name).join(', ');
  throw notFound(`There is no scenario '${name}'. Scenarios: ${names}.`);
}
