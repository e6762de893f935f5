// The settings of Reservation, which an operator can change at runtime. Upstream reads them from
// blazar.conf.
import type { Db } from '../../../kernel/db/database.ts';
import {
  booleanSetting,
  choiceSetting,
  integerSetting,
  ServiceSettings,
  setting,
  type SettingValues,
} from '../../../kernel/contract/service-settings.ts';

/**
 * The URLs of the external service. Upstream:
 * blazar/enforcement/filters/external_service_filter.py.
 */
export interface ExternalService {
  readonly baseUrl: string;
  readonly checkCreateUrl?: string;
  readonly checkUpdateUrl?: string;
  readonly onEndUrl?: string;
  readonly token?: string;
}

/** The fields of the external service in requests. */
const externalNames = {
  base_url: 'baseUrl',
  check_create_url: 'checkCreateUrl',
  check_update_url: 'checkUpdateUrl',
  on_end_url: 'onEndUrl',
  token: 'token',
} as const satisfies Record<string, keyof ExternalService>;

type ExternalServiceBody = Readonly<Partial<Record<keyof typeof externalNames, string>>>;

const url = { type: 'string', maxLength: 2000, pattern: '^https?://' };

/** The longest time that a setting may name, in its own unit. */
const maximum = 1_000_000;

export const reservationSettings = new ServiceSettings('reservation', {
  strict: booleanSetting({
    default: false,
    help:
      'Whether reservations rely on Placement alone, as the specification of reservations in ' +
      'Placement says: instance reservations have neither aggregate nor server group, and a trait ' +
      'keeps ordinary servers off registered hosts. `--reservation-mode strict` sets it at start.',
  }),
  minutesBeforeEndLease: integerSetting({
    default: 60,
    minimum: 0,
    maximum,
    upstream: '[manager] minutes_before_end_lease',
    help: 'How many minutes before its end a lease has its before_end event; 0 for none.',
  }),
  cleaningTime: integerSetting({
    default: 0,
    minimum: 0,
    maximum,
    upstream: '[DEFAULT] cleaning_time',
    help: 'The minimum number of minutes between two reservations of a host.',
  }),
  beforeEnd: choiceSetting<'' | 'snapshot'>({
    default: '',
    choices: ['', 'snapshot'],
    upstream: '[physical:host] before_end',
    help: 'The default action of host reservations before the end of a lease.',
  }),
  maxLeaseDuration: integerSetting({
    default: -1,
    minimum: -1,
    upstream: '[enforcement] max_lease_duration',
    help: 'The maximum duration of a lease in seconds; -1 for unlimited.',
  }),
  maxLeaseDurationExemptProjectIds: setting<readonly string[]>({
    default: [],
    schema: { type: 'array', maxItems: 1000, items: { type: 'string', maxLength: 255 } },
    upstream: '[enforcement] max_lease_duration_exempt_project_ids',
    help: 'The projects whose leases may be longer.',
  }),
  externalService: setting<ExternalService | null>({
    default: null,
    schema: {
      oneOf: [
        { type: 'null' },
        {
          type: 'object',
          properties: {
            base_url: url,
            check_create_url: url,
            check_update_url: url,
            on_end_url: url,
            token: { type: 'string', maxLength: 2000, pattern: '^[!-~]*$' },
          },
          required: ['base_url'],
          additionalProperties: false,
        },
      ],
    },
    upstream: '[enforcement] external_service_base_url and its like',
    help: 'The service that decides whether a lease is allowed. Its token is not shown.',
    read: readExternalService,
    view: viewExternalService,
  }),
  monitorInterval: integerSetting({
    default: 0,
    minimum: 0,
    maximum,
    upstream: '[physical:host] enable_polling_monitor, polling_interval',
    help: 'The interval in seconds at which hosts are checked; 0 for never.',
  }),
  healingInterval: integerSetting({
    default: 60,
    minimum: 0,
    maximum,
    upstream: '[physical:host] healing_interval',
    help: 'How many minutes ahead leases are healed; 0 for all leases.',
  }),
});

export type Settings = SettingValues<typeof reservationSettings.declarations>;

export const loadSettings = ({ db }: { readonly db: Db }): Promise<Settings> =>
  reservationSettings.load(db);

function readExternalService(body: ExternalServiceBody | null): ExternalService | null {
  return (
    body &&
    (Object.fromEntries(
      Object.entries(body).map(([name, value]) => [
        externalNames[name as keyof ExternalServiceBody],
        value,
      ]),
    ) as unknown as ExternalService)
  );
}

function viewExternalService(service: ExternalService | null): object | null {
  const shown = Object.entries(externalNames).filter(
    ([name, field]) => name !== 'token' && service?.[field] !== undefined,
  );
  return service && Object.fromEntries(shown.map(([name, field]) => [name, service[field]]));
}
