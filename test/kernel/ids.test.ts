// Tests of identifiers.
import { expect } from 'chai';
import fc from 'fast-check';
import {
  idFor,
  isUuidLike,
  newHexId,
  newRequestId,
  newSecret,
  newUuid,
  normalUuid,
  uuidFor,
} from '../../src/kernel/ids.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

describe('ids', () => {
  it('have the formats of OpenStack, and differ each time', () => {
    expect(newUuid()).to.match(uuid);
    expect(newHexId()).to.match(/^[0-9a-f]{32}$/);
    expect(newRequestId()).to.match(/^req-[0-9a-f-]{36}$/);
    for (const make of [newUuid, newHexId, newRequestId, newSecret])
      expect(make()).to.not.equal(make());
  });

  it('of seeded resources depend only on the name', () => {
    expect(idFor('user.admin'))
      .to.equal(idFor('user.admin'))
      .and.to.match(/^[0-9a-f]{32}$/);
    expect(idFor('user.admin')).to.not.equal(idFor('user.demo'));
    expect(uuidFor('a')).to.match(uuid);
    expect(uuidFor('a').replaceAll('-', '')).to.equal(idFor('a'));
  });

  it('that are secret have the requested number of bytes', () => {
    expect(Buffer.from(newSecret(32), 'base64url')).to.have.length(32);
    expect(newSecret()).to.match(/^[\w-]{64}$/);
  });
});

describe('isUuidLike and normalUuid', () => {
  const plain = '0123456789abcdef0123456789abcdef';
  const dashed = '01234567-89ab-cdef-0123-456789abcdef';
  const forms = [
    plain,
    dashed,
    dashed.toUpperCase(),
    `{${dashed}}`,
    `urn:uuid:${dashed}`,
    `urn:uuid:{${plain}}`,
    '0-1-2-3-4-5-6-7-89abcdef0123456789abcdef',
  ];
  for (const form of forms) {
    it(`accept ${form}`, () => {
      expect(isUuidLike(form)).to.equal(true);
      expect(normalUuid(form)).to.equal(dashed);
    });
  }

  for (const other of [
    '',
    'x',
    plain.slice(1),
    `${plain}0`,
    `${plain.slice(1)}g`,
    ` ${dashed}`,
    `${dashed}\n`,
    '-'.repeat(36),
    `(${dashed})`,
  ]) {
    it(`refuse ${JSON.stringify(other)}`, () => expect(isUuidLike(other)).to.equal(false));
  }

  it('normalize all forms of a UUID to the same text', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.boolean(), fc.boolean(), (id, upper, bare) => {
        const written = bare ? id.replaceAll('-', '') : id;
        expect(normalUuid(upper ? written.toUpperCase() : written)).to.equal(id);
      }),
    );
  });
});
