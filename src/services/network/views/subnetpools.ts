// The view of a subnet pool.
import type { Subnetpool, Tags } from '../model.ts';
import { standardView, tagsView, type View } from './view.ts';

/** Prefix lengths are strings, as upstream: neutron/db/db_base_plugin_common.py. */
export const subnetpoolView = (pool: Subnetpool, details: Tags): View => ({
  ...pool,
  ...standardView(pool),
  min_prefixlen: String(pool.min_prefixlen),
  max_prefixlen: String(pool.max_prefixlen),
  default_prefixlen: String(pool.default_prefixlen),
  ...tagsView(pool, details),
});
