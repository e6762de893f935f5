// States as a shape and a word, so that no meaning depends on colour.

export type Tone = 'good' | 'bad' | 'busy' | 'idle';

const shapes: Readonly<Record<Tone, string>> = { good: '●', bad: '▲', busy: '◐', idle: '○' };

const tones: Readonly<Record<string, Tone>> = {
  active: 'good',
  available: 'good',
  up: 'good',
  enabled: 'good',
  running: 'good',
  offered: 'good',
  succeeded: 'good',
  success: 'good',
  'in-use': 'good',
  error: 'bad',
  failed: 'bad',
  failure: 'bad',
  down: 'bad',
  critical: 'bad',
  refused: 'bad',
  warning: 'bad',
  rejected: 'bad',
};

const isBusy = /ing$|^build|^init|^pending|^resize|^waiting/;

/** The tone of a state, by the word that the service uses for it. */
function toneOf(state: string): Tone {
  const name = state.toLowerCase();
  return tones[name] ?? (isBusy.test(name) ? 'busy' : 'idle');
}

interface StatusProps {
  readonly state: string;
  readonly tone?: Tone;
}

export const Status = ({ state, tone = toneOf(state) }: StatusProps) => (
  <span class={`status ${tone}`}>
    <span aria-hidden="true">{shapes[tone]}</span> {state}
  </span>
);

/** The status of a reply of HTTP; null for a connection that was closed without one. */
export const HttpStatus = ({ status }: { readonly status: number | null }) => {
  const tone: Tone = status === null || status >= 400 ? 'bad' : status >= 300 ? 'idle' : 'good';
  return <Status state={status === null ? 'dropped' : String(status)} tone={tone} />;
};
