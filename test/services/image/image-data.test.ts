// Tests the data of images, deactivation, and Image's internal API.
import { expect } from 'chai';
import type { Db } from '../../../src/kernel/db/database.ts';
import { transact } from '../../../src/kernel/db/transaction.ts';
import type { Context } from '../../../src/kernel/model.ts';
import { anonymous, systemContext, contextWith } from '../../../src/kernel/context.ts';
import {
  createImage,
  emptyQcow2,
  storeData,
  visibleImage,
} from '../../../src/services/image/index.ts';
import { onEachDatabase, noon } from '../../support/cloud.ts';
import { ask, make, octets, said, upload } from './support.ts';

onEachDatabase('image data', { auth: 'noauth2' }, (world) => {
  const file = (id: string): string => `/v2/images/${id}/file`;

  it('returns the uploaded bytes, also of data in several parts', async () => {
    const id = await make(world, 'alice');
    const data = Buffer.alloc(3_000_000, Buffer.from([0, 255, 128, 13, 10, 7, 1]));
    await ask(world, 'alice', 'PUT', file(id), { headers: octets }).send(data).expect(204);
    const reply = await ask(world, 'alice', 'GET', file(id)).buffer(true).expect(200);
    expect(Buffer.compare(reply.body as Buffer, data)).to.equal(0);
    expect(reply.headers).to.include({
      'content-type': 'application/octet-stream',
      'content-length': '3000000',
    });
    const { body } = await ask(world, 'alice', 'GET', `/v2/images/${id}`);
    expect(body).to.include({
      status: 'active',
      size: 3_000_000,
      virtual_size: 3_000_000,
      os_hash_algo: 'sha512',
    });
    expect(reply.headers['content-md5']).to.equal(body.checksum);
    const part = await ask(world, 'alice', 'GET', file(id), {
      headers: { range: 'bytes=1048570-1048589' },
    }).expect(206);
    expect(part.headers['content-range']).to.equal('bytes 1048570-1048589/3000000');
    expect(Buffer.compare(part.body as Buffer, data.subarray(1048570, 1048590))).to.equal(0);
  });

  it('sets checksum and hash of the uploaded bytes', async () => {
    const id = await make(world, 'alice');
    await upload(world, 'alice', id, 'data').expect(204);
    const { body } = await ask(world, 'alice', 'GET', `/v2/images/${id}`);
    expect(body.checksum).to.equal('8d777f385d3dfec8815d20f7496026dc');
    expect(body.os_hash_value).to.match(/^77c7ce9a5d86bb386d443bb96390faa1/);
  });

  it('returns 206 with the bytes of a range, and 416 beyond the end', async () => {
    const id = await make(world, 'alice');
    await upload(world, 'alice', id, '0123456789').expect(204);
    const get = (range: string) => ask(world, 'alice', 'GET', file(id), { headers: { range } });
    const cases: [string, string, string][] = [
      ['bytes=0-4', '01234', 'bytes 0-4/10'],
      ['bytes=7-', '789', 'bytes 7-9/10'],
      ['bytes=-2', '89', 'bytes 8-9/10'],
      ['bytes=5-99', '56789', 'bytes 5-9/10'],
    ];
    for (const [range, text, content] of cases) {
      const reply = await get(range).expect(206);
      expect(
        [(reply.body as Buffer).toString(), reply.headers['content-range']],
        range,
      ).to.deep.equal([text, content]);
    }
    await get('bytes=10-').expect(416);
    await get('lines=1-2').expect(200);
  });

  it('returns an error on upload to an active image, one without formats, or another project’s', async () => {
    const bare = await make(world, 'alice', { disk_format: null, container_format: null });
    expect(said(await upload(world, 'alice', bare, 'x').expect(400))).to.equal(
      'Properties disk_format, container_format must be set prior to saving data.',
    );
    const id = await make(world, 'alice', { visibility: 'community' });
    await upload(world, 'bob', id, 'x').expect(403);
    await upload(world, 'reader', id, 'x').expect(403);
    await upload(world, 'alice', id, 'x').expect(204);
    expect(said(await upload(world, 'alice', id, 'x').expect(409))).to.equal(
      'Image status transition from active to saving is not allowed',
    );
    await ask(world, 'alice', 'PUT', file(id), { body: '{}' }).expect(415);
    await upload(world, 'alice', 'none', 'x').expect(404);
  });

  it('returns 400 if the data has another size than the header declares', async () => {
    const id = await make(world, 'alice');
    const send = (size: string) =>
      ask(world, 'alice', 'PUT', file(id), {
        headers: { ...octets, 'x-openstack-image-size': size },
        body: 'data',
      });
    await send('x').expect(400);
    await send('5').expect(400);
    await send('4').expect(204);
  });

  describe('PUT /v2/images/{image_id}/file inspects the data, and', () => {
    const sized = (size: number, ...parts: readonly [at: number, bytes: string][]): Buffer => {
      const data = Buffer.alloc(size);
      for (const [at, bytes] of parts) data.write(bytes, at, 'latin1');
      return data;
    };
    const gigabyte = 1024 ** 3;
    const qcow2 = emptyQcow2(gigabyte);
    const changed = (data: Buffer, at: number, byte: number): Buffer => {
      const copy = Buffer.from(data);
      copy[at] = byte;
      return copy;
    };
    const vmdk = (extents: string): Buffer => {
      const text =
        '# Disk ' +
        `DescriptorFile\nversion=1\ncreateType="monolithicSparse"\n${extents}\nddb.adapterType ` +
        '= "ide"\n';
      const data = sized(2048, [0, 'KDMV'], [512, text]);
      data.writeBigUInt64LE(2n, 12);
      data.writeBigUInt64LE(1n, 28);
      data.writeBigUInt64LE(2n, 36);
      return data;
    };
    const iso = sized(34 * 1024, [32_769, 'CD001']);
    iso[32_768] = 1;
    iso.writeUInt32LE(5, 32_768 + 80);
    iso.writeUInt16LE(2048, 32_768 + 128);
    const bootable = changed(
      changed(changed(changed(iso, 510, 0x55), 511, 0xaa), 446, 0x80),
      450,
      0x83,
    );
    const gpt = changed(changed(sized(1024), 510, 0x55), 511, 0xaa);

    const send = async (
      disk_format: string,
      data: Buffer,
      container_format = 'bare',
    ): Promise<unknown> => {
      const id = await make(world, 'alice', { disk_format, container_format });
      const reply = await ask(world, 'alice', 'PUT', file(id), { headers: octets }).send(data);
      const { body } = await ask(world, 'alice', 'GET', `/v2/images/${id}`).expect(200);
      const image = body as { status: string; virtual_size: number | null };
      if (reply.status === 204) return image.virtual_size;
      expect([reply.status, image.status]).to.deep.equal([415, 'queued']);
      return said(reply).split('<br /><br />').at(-1)!.trim();
    };

    it('sets virtual_size to the size of the disk', async () => {
      const disks: [string, Buffer, number | null][] = [
        ['qcow2', qcow2, gigabyte],
        ['raw', Buffer.from('data'), 4],
        ['raw', qcow2, 512],
        ['vhd', sized(512, [0, 'conectix'], [46, '\x01']), 256],
        ['vdi', sized(512, [0x40, '\x7f\x10\xda\xbe'], [0x170, '\x07']), 7],
        ['vmdk', vmdk('RW 2 SPARSE "disk.vmdk"'), 1024],
        ['iso', iso, 10_240],
        ['iso', bootable, 10_240],
        ['ami', Buffer.from('data'), null],
        ['ploop', Buffer.from('data'), null],
      ];
      for (const [format, data, size] of disks)
        expect(await send(format, data), format).to.equal(size);
      expect(await send('qcow2', Buffer.from('data'), 'ovf')).to.equal(null);
    });

    it('returns 415 if the data has another format than the image', async () => {
      expect(await send('qcow2', Buffer.from('data'))).to.equal(
        'Image disk_format qcow2 does not match stream data raw',
      );
      expect(await send('qcow2', qcow2.subarray(0, 100))).to.equal(
        'Image disk_format qcow2 does not match stream data raw',
      );
      expect(await send('vmdk', qcow2)).to.equal(
        'Image disk_format vmdk does not match stream data qcow2',
      );
      expect(await send('ami', qcow2)).to.equal(
        'Image disk_format ami does not match stream data qcow2',
      );
      const both = changed(changed(qcow2, 510, 0x55), 511, 0xaa);
      expect(await send('qcow2', both)).to.equal('Multiple formats detected: qcow2,gpt');
    });

    it('returns 415 for unsafe data, also if the image claims to be raw', async () => {
      const unsafe: [string, Buffer][] = [
        ['qcow2', changed(qcow2, 15, 1)],
        ['qcow2', changed(qcow2, 79, 4)],
        ['qcow2', changed(qcow2, 79, 16)],
        ['qcow2', changed(qcow2, 7, 4)],
        ['raw', changed(qcow2, 15, 1)],
        ['raw', sized(512, [0, 'QED\0'])],
        ['raw', gpt],
        ['vmdk', vmdk('RW 2 FLAT "/etc/passwd"')],
        ['vmdk', vmdk('')],
        ['vmdk', sized(16, [0, 'KDMV'])],
      ];
      for (const [format, data] of unsafe)
        expect(await send(format, data), format).to.equal('Image failed safety checks');
    });
  });

  it('returns 204 for the data of a queued image', async () => {
    await ask(world, 'alice', 'GET', file(await make(world, 'alice'))).expect(204);
  });

  it('returns 403 for a deactivated image to all but administrators', async () => {
    const id = await make(world, 'alice');
    const act = (verb: string) => ask(world, 'alice', 'POST', `/v2/images/${id}/actions/${verb}`);
    expect(said(await act('deactivate').expect(403))).to.equal(
      "Not allowed to deactivate image in status 'queued'",
    );
    await upload(world, 'alice', id, 'x').expect(204);
    await act('reactivate').expect(204);
    await act('deactivate').expect(204);
    await act('deactivate').expect(204);
    const refused = await ask(world, 'alice', 'GET', file(id)).expect(403);
    expect(said(refused)).to.equal(
      'The requested image has been deactivated. Image data download is forbidden.',
    );
    await ask(world, 'admin', 'GET', file(id)).expect(200);
    await act('reactivate').expect(204);
    await ask(world, 'alice', 'GET', file(id)).expect(200);
    await ask(world, 'reader', 'GET', file(id)).expect(403);
  });

  it('lets other services find the images that their callers see, and create snapshots', async () => {
    const { cloud } = world;
    const { db } = cloud.firstRegion.database;
    const contextOf = (trx: Db, projectId: string): Context => {
      const actor = { ...anonymous, projectId };
      return contextWith(systemContext(cloud, cloud.firstRegion, trx, noon), { actor });
    };
    const fields = {
      owner: 'blue',
      name: 'snap',
      visibility: 'private',
      properties: { base: 'x' },
      minDisk: 3,
    } as const;
    const made = await transact(db, async (trx) => {
      const context = contextOf(trx, 'blue');
      const queued = await createImage(context, {
        ...fields,
        containerFormat: 'bare',
        diskFormat: 'qcow2',
      });
      return storeData(context, queued, emptyQcow2(1024));
    });
    expect(await visibleImage(contextOf(db, 'red'), made.id)).to.equal(undefined);
    expect(await visibleImage(contextOf(db, 'blue'), made.id)).to.include({
      status: 'active',
      size: 512,
      virtualSize: 1024,
      minDisk: 3,
    });
    const { body } = await ask(world, 'alice', 'GET', `/v2/images/${made.id}`).expect(200);
    expect(body).to.include({ name: 'snap', base: 'x', disk_format: 'qcow2', status: 'active' });
  });
});
