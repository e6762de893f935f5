// The address of the page: a view, and its filters as a query, so that every state can be shared.
import { Store, useStore } from './store.ts';

const base = '/_emulator/ui/';

/** Where the page is. */
export interface Place {
  /** The name of the view; empty for the overview. */
  readonly view: string;
  readonly query: Readonly<Record<string, string>>;
}

const read = (): Place => ({
  view: decodeURIComponent(location.pathname.replace(/^\/_emulator\/ui\/?/, '')),
  query: Object.fromEntries(new URLSearchParams(location.search)),
});

export const place = new Store<Place>(read());

/** The address of a view. Empty values are left out. The region stays. */
export function hrefOf(view: string, query: Readonly<Record<string, string | undefined>> = {}) {
  const region = place.get().query['region'];
  const all = { ...(region === undefined ? {} : { region }), ...query };
  const kept = Object.entries(all).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== '',
  );
  return base + view + (kept.length ? `?${new URLSearchParams(kept).toString()}` : '');
}

/** Goes to an address of the page. */
export function go(href: string, how: 'push' | 'replace' = 'push'): void {
  if (how === 'push') history.pushState(null, '', href);
  else history.replaceState(null, '', href);
  place.set(read());
}

/** Changes values of the query; an empty value removes its name. */
export function setQuery(
  changes: Readonly<Record<string, string | undefined>>,
  how: 'push' | 'replace' = 'replace',
): void {
  const { view, query } = place.get();
  go(hrefOf(view, { ...query, ...changes }), how);
}

/** The query of the address. */
export const useQuery = (): Place['query'] => useStore(place).query;

/** Follows links within the page without loading it again, and the buttons of the browser. */
export function startRouter(): void {
  addEventListener('popstate', () => place.set(read()));
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    const href = link?.getAttribute('href');
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey;
    if (!href?.startsWith(base) || !isPlain || link?.hasAttribute('download')) return;
    event.preventDefault();
    go(href);
    if (!href.includes(`${location.pathname}?`)) document.querySelector('main')?.focus();
  });
}
