// Actions that change the cloud: each shows what it did as a command, and how to undo it.
import { reloadAll } from './live.ts';
import { Store } from './store.ts';

/** Something that the page has done. */
export interface Done {
  readonly id: number;
  readonly text: string;
  /** The same as a command that can be pasted. */
  readonly command: string;
  readonly isError: boolean;
  readonly undo?: () => void;
}

/** What the page has done, the newest first. */
export const history = new Store<readonly Done[]>([]);

/** An action with its inverse. */
export interface Action {
  readonly text: string;
  readonly command: string;
  readonly run: () => Promise<unknown>;
  /** The action that undoes it; undefined if nothing does. */
  readonly inverse?: (() => Action | undefined) | undefined;
}

const most = 5;

function add(done: Omit<Done, 'id'>): void {
  const id = (history.get()[0]?.id ?? 0) + 1;
  history.set([{ id, ...done }, ...history.get()].slice(0, most));
}

/** Runs an action, and shows what it did or why it failed. @returns whether it succeeded */
export async function perform(action: Action): Promise<boolean> {
  const { text, command, run, inverse } = action;
  try {
    await run();
    reloadAll();
    const back = inverse?.();
    add({
      text,
      command,
      isError: false,
      ...(back ? { undo: () => void perform(back) } : {}),
    });
    return true;
  } catch (error) {
    add({ text: error instanceof Error ? error.message : String(error), command, isError: true });
    return false;
  }
}

export const dismiss = (id: number): void =>
  history.set(history.get().filter((done) => done.id !== id));

/** A text as one word of a shell. */
export const quoted = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

const curl = (method: string, path: string, headers: readonly string[], body: unknown): string =>
  [
    'curl -sS',
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    quoted(location.origin + path),
    ...headers,
    ...(body === undefined
      ? []
      : ["-H 'content-type: application/json'", `-d ${quoted(JSON.stringify(body))}`]),
  ].join(' ');

/** The command that sends a request to /_emulator. */
export const curlOf = (method: string, path: string, body?: unknown): string =>
  curl(method, `/_emulator${path}`, [], body);

/** The command that sends a request to a service, with a token of the user's own. */
export const curlOfService = (
  method: string,
  path: string,
  body?: unknown,
  version?: string,
): string =>
  curl(
    method,
    path,
    [
      '-H "X-Auth-Token: $(openstack token issue -f value -c id)"',
      ...(version === undefined ? [] : [`-H ${quoted(`OpenStack-API-Version: ${version}`)}`]),
    ],
    body,
  );

/** A command of cumulet for this emulator. */
export const cumulet = (...words: readonly string[]): string => {
  const port = location.port || (location.protocol === 'https:' ? '443' : '80');
  const isLocal = location.hostname === '127.0.0.1' && location.protocol === 'http:';
  const url = !isLocal ? ['--url', location.origin] : port === '6060' ? [] : ['--port', port];
  return ['npx', 'cumulet', ...words.map(quoted), ...url].join(' ');
};
