// The settings of Identity, which an operator can change at runtime. Upstream reads them from
// keystone.conf.
import type { Db } from '../../../kernel/db/database.ts';
import { badRequest } from '../../../kernel/errors.ts';
import {
  booleanSetting,
  integerSetting,
  ServiceSettings,
  setting,
  type SettingValues,
} from '../../../kernel/contract/service-settings.ts';
import { isCallbackTemplate } from './federation/callback-template.ts';
import { passwordMatcher } from './identity/password-patterns.ts';

/** Ten years in seconds. */
const maximum = 315_360_000;

export const identitySettings = new ServiceSettings('identity', {
  tokenExpiration: integerSetting({
    default: 3600,
    minimum: 1,
    maximum,
    upstream: '[token] expiration',
    help: 'For how many seconds a new token is valid.',
  }),
  allowExpiredWindow: integerSetting({
    default: 172_800,
    minimum: 0,
    maximum,
    upstream: '[token] allow_expired_window',
    help: 'For how many seconds after its expiry a token can be validated with `allow_expired`.',
  }),
  receiptExpiration: integerSetting({
    default: 300,
    minimum: 0,
    maximum: 86_400,
    upstream: '[receipt] expiration',
    help: 'For how many seconds the receipt of an incomplete sign-in is valid.',
  }),
  totpPreviousWindows: integerSetting({
    default: 1,
    minimum: 0,
    maximum: 10,
    upstream: '[totp] included_previous_windows',
    help: 'How many earlier one-time passwords, each of 30 seconds, are accepted too.',
  }),
  requestTokenDuration: integerSetting({
    default: 28_800,
    minimum: 0,
    maximum,
    upstream: '[oauth1] request_token_duration',
    help: 'For how many seconds users can authorize a request token of OAuth; 0 for always.',
  }),
  accessTokenDuration: integerSetting({
    default: 86_400,
    minimum: 0,
    maximum,
    upstream: '[oauth1] access_token_duration',
    help: 'For how many seconds an access token of OAuth is valid; 0 for always.',
  }),
  remoteIdAttribute: setting<string | null>({
    default: null,
    schema: { type: ['string', 'null'], maxLength: 64 },
    upstream: '[federation] remote_id_attribute',
    help:
      'The attribute of assertions that names the identity provider; null for HTTP_OIDC_ISS or ' +
      'Shib-Identity-Provider, which Apache checks in a real cloud. A protocol may name another one.',
  }),
  trustedDashboard: setting<readonly string[]>({
    default: [],
    schema: {
      type: 'array',
      items: { type: 'string', pattern: '^https?://[^\\s/?#]', maxLength: 255 },
      maxItems: 100,
    },
    upstream: '[federation] trusted_dashboard',
    help:
      'The URLs that get tokens by single sign-on, such as `http://127.0.0.1:8000/auth/websso/` ' +
      'of Horizon. They must equal the `origin` of the request.',
  }),
  ssoCallbackTemplate: setting<string | null>({
    default: null,
    schema: { type: ['string', 'null'], maxLength: 65_536 },
    upstream: '[federation] sso_callback_template',
    help:
      'The page that sends a browser with its token to the dashboard, with `$host` and `$token`, ' +
      'which are escaped for HTML; null for a usual one. Upstream has the name of a file here.',
    read: readTemplate,
  }),
  defaultAuthorizationTtl: integerSetting({
    default: 0,
    minimum: 0,
    maximum: 5_256_000,
    upstream: '[federation] default_authorization_ttl',
    help:
      'For how many minutes groups of an assertion last as memberships of the user, unless the ' +
      'identity provider says so; 0 for not at all.',
  }),
  idpEntityId: setting<string | null>({
    default: null,
    schema: { type: ['string', 'null'], format: 'uri', maxLength: 1024 },
    upstream: '[saml] idp_entity_id',
    help:
      'The name of Identity as an identity provider, in SAML assertions for other clouds; null for ' +
      'the URL of Identity with `/v3/OS-FEDERATION/saml2/idp`.',
  }),
  assertionExpirationTime: integerSetting({
    default: 3600,
    minimum: 0,
    maximum,
    upstream: '[saml] assertion_expiration_time',
    help: 'For how many seconds SAML assertions for other clouds are valid.',
  }),
  maxProjectTreeDepth: integerSetting({
    default: 5,
    minimum: 1,
    maximum: 1000,
    upstream: '[DEFAULT] max_project_tree_depth',
    help: 'The maximum number of levels of projects.',
  }),
  listLimit: setting<number | null>({
    default: null,
    schema: { type: ['integer', 'null'], minimum: 1, maximum: 2_147_483_647 },
    upstream: '[DEFAULT] list_limit',
    help:
      'The page of a list if the request has no limit, and of users and groups in any case; null ' +
      'for all. A list that goes on has `truncated`.',
  }),
  passwordRegex: setting<string | null>({
    default: null,
    schema: { type: ['string', 'null'], maxLength: 1000 },
    upstream: '[security_compliance] password_regex',
    help:
      'A regular expression that new passwords must match; null for any password. Lookaheads are ' +
      'supported at its start only, and back-references are not.',
    read: readExpression,
  }),
  passwordRegexDescription: setting<string | null>({
    default: null,
    schema: { type: ['string', 'null'], maxLength: 1000 },
    upstream: '[security_compliance] password_regex_description',
    help: 'What the error says about a password that does not match the expression.',
  }),
  passwordExpiresDays: setting<number | null>({
    default: null,
    schema: { type: ['integer', 'null'], minimum: 1, maximum: 36_500 },
    upstream: '[security_compliance] password_expires_days',
    help: 'For how many days a new password is valid; null if passwords do not expire.',
  }),
  uniqueLastPasswordCount: integerSetting({
    default: 0,
    minimum: 0,
    maximum: 100,
    upstream: '[security_compliance] unique_last_password_count',
    help:
      'From how many of their last passwords the one must differ that users choose for ' +
      'themselves; 0 for none.',
  }),
  minimumPasswordAge: integerSetting({
    default: 0,
    minimum: 0,
    maximum: 36_500,
    upstream: '[security_compliance] minimum_password_age',
    help: 'For how many days a user must keep a new password before changing it again.',
  }),
  changePasswordUponFirstUse: booleanSetting({
    default: false,
    upstream: '[security_compliance] change_password_upon_first_use',
    help: 'Whether users must change a password that an administrator has given them.',
  }),
  lockoutFailureAttempts: setting<number | null>({
    default: null,
    schema: { type: ['integer', 'null'], minimum: 1, maximum: 1_000_000 },
    upstream: '[security_compliance] lockout_failure_attempts',
    help: 'After how many wrong passwords in a row an account is locked; null for never.',
  }),
  lockoutDuration: setting<number | null>({
    default: 1800,
    schema: { type: ['integer', 'null'], minimum: 1, maximum },
    upstream: '[security_compliance] lockout_duration',
    help: 'For how many seconds it is locked; null for until the user is updated.',
  }),
  disableUserAccountDaysInactive: setting<number | null>({
    default: null,
    schema: { type: ['integer', 'null'], minimum: 1, maximum: 36_500 },
    upstream: '[security_compliance] disable_user_account_days_inactive',
    help:
      'After how many days without signing in a user is disabled, until an administrator enables ' +
      'it; null for never. The option `ignore_user_inactivity` exempts a user.',
  }),
  defaultEndpointGroup: setting<string | null>({
    default: null,
    schema: { type: ['string', 'null'], maxLength: 64 },
    help: 'The id of the endpoint group that each new project is associated with; null for none.',
  }),
});

export type Settings = SettingValues<typeof identitySettings.declarations>;

export const loadSettings = ({ db }: { readonly db: Db }): Promise<Settings> =>
  identitySettings.load(db);

/** @throws 400 if a template lacks a value, or names another one */
function readTemplate(template: string | null): string | null {
  if (template === null || isCallbackTemplate(template)) return template;
  throw badRequest(
    'Invalid request body: sso_callback_template must contain $host and $token, and a dollar ' +
      'sign of another meaning as $$.',
  );
}

/** @throws 400 if a regular expression is invalid, or not supported */
function readExpression(expression: string | null): string | null {
  try {
    if (expression !== null) passwordMatcher(expression);
    return expression;
  } catch {
    throw badRequest(
      'Invalid request body: password_regex is not a regular expression, or has lookaheads that ' +
        'are not at its start, lookbehinds or back-references, which are not supported.',
    );
  }
}
