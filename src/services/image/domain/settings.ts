// The settings of Image, which an operator can change at runtime. Upstream reads them from
// glance-api.conf.
import type { Db } from '../../../kernel/db/database.ts';
import {
  integerSetting,
  ServiceSettings,
  type SettingValues,
} from '../../../kernel/contract/service-settings.ts';
import type { PageLimits } from '../../../kernel/oslo/paging.ts';

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
