// Creates, updates and deletes service providers.
import type { Context } from '../../../../kernel/model.ts';
import * as store from '../../store/federation/service-providers.ts';
import {
  booleanOf,
  nullableText,
  optionalText,
  textOf,
  updatedText,
  type Fields,
} from '../attributes.ts';
import type { ServiceProvider } from '../../model.ts';
import { checkLength, duplicate, refuseOnDuplicate } from '../refusals.ts';

/** Upstream: [saml] relay_state_prefix. */
const defaultPrefix = 'ss:mem:';

/** Registers a service provider. @throws 400, 409 */
export async function createServiceProvider(
  { db }: Context,
  id: string,
  fields: Fields,
): Promise<ServiceProvider> {
  const provider: ServiceProvider = {
    id,
    authUrl: textOf(fields, 'auth_url'),
    spUrl: textOf(fields, 'sp_url'),
    enabled: booleanOf(fields['enabled']),
    description: nullableText(fields, 'description') ?? null,
    relayStatePrefix: nullableText(fields, 'relay_state_prefix') ?? defaultPrefix,
  };
  checkLengths(provider);
  const taken = () => duplicate('service_provider', id, null, 'ID');
  if (await store.findServiceProvider(db, id)) throw taken();
  await refuseOnDuplicate(store.insertServiceProvider(db, provider), taken);
  return provider;
}

function checkLengths({ id, relayStatePrefix }: ServiceProvider): void {
  checkLength('id', id, 64);
  checkLength('relay_state_prefix', relayStatePrefix, 256);
}

/** Updates a service provider. @throws 400 */
export async function updateServiceProvider(
  { db }: Context,
  provider: ServiceProvider,
  fields: Fields,
): Promise<ServiceProvider> {
  const next: ServiceProvider = {
    ...provider,
    authUrl: optionalText(fields, 'auth_url') ?? provider.authUrl,
    spUrl: optionalText(fields, 'sp_url') ?? provider.spUrl,
    enabled: 'enabled' in fields ? booleanOf(fields['enabled']) : provider.enabled,
    description: updatedText(fields, 'description', provider.description),
    relayStatePrefix:
      updatedText(fields, 'relay_state_prefix', provider.relayStatePrefix) ?? defaultPrefix,
  };
  checkLengths(next);
  await store.updateServiceProvider(db, next);
  return next;
}

/** Deletes a service provider. */
export const deleteServiceProvider = ({ db }: Context, { id }: ServiceProvider): Promise<void> =>
  store.deleteServiceProvider(db, id);
