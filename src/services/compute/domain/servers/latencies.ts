// The operations of servers that --latency can slow down.

/** The actions that only change the state of a server, which transitions.ts defines. */
const transitions = [
  'stop',
  'start',
  'pause',
  'unpause',
  'suspend',
  'resume',
  'reboot',
  'rescue',
  'unrescue',
  'changePassword',
] as const;

const steps = [
  'create',
  'delete',
  'rebuild',
  ...transitions,
  'shelve',
  'shelveOffload',
  'unshelve',
  'createImage',
  'createBackup',
  'resize',
  'migrate',
  'confirmResize',
  'revertResize',
  'os-migrateLive',
  'evacuate',
] as const;

export type TransitionAction = (typeof transitions)[number];
/** The name of an operation that takes time, such as `server.create`. */
export type Latency = `server.${(typeof steps)[number]}`;

export const latencies: readonly Latency[] = steps.map((step): Latency => `server.${step}`);
