// Links of lists.

/** The next page: a bare path, without the filters of this one, as upstream. */
export const nextLink = (
  path: string,
  { limit, marker }: { readonly limit: number; readonly marker: string | number },
): object[] => [{ rel: 'next', href: `${path}?limit=${limit}&marker=${marker}` }];
