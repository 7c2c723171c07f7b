import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { apiTables } from './apis.ts';
import { readRequest, readResponse, writeRequest, writeResponse } from './codec.ts';
import { MalformedRequest, Reader } from './reader.ts';
import { apis, LARGE, sample, versionsOf } from './sample.fixture.ts';
import { Writer } from './writer.ts';

const bytesOf = (writer: Writer): Buffer => Buffer.concat(writer.finish());
test.each(apis)('%s is read as it was written, in every version', (api) => {
  for (const version of versionsOf(api)) {
    const { request, response } = apiTables[api];
    const writer = new Writer();
    writeRequest(writer, api, version, sample(request, version));
    expect(readRequest(api, version, new Reader(bytesOf(writer)))).toMatchObject(sample(request, version));
    const answer = new Writer();
    writeResponse(answer, api, version, sample(response, version));
    const bytes = bytesOf(answer);
    const reader = new Reader(bytes);
    expect(readResponse(api, version, reader)).toMatchObject(sample(response, version));
    expect(reader.remaining).toBe(0);
  }
});

test.each(apis)('%s cut short anywhere is refused, and random bytes are', (api) => {
  for (const version of versionsOf(api)) {
    const writer = new Writer();
    writeRequest(writer, api, version, sample(apiTables[api].request, version));
    const bytes = bytesOf(writer);
    for (let end = 0; end < Math.min(bytes.length, 400); end += 1)
      expect(() => readRequest(api, version, new Reader(bytes.subarray(0, end)))).toThrow(MalformedRequest);
    for (let round = 0; round < 20; round += 1) {
      try {
        readRequest(api, version, new Reader(randomBytes(200)));
      } catch (error) {
        expect(error).toBeInstanceOf(MalformedRequest);
      }
    }
  }
});

test('a field that later versions know is passed over', () => {
  const writer = new Writer();
  // ApiVersions 3: two strings, then one unknown tagged field.
  for (const text of ['client', '1.0']) writer.string(text, true);
  writer.varint(1);
  writer.varint(77);
  writer.varint(3);
  writer.raw(Buffer.from('new'));
  const reader = new Reader(bytesOf(writer));
  expect(readRequest('ApiVersions', 3, reader)).toMatchObject({ clientSoftwareName: 'client' });
  expect(reader.remaining).toBe(0);
});

test('a small frame does not become a large object', () => {
  const frame = Buffer.alloc(4 * 1024 * 1024);
  const writer = new Writer();
  writer.varint(2_000_001);
  Buffer.concat(writer.finish()).copy(frame);
  expect(() => readRequest('DescribeGroups', 5, new Reader(frame))).toThrow('elements');
});

test('what is large is passed on without a copy', () => {
  const writer = new Writer();
  writeResponse(writer, 'Fetch', 12, {
    errorCode: 0,
    responses: [
      { topic: 't', partitions: [{ partitionIndex: 0, errorCode: 0, highWatermark: 1, abortedTransactions: null, records: [LARGE] }] },
    ],
  });
  expect(writer.finish()).toContain(LARGE);
});

test('numbers of eight bytes keep their sign', () => {
  for (const value of [0, -1, -2, 2 ** 53 - 1, -(2 ** 53) + 1, 2 ** 32, -(2 ** 32), 4_294_967_295]) {
    const writer = new Writer();
    writer.int64(value);
    expect(new Reader(bytesOf(writer)).int64()).toBe(value);
  }
});
