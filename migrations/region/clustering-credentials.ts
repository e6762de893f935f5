// Credentials of Clustering for each set of roles: a later request with other roles no longer
// changes what earlier clusters and webhooks may do. Records name the credential that they were
// created with.
import type { Migration } from '../../src/kernel/db/database.ts';

interface Row {
  readonly user_id: string;
  readonly project_id: string;
  readonly trust_id: string | null;
  readonly roles: string;
}

const delegated = ['clusters', 'nodes', 'receivers', 'actions'];

export const clusteringCredentials: Migration = {
  name: 'clustering-credentials-1',
  async up(db) {
    const rows = (await db('clustering_credentials').select()) as Row[];
    await db.schema.dropTable('clustering_credentials');
    await db.schema.createTable('clustering_credentials', (table) => {
      table.string('id', 36).primary();
      table.string('user_id', 64).notNullable();
      table.string('project_id', 64).notNullable();
      table.string('trust_id', 64);
      table.text('roles', 'mediumtext').notNullable();
    });
    for (const [index, row] of rows.entries())
      await db('clustering_credentials').insert({
        id: row.trust_id ?? `no-trust-${index}`,
        ...row,
      });
    for (const name of delegated) {
      const table = `clustering_${name}`;
      await db.schema.alterTable(table, (columns) => void columns.string('credential_id', 36));
      const sameOwner = { user_id: `${table}.user_id`, project_id: `${table}.project_id` };
      const credential = db('clustering_credentials as credential').select('credential.id');
      for (const [column, other] of Object.entries(sameOwner))
        void credential.where(`credential.${column}`, db.ref(other));
      await db(table).update({ credential_id: credential });
    }
  },
};
