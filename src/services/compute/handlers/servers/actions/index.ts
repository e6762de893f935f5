// The table of the actions of servers. The only key of the body names the action.
import type { Actions } from '../../../call.ts';
import { consoleActions, getConsoleOutput } from '../consoles.ts';
import { addSecurityGroup, removeSecurityGroup } from '../security-groups.ts';
import { addressActions } from './addresses.ts';
import { injectNetworkInfo, resetNetwork, triggerCrashDump } from './admin-actions.ts';
import { createServerBackup, createServerImage } from './images.ts';
import { confirmResize, evacuate, migrate, migrateLive, resize, revertResize } from './moves.ts';
import { rebuildServer } from './rebuild.ts';
import { rescueServer } from './rescue.ts';
import { shelveOffloadServer, shelveServer, unshelveServer } from './shelves.ts';
import {
  forceDelete,
  lockServer,
  reboot,
  resetServerState,
  restore,
  transition,
  unlockServer,
} from './states.ts';

/** The actions of servers, by name. */
export const serverActions: Actions = {
  'os-start': transition('servers:start', 'start'),
  'os-stop': transition('servers:stop', 'stop'),
  pause: transition('os-pause-server:pause', 'pause'),
  unpause: transition('os-pause-server:unpause', 'unpause'),
  suspend: transition('os-suspend-server:suspend', 'suspend'),
  resume: transition('os-suspend-server:resume', 'resume'),
  unrescue: transition('os-unrescue', 'unrescue'),
  changePassword: transition('os-admin-password', 'changePassword'),
  rescue: rescueServer,
  reboot,
  rebuild: rebuildServer,
  resize,
  confirmResize,
  revertResize,
  migrate,
  'os-migrateLive': migrateLive,
  evacuate,
  lock: lockServer,
  unlock: unlockServer,
  shelve: shelveServer,
  shelveOffload: shelveOffloadServer,
  unshelve: unshelveServer,
  createImage: createServerImage,
  createBackup: createServerBackup,
  addSecurityGroup,
  removeSecurityGroup,
  ...addressActions,
  'os-resetState': resetServerState,
  forceDelete,
  restore,
  injectNetworkInfo,
  resetNetwork,
  trigger_crash_dump: { span: ['2.17'], handler: triggerCrashDump },
  'os-getConsoleOutput': getConsoleOutput,
  ...consoleActions,
};
