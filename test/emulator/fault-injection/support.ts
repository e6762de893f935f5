// Adds, reads and removes fault rules through the API, and sends requests for them to match.
import { expect } from 'chai';
import type { FaultPlan } from '../../../src/emulator/fault-injection/model.ts';
import type { Asked, World } from '../../support/cloud.ts';

/** A rule in the API's replies. */
export interface Shown extends FaultPlan {
  readonly id: number;
  readonly matched: number;
  readonly hit: number;
  readonly spent: boolean;
  readonly created_at: string;
}

export type Plan = Omit<FaultPlan, 'match'> & Partial<FaultPlan>;

export const faultsOf = (world: World) => ({
  ask: (body: unknown) => world.ask('emulator', 'POST', '/_emulator/faults', { token: null, body }),
  add: async (plan: Plan): Promise<Shown> => {
    const { body } = await world
      .ask('emulator', 'POST', '/_emulator/faults', { token: null, body: plan })
      .expect(201);
    return (body as { fault: Shown }).fault;
  },
  list: async (): Promise<Shown[]> =>
    ((await world.http.get('/_emulator/faults').expect(200)).body as { faults: Shown[] }).faults,
  /** `matched/hit` of each rule, the oldest first. */
  counts: async (): Promise<string[]> =>
    (await faultsOf(world).list()).map(({ matched, hit }) => `${matched}/${hit}`),
  show: async (id: number): Promise<Shown> =>
    ((await world.http.get(`/_emulator/faults/${id}`).expect(200)).body as { fault: Shown }).fault,
  clear: () => world.http.delete('/_emulator/faults').expect(204),
});

/** The usual effect of the tests' rules. */
export const busy = { status: 503 } as const;

/** Requests to Placement, for rules to match. */
export const providersOf = (world: World) => ({
  /** The status of a list of providers; 0 if the connection is closed without a reply. */
  list: (asked?: Asked, prefix = ''): Promise<number> =>
    statusOf(world.ask('placement', 'GET', `${prefix}/placement/resource_providers`, asked)),
  create: (name: string): Promise<number> =>
    statusOf(world.ask('placement', 'POST', '/placement/resource_providers', { body: { name } })),
  names: async (): Promise<string[]> => {
    const { body } = await world
      .ask('placement', 'GET', '/placement/resource_providers', { version: '1.39' })
      .expect(200);
    const { resource_providers: providers } = body as { resource_providers: { name: string }[] };
    return providers.map(({ name }) => name);
  },
});

/** The status of a reply; 0 if the connection is closed without one. */
export const statusOf = async (request: PromiseLike<{ status: number }>): Promise<number> => {
  try {
    return (await request).status;
  } catch (error) {
    expect((error as { code?: string }).code).to.equal('ECONNRESET');
    return 0;
  }
};
