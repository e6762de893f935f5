// The views of Tricircle's only version. Upstream: tricircle/api/controllers/root.py.

/** The URL of Tricircle, as the client knows it. */
interface Base {
  readonly origin: string;
  readonly prefix: string;
}

const collections = ['bindings', 'jobs', 'pod-affinity-tag', 'pods', 'routings', 'usages'];

export const versionsView = ({ origin, prefix }: Base): object => ({
  versions: [
    {
      status: 'CURRENT',
      links: [{ rel: 'self', href: `${origin}${prefix}/v1.0/` }],
      id: 'v1.0',
      updated: '2015-09-09',
    },
  ],
});

export function versionView({ origin, prefix }: Base): object {
  const root = `${origin}${prefix}/v1.0`;
  return {
    version: '1.0',
    links: [
      { rel: 'self', href: root },
      ...collections.map((rel) => ({ rel, href: `${root}/${rel}` })),
    ],
  };
}
