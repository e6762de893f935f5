// The settings of Image, which an operator can change at runtime. Upstream reads them from
// glance-api.conf.
import type { Db } from '../../../kernel/db/database.ts';
import {
  booleanSetting,
  integerSetting,
  ServiceSettings,
  setting,
  type SettingValues,
} from '../../../kernel/contract/service-settings.ts';
import type { JsonObject } from '../../../kernel/json.ts';
import type { PageLimits } from '../../../kernel/oslo/paging.ts';

/** A list of texts without duplicates. */
const texts = (items: JsonObject, minItems = 0): JsonObject => ({
  type: 'array',
  items: { type: 'string', ...items },
  uniqueItems: true,
  minItems,
  maxItems: 100,
});

/** The ways to import data that are implemented. */
export const importMethods = ['glance-direct', 'web-download', 'copy-image'] as const;
export type ImportMethod = (typeof importMethods)[number];

export const imageSettings = new ServiceSettings('image', {
  imageSizeCap: integerSetting({
    default: 1024 ** 4,
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    upstream: '[DEFAULT] image_size_cap',
    help: 'The most bytes of the data of an image.',
  }),
  imageMemberQuota: integerSetting({
    default: 128,
    minimum: -1,
    upstream: '[DEFAULT] image_member_quota',
    help: 'The most members of an image; -1 for unlimited.',
  }),
  imagePropertyQuota: integerSetting({
    default: 128,
    minimum: -1,
    upstream: '[DEFAULT] image_property_quota',
    help:
      'The most properties of an image; -1 for unlimited. An image that has more can be changed ' +
      'as long as no property is added.',
  }),
  imageTagQuota: integerSetting({
    default: 128,
    minimum: -1,
    upstream: '[DEFAULT] image_tag_quota',
    help: 'The most tags of an image; -1 for unlimited.',
  }),
  limitParamDefault: integerSetting({
    default: 25,
    minimum: 1,
    upstream: '[DEFAULT] limit_param_default',
    help: 'The page of a list if the request has no limit, up to `api_limit_max`.',
  }),
  apiLimitMax: integerSetting({
    default: 1000,
    minimum: 1,
    upstream: '[DEFAULT] api_limit_max',
    help: 'The largest page of a list.',
  }),
  stores: setting<readonly string[]>({
    schema: texts({ pattern: '^[A-Za-z0-9_-]{1,50}$' }, 1),
    default: ['local'],
    upstream: '[DEFAULT] enabled_backends',
    help: 'The names of the stores for the data of images. The first one is the default.',
  }),
  httpStore: booleanSetting({
    default: false,
    upstream: '[DEFAULT] enabled_backends',
    help:
      'Whether there is also the read-only store `web`, so that users can add locations on ' +
      'web servers to their images.',
  }),
  enabledImportMethods: setting<readonly ImportMethod[]>({
    schema: texts({ enum: importMethods }),
    default: importMethods,
    upstream: '[DEFAULT] enabled_import_methods',
    help: 'The ways to import the data of images.',
  }),
  allowedHosts: setting<readonly string[]>({
    schema: texts({ minLength: 1, maxLength: 255 }),
    default: [],
    upstream: '[import_filtering_opts] allowed_hosts',
    help:
      'The hosts from which images are downloaded for `web-download`, for tasks and for ' +
      'locations. Unlike upstream, an empty list allows none.',
  }),
  allowedPorts: setting<readonly number[]>({
    schema: {
      type: 'array',
      items: { type: 'integer', minimum: 1, maximum: 65_535 },
      uniqueItems: true,
      maxItems: 100,
    },
    default: [80, 443],
    upstream: '[import_filtering_opts] allowed_ports',
    help:
      'The ports that URLs may name; an empty list allows all. The default port of `http` and ' +
      '`https` is always allowed.',
  }),
  useKeystoneLimits: booleanSetting({
    default: false,
    upstream: '[DEFAULT] use_keystone_limits',
    help:
      'Whether projects have the limits that are registered in Keystone for the service and the ' +
      'region: `image_size_total`, `image_stage_total`, `image_count_total` and ' +
      '`image_count_uploading`.',
  }),
  taskTimeToLive: integerSetting({
    default: 48,
    minimum: 0,
    maximum: 100_000,
    upstream: '[task] task_time_to_live',
    help: 'How many hours after its end a task is deleted.',
  }),
  imageCache: booleanSetting({
    default: true,
    upstream: '[DEFAULT] image_cache_dir',
    help: 'Whether images are cached as they are downloaded.',
  }),
  imageCacheMaxSize: integerSetting({
    default: 10 * 1024 ** 3,
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    upstream: '[DEFAULT] image_cache_max_size',
    help: 'To how many bytes `POST /v2/cache/prune` reduces the image cache.',
  }),
});

export type Settings = SettingValues<typeof imageSettings.declarations>;

export const loadSettings = ({ db }: { readonly db: Db }): Promise<Settings> =>
  imageSettings.load(db);

/** The number of images in a page. */
export async function pageLimitsOf(context: { readonly db: Db }): Promise<PageLimits> {
  const { limitParamDefault, apiLimitMax: max } = await loadSettings(context);
  return { default: Math.min(limitParamDefault, max), max };
}

/** Whether a number is over a quota. A negative quota is unlimited. */
export const isOver = (attempted: number, quota: number): boolean =>
  quota >= 0 && attempted > quota;
