// The configuration of a domain: options by group. Upstream: keystone/api/domains.py.
import { created, noContent, ok } from '../../../../kernel/http/reply.ts';
import type { Fields } from '../../domain/attributes.ts';
import {
  complianceConfig,
  defaultConfig,
  deleteConfig,
  replaceConfig,
  showConfig,
  updateConfig,
  type ConfigPart,
} from '../../domain/resource/domain-configs.ts';
import { requireDomain } from '../../domain/resource/project-tree.ts';
import { enforce } from '../requests.ts';
import type { Call, Reply } from '../../../../kernel/model.ts';

/** PUT /v3/domains/{domain_id}/config; replaces an existing configuration. */
export async function create(call: Call): Promise<Reply> {
  const id = await findDomainId(call, 'create_domain_config');
  const { config, isNew } = await replaceConfig(call, id, (call.body as Fields)['config']);
  return isNew ? created({ config }) : ok({ config });
}

/**
 * GET /v3/domains/{domain_id}/config[/{group}[/{option}]]; everyone may read the password
 * requirements.
 */
export async function show(call: Call): Promise<Reply> {
  const id = call.params['domain_id']!;
  const part = partOf(call);
  if (part.group === 'security_compliance') {
    enforce(call, 'get_security_compliance_domain_config');
    return ok({ config: await complianceConfig(call, id, part.option) });
  }
  enforce(call, 'get_domain_config');
  return ok({ config: await showConfig(call, id, part) });
}

/** PATCH /v3/domains/{domain_id}/config[/{group}[/{option}]] */
export async function update(call: Call): Promise<Reply> {
  const id = await findDomainId(call, 'update_domain_config');
  return ok({
    config: await updateConfig(call, id, partOf(call), (call.body as Fields)['config']),
  });
}

/** DELETE /v3/domains/{domain_id}/config[/{group}[/{option}]] */
export async function remove(call: Call): Promise<Reply> {
  const id = await findDomainId(call, 'delete_domain_config');
  await deleteConfig(call, id, partOf(call));
  return noContent();
}

/** GET /v3/domains/config[/{group}[/{option}]]/default */
export function showDefault(call: Call): Reply {
  enforce(call, 'get_domain_config_default');
  return ok({ config: defaultConfig(partOf(call)) });
}

const partOf = ({ params }: Call): ConfigPart => ({
  group: params['group'],
  option: params['option'],
});

async function findDomainId(call: Call, rule: string): Promise<string> {
  enforce(call, rule);
  return (await requireDomain(call.db, call.params['domain_id']!)).id;
}
