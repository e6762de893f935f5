// Content negotiation, as in pecan and WebOb.

/** The media ranges of an Accept header in lower case, without those of quality 0. */
function rangesOf(accept: string): string[] {
  return accept.split(',').flatMap((part) => {
    const [range = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
    return range && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter)) ? [range] : [];
  });
}

/** Whether the client accepts JSON. Without the header, or if it is empty, it accepts anything. */
export const acceptsJson = (accept: string | undefined): boolean =>
  !accept?.trim() ||
  rangesOf(accept).some((range) => ['application/json', 'application/*', '*/*'].includes(range));

export type ErrorMedia = 'application/json' | 'text/html' | 'text/plain';

/**
 * The media type of an error: JSON only if the header names it, and plain text without the header.
 * Upstream: pecan/core.py of 1.3, webob/exc.py.
 */
export function errorMedia(accept: string | undefined): ErrorMedia {
  const ranges = rangesOf(accept ?? '');
  if (ranges.includes('application/json')) return 'application/json';
  return ranges.some((range) => ['text/html', 'text/*', '*/*'].includes(range))
    ? 'text/html'
    : 'text/plain';
}
