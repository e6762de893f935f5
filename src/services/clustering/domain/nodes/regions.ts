// The other regions that a cluster may have nodes in.
import type { Region, Context } from '../../../../kernel/model.ts';
import type { Json } from '../../model.ts';

/**
 * The region that a profile names. A policy that places nodes in regions leaves such nodes alone.
 */
export const regionOfProfile = (properties: Json): string | undefined =>
  ((properties['context'] as Json | null)?.['region_name'] as string | null | undefined) ??
  undefined;

/** Finds a region that has services; the central region of Tricircle has none. */
export function regionNamed({ cloud }: Context, name: string): Region | undefined {
  const region = cloud.regions.get(name);
  return region?.isCentral ? undefined : region;
}

/** The message for an unknown region, as in Keystone's client. */
export const missingRegion = (name: string): string =>
  `public endpoint for compute service in ${name} region not found`;
