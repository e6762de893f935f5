// The clock of the cloud, which ticks in the page, and how to move it.
import { useEffect, useState } from 'preact/hooks';
import { cumulet, curlOf, type Action } from './actions.ts';
import type { Clock } from './cloud.ts';
import { emulator } from './http.ts';
import { useLive } from './live.ts';
import { browserNow, every } from './timers.ts';

interface ReadClock extends Clock {
  /** When the page read it, by the browser's clock. */
  readonly readAt: number;
}

const useClock = () =>
  useLive<ReadClock>('clock', ['emulator'], async (signal) => ({
    ...(await emulator<Clock>('/clock', { signal })),
    readAt: browserNow(),
  }));

/** The emulated time in milliseconds; undefined until the page has read it. */
export function useEmulatedNow(interval = 1_000): { now: number; frozen: boolean } | undefined {
  const { data } = useClock();
  const [, tick] = useState(0);
  const frozen = data?.frozen ?? true;
  useEffect(
    () => (frozen ? undefined : every(interval, () => tick((count) => count + 1))),
    [frozen],
  );
  if (!data) return undefined;
  const passed = data.frozen ? 0 : browserNow() - data.readAt;
  return { now: Date.parse(data.now) + passed, frozen: data.frozen };
}

/** Freezes the clock, or lets it run. */
export const freezeAction = (frozen: boolean): Action => ({
  text: frozen ? 'The clock is frozen.' : 'The clock runs.',
  command: curlOf('PUT', '/clock', { frozen }),
  run: () => emulator('/clock', { method: 'PUT', body: { frozen } }),
  inverse: () => freezeAction(!frozen),
});

/** Advances the clock to a time. The state before is saved, so that it can be undone. */
export const advanceAction = (to: string): Action => ({
  text: `The clock is at ${to}. The state before is the snapshot before-advance.`,
  command:
    `${cumulet('snapshot', 'save', 'before-advance')} && ` +
    curlOf('POST', '/clock/advance', { to }),
  run: async () => {
    await emulator('/snapshots/before-advance', { method: 'PUT' });
    await emulator('/clock/advance', { method: 'POST', body: { to } });
  },
  inverse: () => ({
    text: 'The clock and the state before are back.',
    command: cumulet('snapshot', 'restore', 'before-advance'),
    run: () => emulator('/snapshots/before-advance/restore', { method: 'POST', body: {} }),
  }),
});
