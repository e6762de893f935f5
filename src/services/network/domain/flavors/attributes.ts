// The attributes of flavors and service profiles.
import { listable, type Attribute, type AttributeMap } from '../attributes/definitions.ts';
import { text, uuid, uuidList } from '../attributes/checks.ts';
import { id, name } from '../attributes/common.ts';
import { nullToEmptyText, toBoolean } from '../attributes/convert.ts';
import { invalidServiceType } from '../refusals.ts';

const longText: Attribute = { ...listable, post: true, put: true, fallback: '', check: text(1024) };
const description: Attribute = { ...longText, convert: nullToEmptyText };
const enabled: Attribute = {
  ...listable,
  post: true,
  put: true,
  fallback: true,
  convert: toBoolean,
};

/** The types of the service plugins of Network. */
const serviceTypes: readonly unknown[] = [
  'CORE',
  'L3_ROUTER_NAT',
  'FLAVORS',
  'QOS',
  'METERING',
  'PORTFORWARDING',
  'trunk',
  'auto-allocated-topology',
  'network-ip-availability',
  'revision_plugin',
  'timestamp',
];

/** @throws 400 if no service plugin has this type */
function serviceType(value: unknown): undefined {
  if (!serviceTypes.includes(value)) throw invalidServiceType(value);
}

export const flavorAttributes: AttributeMap = {
  resource: 'flavor',
  collection: 'flavors',
  bulk: false,
  attributes: {
    id,
    name,
    description,
    service_type: { ...listable, post: true, check: serviceType },
    // Upstream accepts profiles here, but only the operations below the flavor associate them.
    service_profiles: { post: true, put: true, fallback: [], check: uuidList },
    enabled,
  },
};

export const profileAttributes: AttributeMap = {
  resource: 'service_profile',
  collection: 'service_profiles',
  bulk: false,
  attributes: {
    id,
    description,
    driver: longText,
    metainfo: { post: true, put: true, fallback: '', sort: true, check: text(4096) },
    enabled,
  },
};

/** The attributes of a profile in the request that gives it to a flavor. */
export const associationAttributes: AttributeMap = {
  resource: 'service_profile',
  collection: 'service_profiles',
  noun: 'flavor_service_profile',
  attributes: { id: { post: true, check: uuid } },
};
