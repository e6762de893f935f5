// Follows what changes: one stream of server-sent events, which is opened again if it ends.
import { useEffect, useRef, useState } from 'preact/hooks';
import { asksForToken, controlToken, isConnected, RequestError, send } from './http.ts';
import { forgetToken } from './session.ts';
import { Store } from './store.ts';
import { after, browserNow, pause, ticks } from './timers.ts';

/** A change: the services whose data has changed, in a region or in what all regions share. */
export interface Change {
  readonly region: string | null;
  readonly services: readonly string[];
}

/** A notice about the stream, such as a restart. */
export interface Notice {
  readonly text: string;
  readonly at: number;
}

export const notice = new Store<Notice | undefined>(undefined);

/** Whether the stream is open. */
export const isLive = new Store(false);

const listeners = new Set<(change: Change | 'everything') => void>();

function publish(change: Change | 'everything'): void {
  for (const listener of listeners) listener(change);
}

const announce = (text: string): void => notice.set({ text, at: browserNow() });

/** Follows the stream as long as the page is open. */
export async function followChanges(): Promise<void> {
  let known: string | undefined;
  for (let wait = 250; ; wait = Math.min(wait * 2, 4_000)) {
    try {
      for await (const { event, data } of events()) {
        wait = 250;
        if (event === 'hello') {
          isLive.set(true);
          const { process } = data as { process: string };
          if (known !== undefined && known !== process) announce('The emulator has restarted.');
          if (known !== undefined) replaceAll();
          known = process;
        } else if (event === 'replaced') {
          announce('The cloud has been reset or restored.');
          replaceAll();
        } else if (event === 'change') publish(data as Change);
      }
    } catch (error) {
      if (error instanceof RequestError && error.status === 403) await untilToken();
    }
    isLive.set(false);
    await pause(wait);
  }
}

/** Loads everything again at once, because the user has just changed something. */
export const reloadAll = (): void => publish('everything');

function replaceAll(): void {
  forgetToken();
  publish('everything');
}

async function untilToken(): Promise<void> {
  if (asksForToken.get())
    await new Promise<void>((resolve) => {
      const stop = controlToken.listen(() => {
        stop();
        resolve();
      });
    });
}

interface SentEvent {
  readonly event: string;
  readonly data: unknown;
}

/** The events of one connection. EventSource cannot send the headers of the page. */
async function* events(): AsyncGenerator<SentEvent> {
  const { body } = await send('/_emulator/changes');
  const reader = body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) break;
    text += value;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const [, event, data] = /^event: (\S+)\ndata: (.*)/.exec(text.slice(0, end)) ?? [];
      text = text.slice(end + 2);
      if (event !== undefined) yield { event, data: JSON.parse(data ?? 'null') };
    }
  }
  isConnected.set(false);
}

/** Data that a view shows: loaded, and loaded again when it changes. */
export interface Loaded<T> {
  /** Undefined until the first load. The last value stays if a later load fails. */
  readonly data: T | undefined;
  readonly error: string | undefined;
  readonly reload: () => void;
}

/** When the next load may begin that follows a change. */
const next = { at: 0 };

/** The longest time, in milliseconds, that a load waits for others. */
const maxWait = 10_000;

/**
 * Reserves the time of a load, so that all of them together never keep the emulator busy for more
 * than a fortieth of the time.
 * @param duration how long the load takes, in milliseconds
 * @returns when it may begin
 */
function reserve(duration: number): number {
  const start = Math.min(Math.max(ticks(), next.at), ticks() + maxWait);
  next.at = start + Math.min(40 * duration, 30_000);
  return start;
}

/**
 * Loads data, and again after each change of its services. A load that takes long is repeated less
 * often.
 * @param key what the data depends on; another key discards the old data
 */
export function useLive<T>(
  key: string,
  services: readonly string[],
  load: (signal: AbortSignal) => Promise<T>,
): Loaded<T> {
  const [state, setState] = useState<{ key: string; data?: T; error?: string }>({ key });
  const latest = useRef(load);
  latest.current = load;
  const reloadNow = useRef(() => {});
  useEffect(() => {
    const controller = new AbortController();
    let isLoading = false;
    let isStale = false;
    let isScheduled = false;
    let duration = 0;
    let cancel = (): void => {};
    const run = async (): Promise<void> => {
      isLoading = true;
      isStale = false;
      isScheduled = false;
      const started = ticks();
      try {
        const data = await latest.current(controller.signal);
        if (!controller.signal.aborted) setState({ key, data });
      } catch (error) {
        if (controller.signal.aborted) return;
        const message = error instanceof Error ? error.message : String(error);
        setState((last) =>
          last.key === key ? { ...last, error: message } : { key, error: message },
        );
      }
      isLoading = false;
      duration = ticks() - started;
      if (isStale && !controller.signal.aborted) soon();
    };
    const loadAt = (time: number): void => {
      cancel();
      isScheduled = true;
      cancel = after(Math.max(0, time - ticks()), () => void run());
    };
    const soon = (): void => {
      isStale = true;
      if (!isLoading && !isScheduled) loadAt(reserve(duration));
    };
    const now = (): void => {
      isStale = true;
      if (!isLoading) loadAt(0);
    };
    const listener = (change: Change | 'everything'): void => {
      if (change === 'everything') now();
      else if (change.services.some((name) => services.includes(name))) soon();
    };
    listeners.add(listener);
    reloadNow.current = now;
    const stopToken = controlToken.listen(reloadNow.current);
    void run();
    return () => {
      controller.abort();
      cancel();
      stopToken();
      listeners.delete(listener);
    };
  }, [key]);
  const current = state.key === key ? state : { data: undefined, error: undefined };
  return { data: current.data, error: current.error, reload: () => reloadNow.current() };
}
