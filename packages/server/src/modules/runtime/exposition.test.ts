/** The Prometheus text format, read and said again. */
import { expect, test } from 'vitest';
import { ExpositionError, formatExposition, parseExposition, summed } from './exposition.ts';

const text = `# HELP http_requests_total Requests, by \\\\path\\nand code.
# TYPE http_requests_total counter
http_requests_total{method="post",code="200"} 1027 1395066363000
http_requests_total{method="get", code="400",} 3

# A comment, and what has no type
something_weird{problem="say \\"C:\\\\DIR\\" {now}\\n"} +Inf
heap_bytes 1.5e3
# TYPE wait_seconds histogram
wait_seconds_bucket{le="0.1"} 5 # {trace="x"} 0.05
wait_seconds_bucket{le="+Inf"} 9
wait_seconds_sum 2.25
wait_seconds_count 9
# TYPE size summary
size{quantile="0.5"} NaN
size_sum 10
# TYPE unused gauge
`;

test('families, types, escapes, and numbers as they were written', () => {
  const families = parseExposition(text, 100);
  expect(families.map(({ name, type, samples }) => [name, type, samples.length])).toEqual([
    ['http_requests_total', 'counter', 2],
    ['something_weird', 'untyped', 1],
    ['heap_bytes', 'untyped', 1],
    ['wait_seconds', 'histogram', 4],
    ['size', 'summary', 2],
  ]);
  expect(families[0]).toMatchObject({
    help: 'Requests, by \\path\nand code.',
    samples: [
      { labels: { method: 'post', code: '200' }, value: '1027' },
      { labels: { method: 'get', code: '400' }, value: '3' },
    ],
  });
  expect(families[1]?.samples).toEqual([{ name: 'something_weird', labels: { problem: 'say "C:\\DIR" {now}\n' }, value: '+Inf' }]);
  expect(families[3]?.samples[0]).toEqual({ name: 'wait_seconds_bucket', labels: { le: '0.1' }, value: '5' });
});

test.each([
  ['<html>hello</html>', 'line 1'],
  ['up 1\nup{a="b} 1', 'line 2'],
  ['up{a="b"', 'line 1'],
  ['up', 'line 1'],
  ['up one', 'line 1'],
  ['up 1 soon', 'line 1'],
  ['up{1a="b"} 1', 'line 1'],
  ['up{a="\0"} 1', 'zero byte'],
])('%j is refused', (bad, where) => {
  expect(() => parseExposition(bad, 10)).toThrow(ExpositionError);
  expect(() => parseExposition(bad, 10)).toThrow(where);
});

test('more series than allowed are refused, none is fine', () => {
  expect(() => parseExposition('a 1\nb 2\nc 3', 2)).toThrow('more than 2 series');
  expect(parseExposition('', 2)).toEqual([]);
});

const of = (instance: string, said: string) => ({ instance, revision: 'yard-3', families: parseExposition(said, 100) });

test('counters are added over the instances, gauges stand side by side', () => {
  const said = (requests: number, heap: number): string =>
    `# TYPE requests counter\nrequests{code="200"} ${requests}\n# TYPE heap gauge\nheap{instance="own"} ${heap}\n# TYPE q summary\nq{quantile="0.9"} 4\nq_count 2\n`;
  const samples = summed([of('yard-3-a', said(5, 100)), of('yard-3-b', said(7, 200))]);
  expect(samples.map(({ name, labels, value }) => [name, labels, value])).toEqual([
    ['requests', { code: '200' }, 12],
    ['heap', { exported_instance: 'own', instance: 'yard-3-a' }, 100],
    ['q', { quantile: '0.9', instance: 'yard-3-a' }, 4],
    ['q_count', {}, 4],
    ['heap', { exported_instance: 'own', instance: 'yard-3-b' }, 200],
    ['q', { quantile: '0.9', instance: 'yard-3-b' }, 4],
  ]);
  expect(summed([of('yard-3-a', 'a NaN\nb +Inf\n')])).toEqual([]);
});

test('it is said again with the labels of the platform, each family once, and can be read again', () => {
  const labels = { app: 'yard', environment: 'development', service: 'yard' };
  const again = formatExposition([of('yard-3-a', text), of('yard-3-b', 'heap_bytes{app="own"} 2\n')], labels);
  expect(again.match(/# TYPE heap_bytes/g)).toHaveLength(1);
  expect(again).toContain('# HELP http_requests_total Requests, by \\\\path\\nand code.\n# TYPE http_requests_total counter\n');
  const [, , heap] = parseExposition(again, 100);
  const own = { ...labels, revision: 'yard-3' };
  expect(heap?.samples).toEqual([
    { name: 'heap_bytes', labels: { ...own, instance: 'yard-3-a' }, value: '1.5e3' },
    { name: 'heap_bytes', labels: { exported_app: 'own', ...own, instance: 'yard-3-b' }, value: '2' },
  ]);
  expect(parseExposition(again, 100)[1]?.samples[0]?.labels).toMatchObject({ problem: 'say "C:\\DIR" {now}\n' });
  expect(formatExposition([], labels)).toBe('');
});
