// The page's clock and timers: the only file that reads the browser's time.

/** Milliseconds since 1970, by the clock of the browser's machine. */
export const browserNow = (): number => Date.now();

/** A monotonic counter in milliseconds. */
export const ticks = (): number => performance.now();

export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Runs a function after some time. @returns a function that cancels it */
export function after(milliseconds: number, run: () => void): () => void {
  const timer = setTimeout(run, milliseconds);
  return () => clearTimeout(timer);
}

/** Runs a function again and again. @returns a function that ends it */
export function every(milliseconds: number, run: () => void): () => void {
  const timer = setInterval(run, milliseconds);
  return () => clearInterval(timer);
}
