import { expect, test } from 'vitest';
import { MalformedRequest } from '../protocol/reader.ts';
import { BufferRoom, Frames } from './frames.ts';

const framed = (text: string): Buffer => {
  const length = Buffer.alloc(4);
  length.writeInt32BE(text.length);
  return Buffer.concat([length, Buffer.from(text)]);
};

test.each([1, 2, 3, 5, 1000])('frames arrive in pieces of %i bytes', (size) => {
  const frames = new Frames(new BufferRoom(1000), 100);
  const bytes = Buffer.concat(['one', '', 'three', 'the fourth one'].map(framed));
  const seen: string[] = [];
  for (let at = 0; at < bytes.length; at += size) {
    frames.push(bytes.subarray(at, at + size));
    for (let frame = frames.next(); frame; frame = frames.next()) seen.push(String(frame));
  }
  expect(seen).toEqual(['one', '', 'three', 'the fourth one']);
  expect(frames.bytes).toBe(0);
});

test('a length beyond the limit is refused before anything is kept of it', () => {
  const frames = new Frames(new BufferRoom(1000), 100);
  frames.push(Buffer.from([0, 0, 0, 101]));
  expect(() => frames.next()).toThrow(MalformedRequest);
  const negative = new Frames(new BufferRoom(1000), 100);
  negative.push(Buffer.from([0xff, 0xff, 0xff, 0xff]));
  expect(() => negative.next()).toThrow(MalformedRequest);
});

test('all connections together keep no more than the room has', () => {
  const room = new BufferRoom(150);
  const [first, second] = [new Frames(room, 100), new Frames(room, 100)];
  first.push(framed('x'.repeat(90)).subarray(0, 80));
  expect(() => second.push(Buffer.alloc(80))).toThrow(MalformedRequest);
  first.clear();
  second.push(Buffer.alloc(80));
  expect(second.bytes).toBe(80);
});
