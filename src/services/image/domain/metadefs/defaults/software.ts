// Default metadata definitions: installed software.
// Names, types and values are those of upstream's etc/metadefs.
import { forType, integer, text, type DefaultNamespace } from './shapes.ts';

export const softwareDefaults: readonly DefaultNamespace[] = [
  {
    namespace: 'OS::Software::DBMS',
    displayName: 'Database Software',
    description: 'The database management systems that are installed.',
    associations: [
      forType('OS::Glance::Image'),
      forType('OS::Cinder::Volume', '', 'image'),
      forType('OS::Nova::Server', '', 'metadata'),
      forType('OS::Trove::Instance'),
    ],
    objects: [
      {
        name: 'MySQL',
        description: 'The installation of MySQL.',
        properties: {
          sw_database_mysql_version: text('Version', 'The version of MySQL.'),
          sw_database_mysql_listen_port: integer(
            'Listen Port',
            'The port on which MySQL listens.',
            { minimum: 1, maximum: 65535, default: 3606 },
          ),
          sw_database_mysql_admin: text('Admin User', 'The user who administers MySQL.', {
            default: 'root',
          }),
        },
      },
      {
        name: 'PostgreSQL',
        description: 'The installation of PostgreSQL.',
        properties: {
          sw_database_postgresql_version: text('Version', 'The version of PostgreSQL.'),
          sw_database_postgresql_listen_port: integer(
            'Listen Port',
            'The port on which PostgreSQL listens.',
            { minimum: 1, maximum: 65535, default: 5432 },
          ),
          sw_database_postgresql_admin: text('Admin User', 'The user who administers PostgreSQL.', {
            default: 'postgres',
          }),
        },
      },
      {
        name: 'SQL Server',
        description: 'The installation of SQL Server.',
        properties: {
          sw_database_sqlserver_version: text('Version', 'The version of SQL Server.'),
          sw_database_sqlserver_edition: text('Edition', 'The edition of SQL Server.', {
            default: 'Express',
            enum: [
              'Datacenter',
              'Enterprise',
              'Standard',
              'Web',
              'Business Intelligence',
              'Workgroup',
              'Express',
              'Compact (SQL CE)',
              'Developer',
              'Embedded (SSEE)',
              'Express',
              'Fast Track',
              'LocalDB',
              'Parallel Data Warehouse (PDW)',
              'Business Intelligence',
              'Datawarehouse Appliance Edition',
            ],
          }),
          sw_database_sqlserver_listen_port: integer(
            'Listen Port',
            'The port on which SQL Server listens.',
            { minimum: 1, maximum: 65535, default: 1433 },
          ),
          sw_database_postsqlserver_admin: text(
            'Admin User',
            'The user who administers SQL Server.',
            { default: 'sa' },
          ),
        },
      },
      {
        name: 'Oracle',
        description: 'The installation of Oracle.',
        properties: {
          sw_database_oracle_version: text('Version', 'The version of Oracle.'),
          sw_database_oracle_edition: text('Edition', 'The edition of Oracle.', {
            default: 'Express',
            enum: [
              'Enterprise',
              'Standard',
              'Standard Edition One',
              'Express (XE)',
              'Workgroup',
              'Lite',
            ],
          }),
          sw_database_oracle_listen_port: integer(
            'Listen Port',
            'The port on which Oracle listens.',
            { minimum: 1, maximum: 65535, default: 1521 },
          ),
        },
      },
      {
        name: 'DB2',
        description: 'The installation of DB2.',
        properties: {
          sw_database_db2_version: text('Version', 'The version of DB2.'),
          sw_database_db2_port: integer('Listen Port', 'The port on which DB2 listens.', {
            minimum: 1,
            maximum: 65535,
            default: 5432,
          }),
          sw_database_db2_admin: text('Admin User', 'The user who administers DB2.'),
        },
      },
      {
        name: 'MongoDB',
        description: 'The installation of MongoDB.',
        properties: {
          sw_database_mongodb_version: text('Version', 'The version of MongoDB.'),
          sw_database_mongodb_listen_port: integer(
            'Listen Port',
            'The port on which MongoDB listens.',
            { minimum: 1, maximum: 65535, default: 27017 },
          ),
          sw_database_mongodb_admin: text('Admin User', 'The user who administers MongoDB.'),
        },
      },
      {
        name: 'Couchbase Server',
        description: 'The installation of Couchbase Server.',
        properties: {
          sw_database_couchbaseserver_version: text('Version', 'The version of Couchbase Server.'),
          sw_database_couchbaseserver_listen_port: integer(
            'Listen Port',
            'The port on which Couchbase Server listens.',
            { minimum: 1, maximum: 65535, default: 11211 },
          ),
          sw_database_couchbaseserver_admin: text(
            'Admin User',
            'The user who administers Couchbase Server.',
            { default: 'admin' },
          ),
        },
      },
      {
        name: 'Redis',
        description: 'The installation of Redis.',
        properties: {
          sw_database_redis_version: text('Version', 'The version of Redis.'),
          sw_database_redis_listen_port: integer(
            'Listen Port',
            'The port on which Redis listens.',
            { minimum: 1, maximum: 65535, default: 6379 },
          ),
          sw_database_redis_admin: text('Admin User', 'The user who administers Redis.', {
            default: 'admin',
          }),
        },
      },
      {
        name: 'CouchDB',
        description: 'The installation of CouchDB.',
        properties: {
          sw_database_couchdb_version: text('Version', 'The version of CouchDB.'),
          sw_database_couchdb_listen_port: integer(
            'Listen Port',
            'The port on which CouchDB listens.',
            { minimum: 1, maximum: 65535, default: 5984 },
          ),
          sw_database_couchdb_admin: text('Admin User', 'The user who administers CouchDB.'),
        },
      },
      {
        name: 'Apache Cassandra',
        description: 'The installation of Apache Cassandra.',
        properties: {
          sw_database_cassandra_version: text('Version', 'The version of Apache Cassandra.'),
          sw_database_cassandra_listen_port: integer(
            'Listen Port',
            'The port on which Apache Cassandra listens.',
            { minimum: 1, maximum: 65535, default: 9160 },
          ),
          sw_database_cassandra_admin: text(
            'Admin User',
            'The user who administers Apache Cassandra.',
            { default: 'cassandra' },
          ),
        },
      },
      {
        name: 'HBase',
        description: 'The installation of HBase.',
        properties: { sw_database_hbase_version: text('Version', 'The version of HBase.') },
      },
      {
        name: 'Hazlecast',
        description: 'The installation of Hazlecast.',
        properties: {
          sw_database_hazlecast_version: text('Version', 'The version of Hazlecast.'),
          sw_database_hazlecast_port: integer(
            'Listen Port',
            'The port on which Hazlecast listens.',
            { minimum: 1, maximum: 65535, default: 5701 },
          ),
        },
      },
    ],
  },
  {
    namespace: 'OS::Software::Runtimes',
    displayName: 'Runtime Environment',
    description: 'The runtime environments of programming languages that are installed.',
    associations: [
      forType('OS::Glance::Image'),
      forType('OS::Cinder::Volume', '', 'image'),
      forType('OS::Nova::Server', '', 'metadata'),
    ],
    objects: [
      {
        name: 'PHP',
        description: 'The installation of PHP.',
        properties: { sw_runtime_php_version: text('Version', 'The version of PHP.') },
      },
      {
        name: 'Python',
        description: 'The installation of Python.',
        properties: { sw_runtime_python_version: text('Version', 'The version of Python.') },
      },
      {
        name: 'Java',
        description: 'The installation of Java.',
        properties: { sw_runtime_java_version: text('Version', 'The version of Java.') },
      },
      {
        name: 'Ruby',
        description: 'The installation of Ruby.',
        properties: { sw_runtime_ruby_version: text('Version', 'The version of Ruby.') },
      },
      {
        name: 'Perl',
        description: 'The installation of Perl.',
        properties: { sw_runtime_perl_version: text('Version', 'The version of Perl.') },
      },
    ],
  },
  {
    namespace: 'OS::Software::WebServers',
    displayName: 'Web Servers',
    description: 'The web servers that are installed.',
    associations: [
      forType('OS::Glance::Image'),
      forType('OS::Cinder::Volume', '', 'image'),
      forType('OS::Nova::Server', '', 'metadata'),
    ],
    objects: [
      {
        name: 'Apache HTTP Server',
        description: 'The installation of Apache HTTP Server.',
        properties: {
          sw_webserver_apache_version: text('Version', 'The version of Apache HTTP Server.'),
          sw_webserver_apache_http_port: integer('HTTP Port', 'The port for HTTP.', {
            minimum: 1,
            maximum: 65535,
            default: 80,
          }),
          sw_webserver_apache_https_port: integer('HTTPS Port', 'The port for HTTPS.', {
            minimum: 1,
            maximum: 65535,
            default: 443,
          }),
        },
      },
      {
        name: 'Nginx',
        description: 'The installation of Nginx.',
        properties: {
          sw_webserver_nginx_version: text('Version', 'The version of Nginx.'),
          sw_webserver_nginx_http_port: integer('HTTP Port', 'The port for HTTP.', {
            minimum: 1,
            maximum: 65535,
            default: 80,
          }),
          sw_webserver_nginx_https_port: integer('HTTPS Port', 'The port for HTTPS.', {
            minimum: 1,
            maximum: 65535,
            default: 443,
          }),
        },
      },
      {
        name: 'IIS',
        description: 'The installation of IIS.',
        properties: {
          sw_webserver_iis_version: text('Version', 'The version of IIS.'),
          sw_webserver_iis_http_port: integer('HTTP Port', 'The port for HTTP.', {
            minimum: 1,
            maximum: 65535,
            default: 80,
          }),
          sw_webserver_iis_https_port: integer('HTTPS Port', 'The port for HTTPS.', {
            minimum: 1,
            maximum: 65535,
            default: 443,
          }),
        },
      },
    ],
  },
];
