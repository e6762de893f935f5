// Records the options that a cloud was filled with, so that a start can compare them with its own.
import { createHash } from 'node:crypto';
import { writeSharedValues } from '../../kernel/db/state.ts';
import type { Cloud } from '../../kernel/model.ts';
import { optionName, type OptionDeclaration } from '../../kernel/options.ts';
import type { Config } from '../../kernel/settings.ts';

/** An option that matters only when a cloud is filled, and its value in this process. */
export interface FillOption {
  readonly name: string;
  readonly digest: string;
  readonly defaultDigest: string;
}

/** Digests of the values, by the names of the options. */
export type Recorded = Readonly<Record<string, string>>;

const stateName = 'initial.options';

/** The options that only matter when a cloud is filled. */
export function fillOptions(cloud: Cloud): FillOption[] {
  const implied = impliedFields(cloud);
  return declaredOptions(cloud)
    .filter(([, { fillsCloud }]) => fillsCloud)
    .map(([field, declaration]) => {
      const usual = declaration.defaultFor?.({ ...cloud.config }) ?? declaration.default;
      const defaultDigest = digestOf(usual);
      const digest = implied.has(field) ? defaultDigest : digestOf(valueOf(cloud, field));
      return { name: optionName(declaration), digest, defaultDigest };
    });
}

/**
 * The fields of the configuration that follow from other options: `seed` from `--preset`, and
 * `regions` from `--profile`. Warnings name the option that was given.
 */
export const impliedFields = (cloud: Cloud): ReadonlySet<string> =>
  new Set(
    declaredOptions(cloud).flatMap(([field, declaration]) => {
      const value = valueOf(cloud, field);
      return value === declaration.default ? [] : Object.keys(declaration.implies?.(value) ?? {});
    }),
  );

const declaredOptions = ({ services }: Cloud): [field: string, OptionDeclaration][] =>
  services.flatMap(({ definition }) => Object.entries(definition.options ?? {}));

const valueOf = ({ config }: Cloud, field: string): unknown => config[field as keyof Config];

const digestOf = (value: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify(value ?? null))
    .digest('hex')
    .slice(0, 16);

/** Records the options of this process, which has filled the whole cloud with them. */
export const recordOptions = (cloud: Cloud): Promise<void> =>
  writeSharedValues(cloud.central.db, optionValues(cloud));

/** The shared values that record the options of this process. */
export const optionValues = (cloud: Cloud): Record<string, string> => ({
  [stateName]: JSON.stringify(
    Object.fromEntries(fillOptions(cloud).map(({ name, digest }) => [name, digest])),
  ),
});

/** The recorded options; undefined if none are recorded. */
export async function recordedOptions({ central }: Cloud): Promise<Recorded | undefined> {
  const row = (await central.db('cumulet_state').where({ name: stateName }).first('value')) as
    { value: string } | undefined;
  return row && (JSON.parse(row.value) as Recorded);
}
