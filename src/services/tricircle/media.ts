// What a client accepts, as pecan and WebOb see it.

/**
 * The media ranges of an Accept header that are not ruled out by a quality of zero, in lower case.
 */
function rangesOf(accept: string): string[] {
  return accept.split(',').flatMap((part) => {
    const [range = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
    return range && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter)) ? [range] : [];
  });
}

/** Whether the client takes JSON. No header, or an empty one, takes anything. */
export const takesJson = (accept: string | undefined): boolean =>
  !accept?.trim() ||
  rangesOf(accept).some((range) => ['application/json', 'application/*', '*/*'].includes(range));

export type ErrorMedia = 'application/json' | 'text/html' | 'text/plain';

/**
 * In what an error is told: JSON only to who names it, and text to who names nothing. Upstream:
 * pecan/core.py of 1.3, webob/exc.py.
 */
export function errorMedia(accept: string | undefined): ErrorMedia {
  const ranges = rangesOf(accept ?? '');
  if (ranges.includes('application/json')) return 'application/json';
  return ranges.some((range) => ['text/html', 'text/*', '*/*'].includes(range))
    ? 'text/html'
    : 'text/plain';
}
