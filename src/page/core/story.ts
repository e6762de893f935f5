// The story that the page tells. It replaces the cloud by a preset, and brings back at its end what
// was there before.
import type { Story } from '../../stories/model.ts';
import { firstValues, takeStep, type Values } from '../../stories/play.ts';
import { stories } from '../../stories/stories.ts';
import { cumulet, type Action } from './actions.ts';
import type { Clock } from './cloud.ts';
import { emulator, RequestError } from './http.ts';
import { reloadAll } from './live.ts';
import { forgetToken, sendAsClient } from './session.ts';
import { Store } from './store.ts';
import { pause } from './timers.ts';

/** Where the reader of a story is. */
export interface Reading {
  readonly story: string;
  /** The index of the step. */
  readonly step: number;
  /** Whether the page has taken the step. */
  readonly isTaken: boolean;
  readonly values: readonly (readonly [name: string, value: string])[];
}

/** The snapshot of what a story replaces. */
const before = 'before-story';

const key = 'cumulet.story';

/** What the reader is reading, also after the page is loaded again. */
export const reading = new Store<Reading | undefined>(stored());

function stored(): Reading | undefined {
  try {
    const found = JSON.parse(sessionStorage.getItem(key) ?? 'null') as Reading | null;
    return found && storyOf(found) ? found : undefined;
  } catch {
    return undefined;
  }
}

function read(changed: Reading | undefined): void {
  reading.set(changed);
  try {
    if (changed) sessionStorage.setItem(key, JSON.stringify(changed));
    else sessionStorage.removeItem(key);
  } catch {
    // A browser may refuse to store it; then the story ends with the page.
  }
}

export function storyOf({ story }: Reading): Story | undefined {
  return stories.find(({ name }) => name === story);
}

export const valuesOf = ({ values }: Reading): Values => new Map(values);

/** Begins a story. The state before is saved. */
export const beginAction = ({ name, title, preset }: Story): Action => ({
  text: `The story "${title}" begins. The cloud before it is the snapshot ${before}.`,
  command: `${cumulet('snapshot', 'save', before)} && ${cumulet('reset', '--preset', preset)}`,
  run: async () => {
    await emulator(`/snapshots/${before}`, { method: 'PUT' });
    await emulator('/reset', { method: 'POST', body: { preset } });
    forgetToken();
    const { now } = await emulator<Clock>('/clock');
    const values = [...firstValues(location.origin, now)];
    read({ story: name, step: 0, isTaken: false, values });
  },
});

/** Ends the story: restores the cloud that was there before it. */
export const endAction = (): Action => ({
  text: 'The story has ended, and the cloud is as it was before.',
  command: `${cumulet('snapshot', 'restore', before)} && ${cumulet('snapshot', 'drop', before)}`,
  run: async () => {
    try {
      await emulator(`/snapshots/${before}/restore`, { method: 'POST', body: {} });
      await emulator(`/snapshots/${before}`, { method: 'DELETE' });
    } catch (error) {
      // A cloud in memory that was started again has no snapshot to return to.
      if (error instanceof RequestError && error.status === 404) read(undefined);
      throw error;
    }
    forgetToken();
    read(undefined);
  },
});

/** Takes the current step. @throws Error if a reply is not the one of the story */
export async function takeCurrentStep(current: Reading): Promise<void> {
  const step = storyOf(current)!.steps[current.step]!;
  await takeStep(step, valuesOf(current), { send: sendAsClient, wait: () => pause(100) });
  read({ ...current, isTaken: true });
  reloadAll();
}

/** Goes to another step. */
export const goToStep = (current: Reading, step: number): void =>
  read({ ...current, step, isTaken: false });
