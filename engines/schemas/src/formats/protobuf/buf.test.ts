/**
 * Compares our verdicts with `buf breaking` (category WIRE) on random pairs of files: buf refuses everything that we refuse, and more for the
 * reasons below. The test fails for new and for obsolete differences. `npm run test:engines -- protobuf` fetches buf.
 */
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { checkCompatibility } from '../check-compatibility.ts';
import { parseSchema } from '../parse-schema.ts';
import { RandomSource } from '../random-source.fixture.ts';
import { changedProto, protoText, randomProto } from './random-protos.fixture.ts';

const PAIRS = 1000;
const { TEST_BUF: buf } = process.env;

/** Rules of buf that refuse pairs which we accept. buf judges both directions at once, and some habits; we judge what this reader reads. */
const onlyBuf: Readonly<Record<string, string>> = {
  FIELD_NO_DELETE_UNLESS_NUMBER_RESERVED:
    'A removed field loses nothing that the reader declares. We refuse only to use a reserved number again',
  ENUM_VALUE_NO_DELETE_UNLESS_NUMBER_RESERVED: 'The same for values. If a required field loses one, we refuse it',
  RESERVED_MESSAGE_NO_DELETE: 'A reservation that was removed changes nothing yet',
  FIELD_SAME_ONEOF: 'One field may enter or leave a oneof. We refuse several, since only the last of them would be kept',
  FIELD_WIRE_COMPATIBLE_TYPE: 'Enums and integers are the same varint, and a renamed map field renames its entry type',
  FIELD_WIRE_COMPATIBLE_CARDINALITY: 'Of a list of texts or messages, a single field reads the last. A required field may become optional',
  MESSAGE_SAME_REQUIRED_FIELDS: 'A required field that was removed stops earlier readers, which the other direction refuses',
};

interface Pair {
  readonly package: string;
  readonly writer: string;
  readonly reader: string;
}
const pairOf = (seed: number): Pair => {
  const random = new RandomSource(seed);
  const writer = randomProto(random);
  const reader = changedProto(random, writer);
  const inPackage = (text: string): string => text.replace(';', `;\npackage p${seed};`);
  return { package: `p${seed}`, writer: inPackage(protoText(writer)), reader: inPackage(protoText(reader)) };
};

/** Codes of our issues. */
const ours = ({ reader, writer }: Pair): string[] => {
  const [own, other] = [reader, writer].map((text) => parseSchema('PROTOBUF', text));
  if (own?.ok !== true || other?.ok !== true) throw new Error(`not valid: ${reader} ${writer}`);
  return (checkCompatibility(own.schema, other.schema, 'reader') ?? []).map(({ code }) => code);
};

/** Package → rules of buf that it breaks. All pairs in one run. */
const judgedByBuf = async (program: string, pairs: readonly Pair[]): Promise<ReadonlyMap<string, readonly string[]>> => {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-buf-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const side of ['writer', 'reader'] as const) {
    for (const pair of pairs) {
      await mkdir(join(folder, side, pair.package), { recursive: true });
      await writeFile(join(folder, side, pair.package, 'm.proto'), pair[side]);
    }
    await writeFile(join(folder, side, 'buf.yaml'), 'version: v2\nbreaking:\n  use: [WIRE]\n');
  }
  const options = { cwd: folder, encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 } as const;
  const { stdout, stderr } = spawnSync(program, ['breaking', 'reader', '--against', 'writer', '--error-format', 'json'], options);
  expect(stderr).toBe('');
  const found = stdout
    .trim()
    .split('\n')
    .map((line): { path: string; type: string } => JSON.parse(line));
  const rules = Map.groupBy(found, ({ path }) => path.split('/')[1] ?? '');
  return new Map([...rules].map(([name, those]) => [name, [...new Set(those.map(({ type }) => type))]]));
};

if (!buf) process.stdout.write('SKIPPED: Protobuf verdicts of buf: run by npm run test:engines -- protobuf\n');
test.skipIf(!buf)('differs from buf for the listed reasons alone', { timeout: 10 * 60_000 }, async () => {
  const pairs = Array.from({ length: PAIRS }, (_, seed) => pairOf(seed));
  const rules = await judgedByBuf(buf ?? '', pairs);
  const seen = new Set<string>();
  const stricter: string[] = [];
  let both = 0;
  for (const pair of pairs) {
    const [own, theirs] = [ours(pair), rules.get(pair.package) ?? []];
    if (own.length === 0) for (const rule of theirs) seen.add(rule);
    else if (theirs.length === 0) stricter.push(`${own.join(', ')}: ${pair.writer} read as ${pair.reader}`);
    else both++;
  }
  expect([...seen].toSorted()).toEqual(Object.keys(onlyBuf).toSorted());
  expect(stricter).toEqual([]);
  expect(both / PAIRS).toBeGreaterThan(0.1);
});
