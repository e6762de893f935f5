// The identity providers that are trusted, below /_emulator.
import { centralContext } from '../../../../kernel/context.ts';
import { noContent, ok } from '../../../../kernel/http/reply.ts';
import type { Call, Reply } from '../../../../kernel/model.ts';
import { deleteSamlProvider, setSamlProvider } from '../../domain/saml/trusted-providers.ts';
import type { SamlProvider } from '../../model.ts';
import { listSamlProviders } from '../../store/saml/providers.ts';

const viewOf = ({ name, entityId, certificates }: SamlProvider): object => ({
  name,
  entity_id: entityId,
  certificates,
});

/** GET /_emulator/saml/providers */
export async function list(call: Call): Promise<Reply> {
  const providers = await listSamlProviders(centralContext(call).db);
  return ok({ providers: providers.map(viewOf) });
}

/** PUT /_emulator/saml/providers/{name} */
export async function update(call: Call): Promise<Reply> {
  const { metadata } = call.body as { metadata: string };
  return ok({ provider: viewOf(await setSamlProvider(call, call.params['name']!, metadata)) });
}

/** DELETE /_emulator/saml/providers/{name} */
export async function remove(call: Call): Promise<Reply> {
  await deleteSamlProvider(call, call.params['name']!);
  return noContent();
}
