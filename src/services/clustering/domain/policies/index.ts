// The types of policies, by `<name>-<version>`.
import type { Context } from '../../../../kernel/model.ts';
import type { Json, Policy, Spec } from '../../model.ts';
import { notFoundHere, schemaError } from '../refusals.ts';
import { resolve, SpecError } from '../specs/schema.ts';
import { affinity } from './affinity.ts';
import { batch } from './batch.ts';
import { deletion } from './deletion.ts';
import { health } from './health.ts';
import { loadBalance } from './load-balance.ts';
import { regionPlacement } from './region-placement.ts';
import { scaling } from './scaling.ts';
import type { PolicyType } from './types.ts';
import { zonePlacement } from './zone-placement.ts';

export const policyTypes: Readonly<Record<string, PolicyType>> = Object.fromEntries(
  [
    affinity,
    batch,
    ...deletion,
    ...health,
    ...loadBalance,
    regionPlacement,
    scaling,
    zonePlacement,
  ].map((type) => [`${type.name}-${type.version}`, type]),
);

/** @throws 404 */
export function policyTypeFor(name: string): PolicyType {
  if (!Object.hasOwn(policyTypes, name)) throw notFoundHere('policy_type', name);
  return policyTypes[name]!;
}

export const typeOfPolicy = ({ type }: Pick<Policy, 'type'>): PolicyType => policyTypes[type]!;

/** The properties of a policy, with defaults. */
export const policyProperties = (policy: Pick<Policy, 'type' | 'spec'>): Json =>
  resolve(typeOfPolicy(policy).schema, policy.spec.properties);

/**
 * Validates a spec.
 * @param inCloud whether the resources that it names must exist
 * @throws 400, 404, and 500 if it violates the schema: upstream has no other status for that
 */
export async function checkPolicySpec(
  context: Context,
  spec: Spec,
  inCloud: boolean,
): Promise<void> {
  const type = policyTypeFor(`${spec.type}-${spec.version}`);
  try {
    const properties = resolve(type.schema, spec.properties);
    await type.validate?.(context, properties);
    if (inCloud) await type.validateInCloud?.(context, properties);
  } catch (error) {
    if (error instanceof SpecError) throw schemaError(error.message);
    throw error;
  }
}
