// The actions that only change the state of a server, each with the states that allow it, its task
// state and the state it leads to. Upstream: compute/api.py, compute/manager.py.
import type { Context } from '../../../../kernel/model.ts';
import { idle, requireState, type Requirement } from '../servers/checks.ts';
import type { TransitionName } from '../servers/task-args.ts';
import { startAction, type Task } from '../servers/tasks.ts';
import { power } from '../servers/states.ts';
import type { ServerChanges, Server } from '../../model.ts';
import type { Latency, TransitionAction } from '../servers/latencies.ts';

interface Transition {
  readonly requirement: Requirement & { readonly action: TransitionAction };
  readonly taskState: string;
  readonly event: string;
  readonly to: ServerChanges;
}

const running: ServerChanges = { vmState: 'active', powerState: power.running };
const off: ServerChanges = { vmState: 'stopped', powerState: power.shutdown };

const rebootTasks = [
  null,
  'rebooting',
  'reboot_pending',
  'reboot_started',
  'resuming',
  'rebooting_hard',
  'unpausing',
  'pausing',
  'suspending',
];

const simple = (
  action: TransitionAction,
  vmStates: readonly string[],
  taskState: string,
  event: string,
  to: ServerChanges,
): Transition => ({
  requirement: { action, vmStates, taskStates: idle },
  taskState,
  event,
  to,
});

const onHost = (transition: Transition): Transition => ({
  ...transition,
  requirement: { ...transition.requirement, onHost: 'first' },
});

/** The transitions, by the name of their task. */
export const transitions: Readonly<Record<TransitionName, Transition>> = {
  stop: onHost(simple('stop', ['active', 'error'], 'powering-off', 'compute_stop_instance', off)),
  start: onHost(simple('start', ['stopped'], 'powering-on', 'compute_start_instance', running)),
  pause: simple('pause', ['active'], 'pausing', 'compute_pause_instance', {
    vmState: 'paused',
    powerState: power.paused,
  }),
  unpause: simple('unpause', ['paused'], 'unpausing', 'compute_unpause_instance', running),
  suspend: simple('suspend', ['active'], 'suspending', 'compute_suspend_instance', {
    vmState: 'suspended',
    powerState: power.shutdown,
  }),
  resume: simple('resume', ['suspended'], 'resuming', 'compute_resume_instance', running),
  reboot: simple('reboot', ['active'], 'rebooting', 'compute_reboot_instance', running),
  rebootHard: {
    requirement: {
      action: 'reboot',
      vmStates: ['active', 'stopped', 'paused', 'suspended', 'error'],
      taskStates: rebootTasks,
    },
    taskState: 'rebooting_hard',
    event: 'compute_reboot_instance',
    to: running,
  },
  rescue: simple('rescue', ['active', 'stopped', 'error'], 'rescuing', 'compute_rescue_instance', {
    vmState: 'rescued',
    powerState: power.running,
  }),
  unrescue: simple('unrescue', ['rescued'], 'unrescuing', 'compute_unrescue_instance', running),
  changePassword: simple(
    'changePassword',
    ['active'],
    'updating_password',
    'compute_set_admin_password',
    {},
  ),
};

/**
 * Starts a transition.
 * @throws 409 if the server is locked, or in a state that does not allow the transition
 */
export async function startTransition(
  context: Context,
  server: Server,
  name: TransitionName,
): Promise<void> {
  const { requirement, taskState } = transitions[name];
  checkTransition(context, server, name);
  const latency: Latency = `server.${requirement.action}`;
  await startAction(context, server, {
    action: requirement.action,
    task: name,
    taskState,
    args: {},
    latency,
  });
}

/** @throws 409 if the transition is not allowed in the server's state */
export function checkTransition(context: Context, server: Server, name: TransitionName): void {
  requireState(context, server, transitions[name].requirement);
}

const taskOf = ({ event, to }: Transition): Task => ({ event, run: async () => to });

/** The tasks that complete these transitions. */
export const transitionTasks: Readonly<Record<TransitionName, Task>> = {
  stop: taskOf(transitions.stop),
  start: taskOf(transitions.start),
  pause: taskOf(transitions.pause),
  unpause: taskOf(transitions.unpause),
  suspend: taskOf(transitions.suspend),
  resume: taskOf(transitions.resume),
  reboot: taskOf(transitions.reboot),
  rebootHard: taskOf(transitions.rebootHard),
  rescue: taskOf(transitions.rescue),
  unrescue: taskOf(transitions.unrescue),
  changePassword: taskOf(transitions.changePassword),
};
