// @long (shared process, also short): tries random pairs, a share of them in `npm test`
/**
 * Tests that the verdict for JSON Schema is sound: for no accepted pair of random schemas does the reader refuse a value that its writer
 * allows, according to Ajv. `npm test` tries some of the pairs, `npm run test:long` all.
 */
import { Ajv, type ValidateFunction } from 'ajv';
// oxlint-disable-next-line no-restricted-imports -- where Ajv documents this draft
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { shareOf } from '@slipway/foundation/testing/fault-share.ts';
import { checkCompatibility } from '../check-compatibility.ts';
import { parseSchema } from '../parse-schema.ts';
import { RandomSource } from '../random-source.fixture.ts';
import { type JsonRecord, type RandomDraft, SchemaMaker } from './random-schemas.fixture.ts';

const PAIRS = 20_000;
const SHARE = 1000;
const VALUES = 150;
const options = { strict: false, validateSchema: false, allErrors: false, addUsedSchema: false, inlineRefs: false } as const;

const validator = (schema: JsonRecord, draft: RandomDraft): ValidateFunction =>
  draft === 2020 ? new Ajv2020(options).compile(schema) : new Ajv(options).compile(schema);

const isAccepted = (reader: JsonRecord, writer: JsonRecord): boolean => {
  const [own, other] = [reader, writer].map((schema) => parseSchema('JSON', JSON.stringify(schema)));
  return own?.ok === true && other?.ok === true && checkCompatibility(own.schema, other.schema, 'reader')?.length === 0;
};

interface Tried {
  accepted: number;
  values: number;
  readonly refused: string[];
}

/** Tries both directions of a pair. */
const tryPair = (seed: number, tried: Tried): void => {
  const random = new RandomSource(seed);
  const draft: RandomDraft = random.isOneIn(3) ? 2020 : 7;
  const maker = new SchemaMaker(random, draft);
  const first = maker.root();
  const second = random.isOneIn(20) ? maker.root() : maker.changed(first);
  for (const [reader, writer] of [
    [first, second],
    [second, first],
  ] as const) {
    if (JSON.stringify(reader) === JSON.stringify(writer) || !isAccepted(reader, writer)) continue;
    tried.accepted++;
    const [takes, allows] = [validator(reader, draft), validator(writer, draft)];
    for (let left = VALUES; left > 0; left--) {
      const from = random.isOneIn(2) ? reader : writer;
      const value = maker.document(from);
      if (!allows(value)) continue;
      tried.values++;
      if (takes(value)) continue;
      tried.refused.push(`${seed}: ${JSON.stringify(writer)} allows ${JSON.stringify(value)}, refused by ${JSON.stringify(reader)}`);
      break;
    }
  }
};

test('accepts no pair whose reader refuses a value of the writer', { timeout: 20 * 60_000 }, () => {
  const tried: Tried = { accepted: 0, values: 0, refused: [] };
  const seeds = shareOf(
    Array.from({ length: PAIRS }, (_, seed) => seed),
    SHARE,
  );
  for (const seed of seeds) {
    try {
      tryPair(seed, tried);
    } catch (error) {
      // Ajv cannot handle a definition that refers to itself directly.
      if (!(error instanceof RangeError)) throw error;
    }
  }
  expect(tried.refused.slice(0, 10)).toEqual([]);
  // A checker that refuses everything is sound, but useless.
  expect(tried.accepted / (2 * seeds.length)).toBeGreaterThan(0.2);
  expect(tried.values / tried.accepted).toBeGreaterThan(20);
});
