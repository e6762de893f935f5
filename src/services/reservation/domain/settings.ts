// The settings of Reservation, which an operator can change at runtime. Upstream reads them from
// blazar.conf.
import type { Db } from '../../../kernel/db/database.ts';
import type { Context } from '../../../kernel/model.ts';
import { readSettings, writeSetting } from '../store/settings.ts';

export interface Settings {
  /**
   * Whether instance reservations have no aggregate and no server group, as in the specification of
   * reservations in Placement.
   */
  readonly strict: boolean;
  /** When the `before_end_lease` event happens by default, in minutes; 0 disables it. */
  readonly minutesBeforeEndLease: number;
  /** The minimum gap between two host reservations of a host, in minutes. */
  readonly cleaningTime: number;
  /** The default of `before_end` of host reservations. */
  readonly beforeEnd: '' | 'snapshot';
  /** The maximum duration of a lease, in seconds; -1 for no limit. */
  readonly maxLeaseDuration: number;
  readonly maxLeaseDurationExemptProjectIds: readonly string[];
  /** The service that approves leases. */
  readonly externalService: ExternalService | null;
  /** The interval between checks of hosts, in seconds of the emulator's clock; 0 disables them. */
  readonly monitorInterval: number;
  /** Failed hosts are replaced in leases that start within this many minutes; 0 for all leases. */
  readonly healingInterval: number;
}

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

export const defaults: Settings = {
  strict: false,
  minutesBeforeEndLease: 60,
  cleaningTime: 0,
  beforeEnd: '',
  maxLeaseDuration: -1,
  maxLeaseDurationExemptProjectIds: [],
  externalService: null,
  monitorInterval: 0,
  healingInterval: 60,
};

/** The name of the row that holds all of these settings. */
const rowName = 'settings';

export async function loadSettings({ db }: { readonly db: Db }): Promise<Settings> {
  return { ...defaults, ...((await readSettings(db))[rowName] as Partial<Settings> | undefined) };
}

/** Changes the given settings, and keeps the others. */
export async function changeSettings(
  context: Context,
  changes: Partial<Settings>,
): Promise<Settings> {
  const settings = { ...(await loadSettings(context)), ...changes };
  await writeSetting(context.db, rowName, settings);
  return settings;
}
