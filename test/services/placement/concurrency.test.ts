// Many clients compete for the capacity of one provider, through two processes on one MySQL.
import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { onTwoProcesses } from '../../support/processes.ts';

const version = '1.39';

interface Answer {
  readonly status: number;
  readonly body: {
    errors?: { detail: string }[];
    usages?: Record<string, number>;
    allocations?: Record<string, { resources: Record<string, number> }>;
  };
}

async function send(origin: string, method: string, path: string, body?: object): Promise<Answer> {
  const headers = {
    'x-auth-token': 'admin',
    'openstack-api-version': `placement ${version}`,
    ...(body ? { 'content-type': 'application/json' } : {}),
  };
  const response = await fetch(`${origin}/placement${path}`, {
    method,
    headers,
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await response.text();
  return { status: response.status, body: (text ? JSON.parse(text) : {}) as Answer['body'] };
}

onTwoProcesses('Placement: allocations through two processes on one MySQL', [], (origins) => {
  for (const [capacity, amount] of [
    [10, 1],
    [60, 1],
    [50, 3],
  ] as const) {
    const expected = Math.floor(capacity / amount);
    it(`grants ${expected} of 64 allocations of ${amount} if the capacity is ${capacity} #placement-12`, async function () {
      const [first, second] = origins();
      const provider = randomUUID();
      await send(first, 'POST', '/resource_providers', { uuid: provider, name: provider });
      const inventories = { VCPU: { total: capacity }, MEMORY_MB: { total: 1_000_000 } };
      await send(first, 'PUT', `/resource_providers/${provider}/inventories`, {
        resource_provider_generation: 0,
        inventories,
      });
      const claims = Array.from({ length: 64 }, (_, index) =>
        send(index % 2 ? first : second, 'PUT', `/allocations/${randomUUID()}`, {
          allocations: { [provider]: { resources: { VCPU: amount, MEMORY_MB: 128 } } },
          project_id: 'p',
          user_id: 'u',
          consumer_generation: null,
          consumer_type: 'INSTANCE',
        }),
      );
      const answers = await Promise.all(claims);
      const granted = answers.filter(({ status }) => status === 204).length;
      const refused = answers.filter(({ status }) => status !== 204);
      expect(new Set(refused.map(({ status }) => status))).to.deep.equal(new Set([409]));
      for (const { body } of refused)
        expect(body.errors![0]!.detail).to.contain('would exceed the capacity');
      expect(granted).to.equal(expected);
      const usages = (await send(second, 'GET', `/resource_providers/${provider}/usages`)).body
        .usages!;
      const allocations = Object.values(
        (await send(first, 'GET', `/resource_providers/${provider}/allocations`)).body.allocations!,
      );
      const sum = (name: string): number =>
        allocations.reduce((total, { resources }) => total + resources[name]!, 0);
      expect(usages).to.deep.equal({ VCPU: sum('VCPU'), MEMORY_MB: sum('MEMORY_MB') });
      expect(usages).to.deep.equal({ VCPU: granted * amount, MEMORY_MB: granted * 128 });
    });
  }
});
