// What services know about consumers of resources, for explanations. Placement knows their UUIDs
// only.
import type { Micros } from '../../kernel/clock.ts';
import type { Context } from '../../kernel/model.ts';

/** What a service knows about a consumer. */
export interface ConsumerFacts {
  /** The kind and the name of the consumer, such as `server 'web-1'`. */
  readonly name?: string;
  /** The lease that releases its resources, and when. */
  readonly release?: { readonly lease: string; readonly at: Micros };
}

/** Describes the consumers that a service knows, by UUID. It reads in the context's transaction. */
export type DescribeConsumers = (
  context: Context,
  uuids: readonly string[],
) => Promise<ReadonlyMap<string, ConsumerFacts>>;

declare module '../../kernel/model.ts' {
  // eslint-disable-next-line @typescript-eslint/no-unused-vars -- merged declarations must agree
  interface ServiceDefinition<V extends string = string> {
    readonly describeConsumers?: DescribeConsumers;
  }
}

/** Collects what the services of a region know about consumers. */
export async function describeConsumers(
  context: Context,
  uuids: readonly string[],
): Promise<ReadonlyMap<string, ConsumerFacts>> {
  const facts = new Map<string, ConsumerFacts>();
  if (!uuids.length) return facts;
  for (const { definition } of context.cloud.services) {
    const known = await definition.describeConsumers?.(context, uuids);
    for (const [uuid, one] of known ?? []) facts.set(uuid, { ...facts.get(uuid), ...one });
  }
  return facts;
}
