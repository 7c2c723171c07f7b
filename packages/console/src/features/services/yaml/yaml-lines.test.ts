import type { FieldError } from '@slipway/contract/kernel/errors.ts';
import { expect, test } from 'vitest';
import { lineErrors, lineOfField, lineRange, linesByPath } from './yaml-lines.ts';

const yaml = `# settings of berth-api
apiVersion: slipway/v1
metadata:
  name: berth-api
spec:
  resources:
    cpuMillicores: 250
  template:
    envVars:
      - name: LOG_LEVEL
        source: STATIC
        value: "a: b"

      - source: SECRET_KEY
        name: DB
    healthCheck:
      "http":
        port: 8080
      exec:
        command:
        - node
        - check.js
  exposedPort: 8080
`;

test.each([
  ['metadata.name', 4],
  ['spec.resources.cpuMillicores', 7],
  ['spec.template.envVars.0.name', 10],
  ['spec.template.envVars.0.value', 12],
  ['spec.template.envVars.1.name', 15],
  ['spec.template.healthCheck.http.port', 18],
  ['spec.template.healthCheck.exec.command.1', 22],
  ['spec.exposedPort', 23],
])('%s stands in line %i', (path, line) => {
  expect(linesByPath(yaml).get(path)).toBe(line);
});

test('a field that the file leaves out is reported at what would hold it', () => {
  expect(lineOfField(linesByPath(yaml), 'spec.resources.memoryMegabytes')).toBe(6);
  expect(lineOfField(linesByPath(yaml), 'active')).toBeUndefined();
});

test('errors stand in the order of the file; the server’s word of a line wins', () => {
  const errors: FieldError[] = [
    { field: 'spec.exposedPort', code: 'Maximum' },
    { code: 'YamlInvalid', context: { line: '3', reason: 'x' } },
    { code: 'NothingChanged' },
    { field: 'spec.exposedPort', code: 'YamlUnknownField', context: { line: '5', name: 'x' } },
  ];
  expect(lineErrors(errors, yaml).map(({ line, error }) => [line, error.code])).toEqual([
    [undefined, 'NothingChanged'],
    [3, 'YamlInvalid'],
    [5, 'YamlUnknownField'],
    [23, 'Maximum'],
  ]);
});

test('a line is selected without its end', () => {
  const [start, end] = lineRange(yaml, 4);
  expect(yaml.slice(start, end)).toBe('  name: berth-api');
  expect(lineRange('one', 1)).toEqual([0, 3]);
  expect(lineRange('one\n', 2)).toEqual([4, 4]);
});
