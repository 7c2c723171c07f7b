/** Responses to clients that are not git, or misbehave. */
import { readdir } from 'node:fs/promises';
import { request } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { RepositoryRef } from '@slipway/foundation/ports/source.ts';
import { SourceOnHttp } from './git-client.fixture.ts';
import { flushPkt, pkt } from './pkt-line.ts';

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

describe('git over plain HTTP', () => {
  let host: SourceOnHttp;
  let ref: RepositoryRef;
  let head: string;
  beforeAll(async () => {
    host = await SourceOnHttp.start({ limits: { maxPackBytes: 100_000 } });
    ref = await host.create('plain');
    head = (await host.source.repository(ref))?.headCommit ?? '';
  });
  afterAll(async () => {
    await host.stop();
    expect(host.errors).toEqual([]);
  });

  const authorization = `Basic ${Buffer.from('ada:writer').toString('base64')}`;
  const send = (method: string, path: string, headers: Record<string, string> = { authorization }, body?: Buffer): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port: host.port, method, path, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }));
      });
      sent.on('error', reject);
      if (headers.expect === undefined) sent.end(body);
      else sent.on('continue', () => sent.end(body));
    });
  const post = (service: string, body: Buffer, headers: Record<string, string> = {}): Promise<Answer> =>
    send(
      'POST',
      `/git/berth/plain.git/git-${service}`,
      { authorization, 'content-type': `application/x-git-${service}-request`, ...headers },
      body,
    );
  const wanting = (): Buffer => Buffer.concat([pkt(`want ${head} side-band-64k ofs-delta\n`), flushPkt, pkt('done\n')]);

  test.each([
    ['GET', '/git/berth/plain.git/HEAD', 404],
    ['GET', '/git/berth/plain.git/objects/info/packs', 404],
    ['GET', '/git/berth/plain.git/../plain.git/info/refs?service=git-upload-pack', 404],
    ['GET', '/git/berth/..%2fberth%2fplain.git/info/refs?service=git-upload-pack', 404],
    ['GET', '/git/.aside/plain.git/info/refs?service=git-upload-pack', 404],
    ['GET', '/git/BERTH/plain.git/info/refs?service=git-upload-pack', 404],
    ['GET', '/git/berth/plain/info/refs?service=git-upload-pack', 404],
    ['GET', '/git', 404],
    ['GET', '/git/berth/plain.git/info/refs', 403],
    ['GET', '/git/berth/plain.git/info/refs?service=git-archive', 403],
    ['POST', '/git/berth/plain.git/info/refs?service=git-upload-pack', 405],
    ['GET', '/git/berth/plain.git/git-upload-pack', 405],
    ['POST', '/git/berth/plain.git/git-upload-pack', 415],
  ])('%s %s is refused with %i', async (method, path, status) => {
    expect((await send(method, path)).status).toBe(status);
  });

  test.each([
    ['POST', '/git/berth/plain.git/info/lfs/objects/batch'],
    ['POST', '/git/berth/plain.git/info/lfs/locks/verify'],
    ['POST', '/git/berth/none.git/info/lfs/objects/batch'],
  ])('%s %s: LFS is refused in the form that its client prints, to anybody', async (method, path) => {
    for (const isKnown of [true, false]) {
      const answer = await send(method, path, isKnown ? { authorization } : {}, Buffer.from('{"operation": "upload"}'));
      expect([answer.status, answer.headers['content-type']]).toEqual([501, 'application/vnd.git-lfs+json']);
      const { message } = JSON.parse(answer.body.toString()) as { message: string };
      expect(message).toContain('This platform stores no Git LFS objects.');
    }
  });

  test('every answer is inert in a browser', async () => {
    const answers = [
      await send('GET', '/git/berth/plain.git/info/refs?service=git-upload-pack'),
      await send('GET', '/git/berth/plain.git/info/refs?service=git-upload-pack', {}),
      await send('GET', '/git/nothing'),
      await post('upload-pack', wanting()),
    ];
    expect(answers.map((answer) => answer.status)).toEqual([200, 401, 404, 200]);
    for (const { headers } of answers) {
      expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'content-security-policy': "sandbox; default-src 'none'" });
      expect(headers['cache-control']).toContain('no-store');
    }
    expect(answers[0]?.headers['content-type']).toBe('application/x-git-upload-pack-advertisement');
    expect(answers[1]?.headers['www-authenticate']).toMatch(/^Basic realm=/);
  });

  test.each(['Basic !!!', 'Bearer writer', `Basic ${Buffer.from('writer').toString('base64')}`])('%s is no sign-in', async (header) => {
    expect((await send('GET', '/git/berth/plain.git/info/refs?service=git-upload-pack', { authorization: header })).status).toBe(401);
  });

  test('a gzipped request and one that waits for 100-continue are answered alike', async () => {
    const plain = await post('upload-pack', wanting());
    expect(plain.body.includes('PACK')).toBe(true);
    const zipped = await post('upload-pack', gzipSync(wanting()), { 'content-encoding': 'gzip' });
    expect([zipped.status, zipped.body.includes('PACK')]).toEqual([200, true]);
    const expecting = await post('upload-pack', wanting(), { expect: '100-continue' });
    expect([expecting.status, expecting.body.includes('PACK')]).toEqual([200, true]);
    expect((await post('upload-pack', wanting(), { 'content-encoding': 'br' })).status).toBe(415);
  });

  test('an object that no branch or tag reaches is not given', async () => {
    const stranger = Buffer.concat([pkt(`want ${'1'.repeat(40)} side-band-64k\n`), flushPkt, pkt('done\n')]);
    const answer = await post('upload-pack', stranger);
    expect(answer.body.toString()).toContain('not our ref');
    expect(answer.body.includes('PACK')).toBe(false);
  });

  test('the empty push by which git probes is answered', async () => {
    const answer = await post('receive-pack', flushPkt);
    expect([answer.status, answer.body.length]).toEqual([200, 0]);
  });

  test('nonsense for a push changes nothing', async () => {
    const command = pkt(`${head} ${'2'.repeat(40)} refs/heads/main\0report-status side-band-64k`);
    expect((await post('receive-pack', Buffer.from('zzzz'))).status).toBe(400);
    expect((await post('receive-pack', Buffer.concat([pkt('main please'), flushPkt]))).status).toBe(400);
    const damaged = await post('receive-pack', Buffer.concat([command, flushPkt, Buffer.from('PACK nothing that could be one')]));
    expect(damaged.body.toString()).toContain('ng refs/heads/main');
    const endless = await post('receive-pack', gzipSync(Buffer.concat([command, flushPkt, Buffer.alloc(500_000)])), {
      'content-encoding': 'gzip',
    });
    expect(endless.status).toBe(413);
    expect((await host.source.repository(ref))?.headCommit).toBe(head);
    expect(host.pushes).toEqual([]);
  });

  test('a push that breaks off leaves nothing behind', async () => {
    const sent = request({
      host: '127.0.0.1',
      port: host.port,
      method: 'POST',
      path: '/git/berth/plain.git/git-receive-pack',
      headers: { authorization, 'content-type': 'application/x-git-receive-pack-request', 'content-length': '90000' },
    });
    sent.on('error', () => undefined);
    sent.write(
      Buffer.concat([pkt(`${head} ${'2'.repeat(40)} refs/heads/main\0report-status`), flushPkt, Buffer.from('PACK\0\0\0\x02\0\0\0\x09')]),
    );
    const leftovers = async (): Promise<string[]> => {
      const folders = await Promise.all(['objects', 'objects/pack'].map((folder) => readdir(join(host.gitDir(ref), folder))));
      return folders.flat().filter((name) => name.startsWith('tmp_'));
    };
    await vi.waitUntil(async () => (await leftovers()).length > 0, { timeout: 5000, interval: 10 });
    sent.destroy();
    await vi.waitUntil(async () => (await leftovers()).length === 0, { timeout: 60_000, interval: 10 });
    expect((await host.source.repository(ref))?.headCommit).toBe(head);
  });
});
