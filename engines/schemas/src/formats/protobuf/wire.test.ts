// @long (shared process, also short): tries random pairs, a share of them in `npm test`
/**
 * Tests that the verdict for Protobuf is sound on the wire: for accepted random pairs of files, the reader sees every field that the writer
 * set and both declare. Another implementation encodes and decodes the messages. `npm test` tries some of the pairs.
 */
import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { reflect } from '@bufbuild/protobuf/reflect';
import { expect, test } from 'vitest';
import { shareOf } from '@slipway/foundation/testing/fault-share.ts';
import { checkCompatibility } from '../check-compatibility.ts';
import { parseSchema } from '../parse-schema.ts';
import { RandomSource } from '../random-source.fixture.ts';
import { changedProto, protoDescriptor, protoText, randomProto } from './random-protos.fixture.ts';
import { compare, filled } from './wire-values.fixture.ts';

const PAIRS = 20_000;
const SHARE = 1500;
const MESSAGES = 8;

const isAccepted = (reader: string, writer: string): boolean => {
  const [own, other] = [reader, writer].map((text) => parseSchema('PROTOBUF', text));
  if (own?.ok !== true || other?.ok !== true) throw new Error(`not valid: ${JSON.stringify([own, other])} ${reader} ${writer}`);
  return checkCompatibility(own.schema, other.schema, 'reader')?.length === 0;
};

test('accepts no pair whose reader loses or changes a value that the writer set', { timeout: 10 * 60_000 }, () => {
  const found: string[] = [];
  let accepted = 0;
  const seeds = shareOf(
    Array.from({ length: PAIRS }, (_, seed) => seed),
    SHARE,
  );
  for (const seed of seeds) {
    const random = new RandomSource(seed);
    const writer = randomProto(random);
    const reader = changedProto(random, writer);
    const texts = [protoText(writer), protoText(reader)] as const;
    if (texts[0] === texts[1] || !isAccepted(texts[1], texts[0])) continue;
    accepted++;
    const [from, to] = [protoDescriptor(writer), protoDescriptor(reader)];
    for (let left = MESSAGES; left > 0; left--) {
      const written = filled(random, from);
      const differences = differencesOf(() => compare(written, reflect(to, fromBinary(to, toBinary(from, written.message)))));
      if (differences.length === 0) continue;
      found.push(`${seed}: ${texts.join(' read as ')}: ${differences.join(', ')}`);
      break;
    }
  }
  expect(found.slice(0, 5)).toEqual([]);
  expect(accepted / seeds.length).toBeGreaterThan(0.1);
});

/** A reader that stops is a difference, too. */
const differencesOf = (compared: () => string[]): string[] => {
  try {
    return compared();
  } catch (error) {
    return [`the reader stops: ${String(error)}`];
  }
};
