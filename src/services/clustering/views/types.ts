// The types of profiles and policies, as clients see them.
import type { Version } from '../../../kernel/microversion.ts';
import type { Operation, Support } from '../domain/profiles/types.ts';
import { describe, describeParameters, type Schema } from '../domain/specs/schema.ts';
import type { ClusteringVersion } from '../versions.ts';

type At = Version<ClusteringVersion>;

interface Type {
  readonly name: string;
  readonly version: string;
  readonly support: Support;
  readonly schema: Schema;
}

/** A type in a list. Before 1.5 its name includes the version. */
export const typeLine = ({ name, version, support }: Type, at: At): object => ({
  name: at.has('1.5') ? name : `${name}-${version}`,
  ...at.since('1.5', { version, support_status: { [version]: support[version] } }),
});

export const typeView = ({ name, version, support, schema }: Type, at: At): object => ({
  name: `${name}-${version}`,
  schema: describe(schema),
  ...at.since('1.5', { support_status: support }),
});

export const operationsView = (operations: Readonly<Record<string, Operation>>): object =>
  Object.fromEntries(
    Object.entries(operations).map(([name, { description, parameters }]) => [
      name,
      parameters
        ? { description, parameters: describeParameters(parameters) }
        : { type: 'Map', description, required: false, updatable: false },
    ]),
  );
