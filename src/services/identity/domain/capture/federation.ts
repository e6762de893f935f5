// Captures the identity providers of a cloud with their protocols, its mappings and its service
// providers.
import type { CaptureSource, Json } from '../../../../emulator/capture/model.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import type { Context } from '../../../../kernel/model.ts';
import * as providerStore from '../../store/federation/identity-providers.ts';
import { findMapping, insertMapping } from '../../store/federation/mappings.ts';
import { insertProtocol } from '../../store/federation/protocols.ts';
import {
  findServiceProvider,
  insertServiceProvider,
} from '../../store/federation/service-providers.ts';
import { mappingVersions, type Mapping } from '../../model.ts';
import { defaultVersion } from '../federation/mappings.ts';
import { defaultDomainId } from '../seeded-ids.ts';

/** Captures federation, as far as the cloud shows it. A provider's domain is one of `domains`. */
export async function captureFederation(
  { db }: Context,
  source: CaptureSource,
  domains: ReadonlySet<string>,
): Promise<void> {
  const list = (path: string, key: string): Promise<readonly Json[]> => {
    const listed = source.list('identity', `/OS-FEDERATION/${path}`, key);
    return source.ifKnown(key.replaceAll('_', ' '), listed, []);
  };
  for (const one of await list('mappings', 'mappings')) {
    const mapping = mappingOf(one);
    if (!(await findMapping(db, mapping.id))) await insertMapping(db, mapping);
  }
  for (const one of await list('identity_providers', 'identity_providers')) {
    const path = `identity_providers/${encodeURIComponent(String(one['id']))}/protocols`;
    await insertProvider(db, one, domains, await list(path, 'protocols'));
  }
  for (const one of await list('service_providers', 'service_providers')) {
    const id = String(one['id']);
    if (await findServiceProvider(db, id)) continue;
    await insertServiceProvider(db, {
      id,
      authUrl: String(one['auth_url']),
      spUrl: String(one['sp_url']),
      enabled: one['enabled'] === true,
      description: (one['description'] ?? null) as string | null,
      relayStatePrefix: String(one['relay_state_prefix']),
    });
  }
}

const mappingOf = (one: Json): Mapping => ({
  id: String(one['id']),
  rules: one['rules'] as Mapping['rules'],
  schemaVersion:
    mappingVersions.find((version) => version === one['schema_version']) ?? defaultVersion,
});

async function insertProvider(
  db: Db,
  one: Json,
  domains: ReadonlySet<string>,
  protocols: readonly Json[],
): Promise<void> {
  const [id, domainId] = [String(one['id']), String(one['domain_id'])];
  if (await providerStore.findIdentityProvider(db, id)) return;
  await providerStore.insertIdentityProvider(db, {
    id,
    domainId: domains.has(domainId) ? domainId : defaultDomainId,
    enabled: one['enabled'] === true,
    description: (one['description'] ?? null) as string | null,
    authorizationTtl: (one['authorization_ttl'] ?? null) as number | null,
    remoteIds: (one['remote_ids'] ?? []) as readonly string[],
  });
  for (const protocol of protocols)
    await insertProtocol(db, {
      id: String(protocol['id']),
      providerId: id,
      mappingId: String(protocol['mapping_id']),
      remoteIdAttribute: (protocol['remote_id_attribute'] ?? null) as string | null,
    });
}
