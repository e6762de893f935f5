// Bodies of the actions of Compute and Volume: one that each action's schema takes, at a version
// that has the action.
import { cirrosId } from '../../../src/services/image/index.ts';

export interface ActionBody {
  readonly body: unknown;
  /** The newest version of the service, where nothing is said. */
  readonly version?: string;
  /**
   * The operation whose sample has the resource, where it is not that of the action: the action
   * deletes it.
   */
  readonly params?: string;
}

const of = (body: unknown, version?: string): ActionBody => ({
  body,
  ...(version === undefined ? {} : { version }),
});
const without = (names: readonly string[]): Record<string, ActionBody> =>
  Object.fromEntries(names.map((name) => [name, of(null)]));
const id = '11111111-1111-1111-1111-111111111111';
const connector = { connector: { host: 'host', initiator: 'iqn' } };

/** By operationId and the name of the action. */
export const actionBodies: Readonly<Record<string, Readonly<Record<string, ActionBody>>>> = {
  'servers:act': {
    ...without([
      'os-start',
      'os-stop',
      'pause',
      'unpause',
      'suspend',
      'resume',
      'unrescue',
      'confirmResize',
      'revertResize',
    ]),
    ...without([
      'lock',
      'unlock',
      'shelve',
      'shelveOffload',
      'unshelve',
      'restore',
      'trigger_crash_dump',
      'resetNetwork',
    ]),
    changePassword: of({ adminPass: 'secret' }),
    rescue: of(null),
    reboot: of({ type: 'HARD' }),
    rebuild: of({ imageRef: cirrosId }),
    resize: of({ flavorRef: '1' }),
    migrate: of(null),
    'os-migrateLive': of({ host: null, block_migration: 'auto' }),
    evacuate: of({}),
    createImage: of({ name: 'image' }),
    createBackup: of({ name: 'backup', backup_type: 'daily', rotation: 1 }),
    addSecurityGroup: of({ name: 'default' }),
    removeSecurityGroup: of({ name: 'default' }),
    addFloatingIp: of({ address: '172.24.4.9' }, '2.1'),
    removeFloatingIp: of({ address: '172.24.4.9' }, '2.1'),
    addFixedIp: of({ networkId: id }, '2.1'),
    removeFixedIp: of({ address: '10.0.0.9' }, '2.1'),
    'os-resetState': of({ state: 'active' }),
    injectNetworkInfo: of(null, '2.1'),
    resetNetwork: of(null, '2.1'),
    'os-getConsoleOutput': of({ length: 5 }),
    'os-getVNCConsole': of({ type: 'novnc' }, '2.1'),
    'os-getSPICEConsole': of({ type: 'spice-html5' }, '2.1'),
    'os-getSerialConsole': of({ type: 'serial' }, '2.1'),
    'os-getRDPConsole': of({ type: 'rdp-html5' }, '2.1'),
    forceDelete: { body: null, params: 'servers:delete' },
  },
  'server_migrations:act': { force_complete: of(null) },
  'flavors:action': {
    addTenantAccess: of({ tenant: 'demo' }),
    removeTenantAccess: of({ tenant: 'demo' }),
  },
  'aggregates:action': {
    add_host: of({ host: 'compute-1' }),
    remove_host: of({ host: 'compute-1' }),
    set_metadata: of({ metadata: { a: 'b' } }),
  },
  'backups:act': {
    'os-reset_status': of({ status: 'error' }),
    'os-force_delete': of({}),
  },
  'groups:create_from_source': { 'create-from-src': of({ source_group_id: id }) },
  'groups:act': {
    delete: of({}),
    reset_status: of({ status: 'error' }),
    enable_replication: of({}),
    disable_replication: of({}),
    failover_replication: of({}),
    list_replication_targets: of({}),
  },
  'group_snapshots:act': { reset_status: of({ status: 'error' }) },
  'volumes:act': {
    'os-reserve': of(null),
    'os-unreserve': of(null),
    'os-begin_detaching': of(null),
    'os-roll_detaching': of(null),
    'os-attach': of({ instance_uuid: id, mountpoint: '/dev/vdb' }),
    'os-detach': of({}),
    'os-initialize_connection': of(connector),
    'os-terminate_connection': of(connector),
    'os-extend': of({ new_size: 2 }),
    'os-retype': of({ new_type: 'lvmdriver-1' }),
    'os-update_readonly_flag': of({ readonly: true }),
    'os-set_bootable': of({ bootable: true }),
    'os-set_image_metadata': of({ metadata: { a: 'b' } }),
    'os-show_image_metadata': of(null),
    'os-unset_image_metadata': of({ key: 'a' }),
    'os-volume_upload_image': of({ image_name: 'image', force: true }),
    'os-reimage': of({ image_id: cirrosId }),
    'os-reset_status': of({ status: 'error' }),
    'os-force_detach': of({}),
    'os-force_delete': of({}),
    'os-unmanage': of({}),
    'os-migrate_volume': of({ host: 'cumulet@lvmdriver-1', lock_volume: true }),
    'os-migrate_volume_completion': of({ new_volume: id }),
    revert: of({ snapshot_id: id }),
  },
  'snapshots:act': {
    'os-reset_status': of({ status: 'error' }),
    'os-force_delete': of({}),
    'os-unmanage': of({}),
    'os-update_snapshot_status': of({ status: 'available' }),
  },
  'types:act': {
    addProjectAccess: of({ project: 'other' }),
    removeProjectAccess: of({ project: 'other' }),
  },
  'attachments:act': { 'os-complete': of({}) },
};
