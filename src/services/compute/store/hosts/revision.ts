// The revision of everything that the scheduler knows about hosts before it reads any usage.
import type { Db } from '../../../../kernel/db/database.ts';
import { changeRevision } from '../../../../kernel/db/kept/revisions.ts';

/** The revision of hosts, their services and their aggregates. */
export const hostsRevision = 'compute.hosts';

/** Gives hosts a new revision. Every write to these tables begins with it. */
export const hostsChange = (db: Db): void => changeRevision(db, hostsRevision);
