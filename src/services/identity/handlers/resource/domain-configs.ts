// The configuration of a domain: options of its own, as groups of them. Upstream: keystone/api/domains.py.
import { created, noContent, ok } from '../../../../kernel/http/reply.ts';
import { checkedChange, checkedConfig, checkPart, complianceConfig, configOf, defaultConfig, noPart, optionsOf, shownOptions, type Part } from '../../domain/resource/domain-configs.ts'; // prettier-ignore
import { found } from '../../domain/refusals.ts';
import { deleteDomainOptions, listDomainOptions, writeDomainOptions } from '../../store/resource/domain-configs.ts';
import { findProject } from '../../store/resource/projects.ts';
import { allow, type Fields } from '../requests.ts';
import type { Call, Reply } from '../../../../kernel/model.ts';

/** PUT /v3/domains/{domain_id}/config; instead of what was there. */
export async function create(call: Call): Promise<Reply> {
  const id = await target(call, 'create_domain_config');
  const config = checkedConfig((call.body as Fields)['config']);
  const before = await listDomainOptions(call.db, id);
  await deleteDomainOptions(call.db, id);
  await writeDomainOptions(call.db, id, optionsOf(config));
  const told = { config: await shown(call, id) };
  return before.length ? ok(told) : created(told);
}

/** GET /v3/domains/{domain_id}/config[/{group}[/{option}]]; what passwords must be like may be seen by all. */
export async function show(call: Call): Promise<Reply> {
  const id = call.params['domain_id']!;
  const part = partOf(call);
  if (part.group === 'security_compliance') {
    allow(call, 'get_security_compliance_domain_config');
    return ok({ config: complianceConfig(id, part.option) });
  }
  allow(call, 'get_domain_config');
  checkPart(part);
  const options = shownOptions(await listDomainOptions(call.db, id, part));
  if (!options.length) throw noPart(id, part);
  return ok({ config: configOf(options, part) });
}

/** PATCH /v3/domains/{domain_id}/config[/{group}[/{option}]]; a part must be there to be changed. */
export async function update(call: Call): Promise<Reply> {
  const id = await target(call, 'update_domain_config');
  const part = partOf(call);
  const config = checkedChange((call.body as Fields)['config'], part);
  if (part.group !== undefined && !(await listDomainOptions(call.db, id, part)).length) throw noPart(id, part);
  await writeDomainOptions(call.db, id, optionsOf(config));
  return ok({ config: await shown(call, id) });
}

/** DELETE /v3/domains/{domain_id}/config[/{group}[/{option}]] */
export async function remove(call: Call): Promise<Reply> {
  const id = await target(call, 'delete_domain_config');
  const part = partOf(call);
  checkPart(part);
  if (part.group !== undefined) await checkThere(call, id, part);
  await deleteDomainOptions(call.db, id, part.group, part.option);
  return noContent();
}

async function checkThere(call: Call, id: string, { group, option }: Part): Promise<void> {
  const options = await listDomainOptions(call.db, id, { group });
  if (!options.length) throw noPart(id, { group });
  if (option !== undefined && !options.some((one) => one.option === option)) throw noPart(id, { group, option });
}

/** GET /v3/domains/config[/{group}[/{option}]]/default */
export function showDefault(call: Call): Reply {
  allow(call, 'get_domain_config_default');
  return ok({ config: defaultConfig(partOf(call)) });
}

const partOf = ({ params }: Call): Part => ({ group: params['group'], option: params['option'] });

const shown = async (call: Call, id: string): Promise<object> => configOf(shownOptions(await listDomainOptions(call.db, id)));

async function target(call: Call, rule: string): Promise<string> {
  allow(call, rule);
  const id = call.params['domain_id']!;
  const domain = await findProject(call.db, id);
  return found(domain?.isDomain ? domain : undefined, 'domain', id).id;
}
