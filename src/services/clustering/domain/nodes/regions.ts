// The regions in which the nodes of a cluster may stand, beside its own.
import type { Region, Context } from '../../../../kernel/model.ts';
import type { Json } from '../../model.ts';

/** The region that a profile names; a policy that plans regions leaves its nodes alone. */
export const regionOfProfile = (properties: Json): string | undefined =>
  ((properties['context'] as Json | null)?.['region_name'] as string | null | undefined) ??
  undefined;

/** A region whose services can be asked: Tricircle's has none of its own. */
export function regionNamed({ cloud }: Context, name: string): Region | undefined {
  const region = cloud.regions.get(name);
  return region?.isCentral ? undefined : region;
}

/** The words for a region that is not there, as Keystone's client has them. */
export const withoutRegion = (name: string): string =>
  `public endpoint for compute service in ${name} region not found`;
