// Values that several parts of the page show, and that tell them when they change.
import { useEffect, useState } from 'preact/hooks';

/** A value with listeners. */
export class Store<T> {
  private value: T;
  private readonly listeners = new Set<(value: T) => void>();

  constructor(value: T) {
    this.value = value;
  }

  get(): T {
    return this.value;
  }

  set(value: T): void {
    if (Object.is(value, this.value)) return;
    this.value = value;
    for (const listener of this.listeners) listener(value);
  }

  /** @returns a function that removes the listener */
  listen(listener: (value: T) => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }
}

/** The value of a store; the component renders again when it changes. */
export function useStore<T>(store: Store<T>): T {
  const [, render] = useState(0);
  useEffect(() => store.listen(() => render((count) => count + 1)), [store]);
  return store.get();
}
