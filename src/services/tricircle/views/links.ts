// The links of paginated lists.

/** The link to the next page. As upstream, it is a path, without the filters of the request. */
export const nextLink = (
  path: string,
  { limit, marker }: { readonly limit: number; readonly marker: string | number },
): object[] => [{ rel: 'next', href: `${path}?limit=${limit}&marker=${marker}` }];
