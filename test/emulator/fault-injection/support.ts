// Fault rules in tests: added, read and taken away through the API.
import type { FaultPlan } from '../../../src/emulator/fault-injection/store.ts';
import type { World } from '../../support/cloud.ts';

/** A rule as the API shows it. */
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
  /** How often the rules have matched and hit, the oldest first. */
  counts: async (): Promise<string[]> =>
    (await faultsOf(world).list()).map(({ matched, hit }) => `${matched}/${hit}`),
  show: async (id: number): Promise<Shown> =>
    ((await world.http.get(`/_emulator/faults/${id}`).expect(200)).body as { fault: Shown }).fault,
  clear: () => world.http.delete('/_emulator/faults').expect(204),
});
