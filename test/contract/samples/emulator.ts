// Sample requests of the emulator's own API.
import type { Sampled } from './index.ts';

export const emulatorSamples: Sampled = {
  service: 'emulator',
  config: {},
  prepare: () =>
    Promise.resolve({
      token: null,
      samples: {
        'health:show': () => ({}),
        'ready:show': () => ({}),
        'info:show': () => ({}),
        'metrics:show': () => ({}),
        'clouds_yaml:show': () => ({}),
        'openrc:show': () => ({}),
        'reset:create': () => ({ body: { region: 'RegionOne', service: 'placement' } }),
        'clock:show': () => ({}),
        'clock:update': () => ({ body: { now: '2026-11-20T12:00:00Z', frozen: true } }),
        'clock:advance': () => ({ body: { to: '2026-12-01', weeks: 1, days: 1, hours: 1, minutes: 1, seconds: 1 } }),
      },
    }),
};
