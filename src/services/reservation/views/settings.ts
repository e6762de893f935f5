// The view of settings in the emulator's API, with the names of blazar.conf.
import type { Settings } from '../domain/settings.ts';

export interface SettingsBody {
  readonly strict?: boolean;
  readonly minutes_before_end_lease?: number;
  readonly cleaning_time?: number;
  readonly before_end?: '' | 'snapshot';
  readonly max_lease_duration?: number;
  readonly max_lease_duration_exempt_project_ids?: readonly string[];
  readonly external_service?: ExternalServiceBody | null;
  readonly monitor_interval?: number;
  readonly healing_interval?: number;
}

interface ExternalServiceBody {
  readonly base_url: string;
  readonly check_create_url?: string;
  readonly check_update_url?: string;
  readonly on_end_url?: string;
  readonly token?: string;
}

const names = {
  strict: 'strict',
  minutes_before_end_lease: 'minutesBeforeEndLease',
  cleaning_time: 'cleaningTime',
  before_end: 'beforeEnd',
  max_lease_duration: 'maxLeaseDuration',
  max_lease_duration_exempt_project_ids: 'maxLeaseDurationExemptProjectIds',
  monitor_interval: 'monitorInterval',
  healing_interval: 'healingInterval',
} as const;

const externalNames = {
  base_url: 'baseUrl',
  check_create_url: 'checkCreateUrl',
  check_update_url: 'checkUpdateUrl',
  on_end_url: 'onEndUrl',
  token: 'token',
} as const;

/** Reads the settings that a body changes. */
export function readSettingsBody(body: SettingsBody): Partial<Settings> {
  const { external_service: external, ...plain } = body;
  const externalService = external ? renameFields(external, externalNames) : external;
  return {
    ...renameFields(plain, names),
    ...(external === undefined ? {} : { externalService }),
  } as Partial<Settings>;
}

function renameFields(
  fields: object,
  newNames: Readonly<Record<string, string>>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]: [string, unknown]) => [newNames[name]!, value]),
  );
}

/** The view omits the token of the external service. */
export function settingsView(settings: Settings): object {
  const { externalService: external } = settings;
  const shown = Object.entries(names).map(([name, key]) => [name, settings[key]]);
  const urls = Object.entries(externalNames).filter(
    ([name, key]) => name !== 'token' && external?.[key] !== undefined,
  );
  const service = external && Object.fromEntries(urls.map(([name, key]) => [name, external[key]]));
  return { ...(Object.fromEntries(shown) as object), external_service: service };
}
