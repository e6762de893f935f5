// Default metadata definitions: installed software.
// Names, types and values are those of upstream's etc/metadefs.
import type { PropertyType } from '../../../model.ts';
import { forType, integer, text, type DefaultNamespace } from './shapes.ts';

const version = (name: string): PropertyType => text('Version', `The version of ${name}.`);

const port = (title: string, description: string, usual: number): PropertyType =>
  integer(title, description, { minimum: 1, maximum: 65535, default: usual });

const listenPort = (name: string, usual: number): PropertyType =>
  port('Listen Port', `The port on which ${name} listens.`, usual);

const admin = (name: string, usual?: string): PropertyType =>
  text(
    'Admin User',
    `The user who administers ${name}.`,
    usual === undefined ? {} : { default: usual },
  );

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
          sw_database_mysql_version: version('MySQL'),
          sw_database_mysql_listen_port: listenPort('MySQL', 3606),
          sw_database_mysql_admin: admin('MySQL', 'root'),
        },
      },
      {
        name: 'PostgreSQL',
        description: 'The installation of PostgreSQL.',
        properties: {
          sw_database_postgresql_version: version('PostgreSQL'),
          sw_database_postgresql_listen_port: listenPort('PostgreSQL', 5432),
          sw_database_postgresql_admin: admin('PostgreSQL', 'postgres'),
        },
      },
      {
        name: 'SQL Server',
        description: 'The installation of SQL Server.',
        properties: {
          sw_database_sqlserver_version: version('SQL Server'),
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
          sw_database_sqlserver_listen_port: listenPort('SQL Server', 1433),
          sw_database_postsqlserver_admin: admin('SQL Server', 'sa'),
        },
      },
      {
        name: 'Oracle',
        description: 'The installation of Oracle.',
        properties: {
          sw_database_oracle_version: version('Oracle'),
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
          sw_database_oracle_listen_port: listenPort('Oracle', 1521),
        },
      },
      {
        name: 'DB2',
        description: 'The installation of DB2.',
        properties: {
          sw_database_db2_version: version('DB2'),
          sw_database_db2_port: listenPort('DB2', 5432),
          sw_database_db2_admin: admin('DB2'),
        },
      },
      {
        name: 'MongoDB',
        description: 'The installation of MongoDB.',
        properties: {
          sw_database_mongodb_version: version('MongoDB'),
          sw_database_mongodb_listen_port: listenPort('MongoDB', 27017),
          sw_database_mongodb_admin: admin('MongoDB'),
        },
      },
      {
        name: 'Couchbase Server',
        description: 'The installation of Couchbase Server.',
        properties: {
          sw_database_couchbaseserver_version: version('Couchbase Server'),
          sw_database_couchbaseserver_listen_port: listenPort('Couchbase Server', 11211),
          sw_database_couchbaseserver_admin: admin('Couchbase Server', 'admin'),
        },
      },
      {
        name: 'Redis',
        description: 'The installation of Redis.',
        properties: {
          sw_database_redis_version: version('Redis'),
          sw_database_redis_listen_port: listenPort('Redis', 6379),
          sw_database_redis_admin: admin('Redis', 'admin'),
        },
      },
      {
        name: 'CouchDB',
        description: 'The installation of CouchDB.',
        properties: {
          sw_database_couchdb_version: version('CouchDB'),
          sw_database_couchdb_listen_port: listenPort('CouchDB', 5984),
          sw_database_couchdb_admin: admin('CouchDB'),
        },
      },
      {
        name: 'Apache Cassandra',
        description: 'The installation of Apache Cassandra.',
        properties: {
          sw_database_cassandra_version: version('Apache Cassandra'),
          sw_database_cassandra_listen_port: listenPort('Apache Cassandra', 9160),
          sw_database_cassandra_admin: admin('Apache Cassandra', 'cassandra'),
        },
      },
      {
        name: 'HBase',
        description: 'The installation of HBase.',
        properties: { sw_database_hbase_version: version('HBase') },
      },
      {
        name: 'Hazlecast',
        description: 'The installation of Hazlecast.',
        properties: {
          sw_database_hazlecast_version: version('Hazlecast'),
          sw_database_hazlecast_port: listenPort('Hazlecast', 5701),
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
        properties: { sw_runtime_php_version: version('PHP') },
      },
      {
        name: 'Python',
        description: 'The installation of Python.',
        properties: { sw_runtime_python_version: version('Python') },
      },
      {
        name: 'Java',
        description: 'The installation of Java.',
        properties: { sw_runtime_java_version: version('Java') },
      },
      {
        name: 'Ruby',
        description: 'The installation of Ruby.',
        properties: { sw_runtime_ruby_version: version('Ruby') },
      },
      {
        name: 'Perl',
        description: 'The installation of Perl.',
        properties: { sw_runtime_perl_version: version('Perl') },
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
          sw_webserver_apache_version: version('Apache HTTP Server'),
          sw_webserver_apache_http_port: port('HTTP Port', 'The port for HTTP.', 80),
          sw_webserver_apache_https_port: port('HTTPS Port', 'The port for HTTPS.', 443),
        },
      },
      {
        name: 'Nginx',
        description: 'The installation of Nginx.',
        properties: {
          sw_webserver_nginx_version: version('Nginx'),
          sw_webserver_nginx_http_port: port('HTTP Port', 'The port for HTTP.', 80),
          sw_webserver_nginx_https_port: port('HTTPS Port', 'The port for HTTPS.', 443),
        },
      },
      {
        name: 'IIS',
        description: 'The installation of IIS.',
        properties: {
          sw_webserver_iis_version: version('IIS'),
          sw_webserver_iis_http_port: port('HTTP Port', 'The port for HTTP.', 80),
          sw_webserver_iis_https_port: port('HTTPS Port', 'The port for HTTPS.', 443),
        },
      },
    ],
  },
];
