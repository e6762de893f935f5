// Mappings of federation. Their rules are checked after the policy. Upstream:
// keystone/api/os_federation.py.
import { explainAll } from '../../../../kernel/contract/jsonschema-messages.ts';
import { badRequest } from '../../../../kernel/errors.ts';
import { plainHandlers } from '../../../../kernel/http/plain-resource.ts';
import type { Call } from '../../../../kernel/model.ts';
import { normalized, type Fields } from '../../domain/attributes.ts';
import {
  checkVersion,
  createMapping,
  defaultVersion,
  deleteMapping,
  updateMapping,
} from '../../domain/federation/mappings.ts';
import { checkExpressions } from '../../domain/federation/requirements.ts';
import type { Mapping, MappingRule, MappingVersion } from '../../model.ts';
import { findMapping, listMappings } from '../../store/federation/mappings.ts';
import { mappingView } from '../../views/federation/federation.ts';
import { wrapped } from '../../views/links.ts';
import { lookupsOf } from '../plain.ts';

/** The operations of /v3/OS-FEDERATION/mappings. */
export const { list, show, create, update, remove } = plainHandlers<Call, Mapping, Fields>({
  ...lookupsOf({
    noun: 'mapping',
    collection: 'mappings',
    list: listMappings,
    find: findMapping,
  }),
  fields: checkedFields,
  create: (call, fields) => createMapping(call, call.params['mapping_id']!, fields),
  update: updateMapping,
  remove: deleteMapping,
  body: (call, mapping) => ({ mapping: mappingView(call, mapping) }),
  listBody: (call, mappings) =>
    wrapped(
      call,
      'mappings',
      mappings.map((mapping) => mappingView(call, mapping)),
    ),
});

/** The mapping in the body. @throws 400 with all that is wrong with it */
async function checkedFields(call: Call): Promise<Fields> {
  const { mapping: given = {} } = call.body as { mapping?: unknown };
  const isObject = typeof given === 'object' && given !== null && !Array.isArray(given);
  const fields = isObject ? normalized(given as Fields) : {};
  const mapping = isObject
    ? { ...fields, schema_version: fields['schema_version'] || defaultVersion }
    : given;
  const failure = await call.operation?.checkBody({ mapping });
  if (failure) {
    const texts = explainAll(failure).toSorted((one, other) => (one.text < other.text ? -1 : 1));
    throw badRequest(texts.map(({ message }) => `${message}\n`).join(''));
  }
  const { rules, schema_version: version } = mapping as {
    readonly rules: readonly MappingRule[];
    readonly schema_version: MappingVersion;
  };
  checkVersion(rules, version);
  checkExpressions(rules);
  return { rules, schema_version: version };
}
