// Libraries that are loaded on first use, because loading them takes a third of the start-up time.
import { createRequire } from 'node:module';
import type { XmlDom } from './xml/dom.ts';

const require = createRequire(import.meta.url);

/** Loads Ajv for JSON Schema 2020-12. */
export const loadAjv = (): typeof import('ajv/dist/2020.js') =>
  require('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js');

/** Loads the YAML library. */
export const loadYaml = (): typeof import('yaml') => require('yaml') as typeof import('yaml');

/** Loads the MySQL driver. */
export const loadMysql = (): typeof import('mysql2/promise') =>
  require('mysql2/promise') as typeof import('mysql2/promise');

/** Loads express-openapi-validator. */
export const loadValidator = (): typeof import('express-openapi-validator') =>
  require('express-openapi-validator') as typeof import('express-openapi-validator');

/** Loads the standard formats of JSON Schema. */
export const loadFormats = (): typeof import('ajv-formats/dist/formats.js') =>
  require('ajv-formats/dist/formats.js') as typeof import('ajv-formats/dist/formats.js');

/** Loads the library for password hashes. */
export const loadArgon2 = (): typeof import('@node-rs/argon2') =>
  require('@node-rs/argon2') as typeof import('@node-rs/argon2');

/** Loads RE2, for regular expressions from clients. */
export const loadRe2 = (): typeof import('re2js') => require('re2js') as typeof import('re2js');

/** Loads the HTTPS of Node. */
export const loadHttps = (): typeof import('node:https') =>
  require('node:https') as typeof import('node:https');

/** Loads the TLS of Node. */
export const loadTls = (): typeof import('node:tls') =>
  require('node:tls') as typeof import('node:tls');

/** Loads the library for documents in XML. */
export const loadXmlDom = (): XmlDom => require('@xmldom/xmldom') as XmlDom;

/** Loads the library for signatures in XML. */
export const loadXmlCrypto = (): typeof import('xml-crypto') =>
  require('xml-crypto') as typeof import('xml-crypto');

/** Loads the client of message buses. */
export const loadAmqp = (): typeof import('amqplib') =>
  require('amqplib') as typeof import('amqplib');

/** Loads JOSE, for tokens. */
export const loadJose = (): Promise<typeof import('jose')> => import('jose');
