// What clients can discover of this Glance: import methods, stores, and usage. Upstream:
// glance/api/v2/discovery.py.
import { ok } from '../../../kernel/http/reply.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { ImageCall } from '../call.ts';
import { usageOf } from '../domain/limits.ts';
import { loadSettings } from '../domain/settings.ts';
import { directoryOf, httpStore, storeNames } from '../domain/stores.ts';
import { authorizeRule } from '../policy.ts';

/** GET /v2/info/import */
export async function showImport(call: ImageCall): Promise<Reply> {
  const { enabledImportMethods: value } = await loadSettings(call);
  const description = 'Import methods available.';
  return ok({ 'import-methods': { description, type: 'array', value } });
}

interface StoreView {
  readonly id: string;
  readonly default?: 'true';
  readonly 'read-only'?: 'true';
}

const storesOf = async (call: ImageCall): Promise<readonly StoreView[]> =>
  (await storeNames(call)).map((id, index) => ({
    id,
    ...(index ? {} : { default: 'true' as const }),
    ...(id === httpStore ? { 'read-only': 'true' as const } : {}),
  }));

/** GET /v2/info/stores */
export const showStores = async (call: ImageCall): Promise<Reply> =>
  ok({ stores: await storesOf(call) });

/** GET /v2/info/stores/detail */
export async function showStoreDetails(call: ImageCall): Promise<Reply> {
  const stores = await storesOf(call);
  authorizeRule(call, 'stores_info_detail');
  return ok({
    stores: stores.map((store) =>
      store.id === httpStore
        ? { ...store, type: 'http', properties: {}, weight: 0 }
        : {
            ...store,
            type: 'file',
            properties: {
              data_dir: directoryOf(store.id),
              chunk_size: 65_536,
              thin_provisioning: false,
            },
            weight: 0,
          },
    ),
  });
}

/** GET /v2/info/usage */
export const showUsage = async (call: ImageCall): Promise<Reply> =>
  ok({ usage: await usageOf(call) });
