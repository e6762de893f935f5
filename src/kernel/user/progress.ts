// Shows on a terminal that something still goes on.
import { pauseUnref } from '../clock.ts';

/** Returns to the beginning of a line, and deletes the line. */
const emptyLine = '\r\u001B[K';

/** When the first sign of progress appears, and how often it changes, in milliseconds. */
const interval = 1000;

/**
 * Waits for something. If it takes more than a second, a line on the terminal says how long it has
 * taken so far, and goes away at the end. Elsewhere nothing is shown.
 * @param what is going on, such as `Starting`
 */
export async function showingProgress<T>(
  what: string,
  something: Promise<T>,
  terminal: Pick<NodeJS.WriteStream, 'isTTY' | 'write'> = process.stderr,
): Promise<T> {
  if (!terminal.isTTY) return something;
  let [seconds, isDone] = [0, false];
  const show = async (): Promise<void> => {
    for (await pauseUnref(interval); !isDone; await pauseUnref(interval))
      terminal.write(`${emptyLine}${what} (${++seconds} s)`);
  };
  void show();
  try {
    return await something;
  } finally {
    isDone = true;
    if (seconds) terminal.write(emptyLine);
  }
}

/**
 * Works on items one at a time. If there are several, a line on the terminal says which one it is
 * at, and goes away at the end. Elsewhere nothing is shown.
 * @param what is done with each, such as `Rehearsing`
 * @param work gets that line, to show it while the item takes longer
 */
export async function eachShowingProgress<T, R>(
  what: string,
  items: readonly T[],
  work: (item: T, line: string) => Promise<R>,
  terminal: Pick<NodeJS.WriteStream, 'isTTY' | 'write'> = process.stderr,
): Promise<R[]> {
  const isShown = terminal.isTTY && items.length > 1;
  const results: R[] = [];
  try {
    for (const [index, item] of items.entries()) {
      const line = `${what} ${index + 1} of ${items.length}`;
      if (isShown) terminal.write(`${emptyLine}${line}`);
      results.push(await work(item, line));
    }
  } finally {
    if (isShown) terminal.write(emptyLine);
  }
  return results;
}
