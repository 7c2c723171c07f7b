/** Large modules that are needed late are loaded on demand, so that the platform's start does not wait for them. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { PATIENCE_MS } from '#testing/patience.ts';

const formats = new URL('../../../engines/schemas/src/formats/', import.meta.url);
const lateFiles = ['parse-schema.ts', 'check-compatibility.ts'].map((name) => new URL(name, formats));
const late = ['@opentelemetry/', '@platformatic/kafka', '@bufbuild/protobuf', 'jsonc-parser', ...lateFiles.map(({ href }) => href)];

/** Prints the URL of every module that the server loads before it starts. */
const program = `
import { registerHooks } from 'node:module';
registerHooks({ load: (url, context, next) => (console.log(url), next(url, context)) });
await import('${new URL('run-platform.ts', import.meta.url).href}');
process.exit();`;

test('loads neither OpenTelemetry nor the Kafka client nor the parsers of schemas at the start', { timeout: PATIENCE_MS }, () => {
  const loaded = execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' }).split('\n');
  // A file that was moved would not be looked for.
  expect(lateFiles.filter((file) => !existsSync(file))).toEqual([]);
  expect(loaded.some((url) => url.includes('streaming-kafka/kafka-streaming.ts'))).toBe(true);
  expect(loaded.filter((url) => late.some((name) => url.includes(name)))).toEqual([]);
});
