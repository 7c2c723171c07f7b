/** A report in which failures are overlooked would make every registry conform. */
import { expect, test } from 'vitest';
import { judge, readOutcomes } from './conformance-report.ts';

const statesOf = (junit: string): string[] => readOutcomes(junit).map(({ name, state }) => `${name}: ${state}`);

test('the report of release 1.1.1: an element in each case', () => {
  const junit = `<testsuites tests="5" errors="0" failures="1"><testsuite>
    <testcase name="[BeforeSuite]" status="passed"></testcase>
    <testcase name="[It] Pull &#34;nonexistent&#34; blob" status="passed"><system-err>x</system-err></testcase>
    <testcase name="[It] Push" status="failed"><failure message="Expected &lt;int&gt;: 409" type="failed"></failure></testcase>
    <testcase name="[It] Mount" status="skipped"><skipped message="skipped - off"></skipped></testcase>
    <testcase name="[It] Later" status="pending"/>
  </testsuite></testsuites>`;
  expect(statesOf(junit)).toEqual([
    '[It] Pull "nonexistent" blob: passed',
    '[It] Push: failed',
    '[It] Mount: skipped',
    '[It] Later: skipped',
  ]);
  expect(readOutcomes(junit)[1]?.message).toBe('Expected <int>: 409');
});

test('the report of later releases: an attribute of each case', () => {
  const junit = `<testsuites tests="4" failures="1" errors="1">
    <testcase name="a" classname="" status="passed"></testcase>
    <testcase name="b" classname="" status="failure"><system-out>put failed&#xA;400</system-out></testcase>
    <testcase name="c" classname="" status="error"></testcase>
    <testcase name="d" classname="" status="skipped"></testcase></testsuites>`;
  expect(statesOf(junit)).toEqual(['a: passed', 'b: failed', 'c: failed', 'd: skipped']);
  expect(readOutcomes(junit)[1]?.message).toBe('put failed 400');
});

test('a report whose failures cannot be found is no report', () => {
  expect(() => readOutcomes('<testsuites failures="2"><testcase name="a" status="passed"></testcase></testsuites>')).toThrow(
    'counts other',
  );
});

test('an image without its layer may be refused, and nothing beside it', () => {
  const failed = (name: string) => ({ name: `OCI Conformance Test/${name}`, state: 'failed' as const, message: '' });
  const [image, index, other] = [failed('sparse/push/manifest-by-tag'), failed('sparse/push/manifest-by-tag'), failed('image/tag-list')];
  expect(judge([image])).toEqual({ expected: [image], unexpected: [] });
  expect(judge([image, index, other])).toEqual({ expected: [image], unexpected: [index, other] });
});
