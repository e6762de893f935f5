// Creates, updates and deletes mappings. Upstream: keystone/federation/utils.py, whose schemas are
// those of the contract.
import { badRequest } from '../../../../kernel/errors.ts';
import type { Context } from '../../../../kernel/model.ts';
import * as store from '../../store/federation/mappings.ts';
import type { Fields } from '../attributes.ts';
import type { Mapping, MappingRule, MappingVersion } from '../../model.ts';
import { checkLength, duplicateEntry, refuseOnDuplicate } from '../refusals.ts';

/** The version of a mapping that names none. Upstream: attribute_mapping_default_schema_version. */
export const defaultVersion: MappingVersion = '1.0';

/** The parts of a local rule that not all versions have. */
interface Local {
  readonly projects?: readonly object[];
  readonly projects_json?: string;
}

/** @throws 400 if the rules have what only a later version has */
export function checkVersion(rules: readonly MappingRule[], version: MappingVersion): void {
  const locals: readonly Local[] = rules.flatMap(({ local }) => local);
  const unexpected: string[] = [];
  for (const { projects = [], projects_json: encoded } of locals) {
    if (version === '1.0')
      for (const project of projects) if ('domain' in project) unexpected.push('domain');
    if (version !== '3.0' && encoded !== undefined) unexpected.push('projects_json');
  }
  if (!unexpected.length) return;
  const lines = unexpected.map(
    (name) => `Additional properties are not allowed ('${name}' was unexpected)\n`,
  );
  throw badRequest(lines.toSorted().join(''));
}

const versionOf = (fields: Fields): MappingVersion => fields['schema_version'] as MappingVersion;
const rulesOf = (fields: Fields): readonly MappingRule[] =>
  fields['rules'] as readonly MappingRule[];

/** Creates a mapping of checked rules. @throws 400, 409 */
export async function createMapping({ db }: Context, id: string, fields: Fields): Promise<Mapping> {
  const mapping: Mapping = { id, rules: rulesOf(fields), schemaVersion: versionOf(fields) };
  checkLength('id', id, 64);
  const taken = () => duplicateEntry('mapping');
  if (await store.findMapping(db, id)) throw taken();
  await refuseOnDuplicate(store.insertMapping(db, mapping), taken);
  return mapping;
}

/** Replaces the rules of a mapping. */
export async function updateMapping(
  { db }: Context,
  { id }: Mapping,
  fields: Fields,
): Promise<Mapping> {
  const mapping: Mapping = { id, rules: rulesOf(fields), schemaVersion: versionOf(fields) };
  await store.updateMapping(db, mapping);
  return mapping;
}

/** Deletes a mapping, even if protocols name it. */
export const deleteMapping = ({ db }: Context, { id }: Mapping): Promise<void> =>
  store.deleteMapping(db, id);
