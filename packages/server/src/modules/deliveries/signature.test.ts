/** Runs the guide's verification code in Node and Python. The code accepts our deliveries and rejects changed or old ones. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { newSigningSecret, signatureHeaders } from './signature.ts';

const guide = readFileSync(resolve(import.meta.dirname, '../../../../../docs/guide/webhooks.md'), 'utf8');
const code = (language: string): string => new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(guide)?.[1] ?? '';

const secret = newSigningSecret();
const at = new Date();
const delivery = { id: 'msg_1', at, body: '{"type":"PUSH_ARTIFACT","tag":"ü"}' };
const headers = signatureHeaders({ ...delivery, secrets: [newSigningSecret(), secret] });
type Asked = readonly [secret: string, headers: Record<string, string>, body: string];
const cases: readonly (readonly [string, boolean, Asked])[] = [
  ['as it came', true, [secret, headers, delivery.body]],
  ['another body', false, [secret, headers, `${delivery.body} `]],
  ['another id', false, [secret, { ...headers, 'webhook-id': 'msg_2' }, delivery.body]],
  ['another secret', false, [newSigningSecret(), headers, delivery.body]],
  [
    'an old one',
    false,
    [secret, signatureHeaders({ ...delivery, at: new Date(at.getTime() - 600_000), secrets: [secret] }), delivery.body],
  ],
];

const run = (program: string, args: readonly string[], asked: Asked): string => {
  const { stdout, stderr } = spawnSync(program, args, { input: JSON.stringify(asked), encoding: 'utf8' });
  return stdout.trim() || stderr;
};

test.each(cases)('Node: %s', (_name, isGenuine, asked) => {
  const read = `import { readFileSync } from 'node:fs'; console.log(isGenuine(...JSON.parse(readFileSync(0, 'utf8'))));`;
  expect(run(process.execPath, ['--input-type=module', '-e', `${code('js')}\n${read}`], asked)).toBe(String(isGenuine));
});

const hasPython = spawnSync('python3', ['--version']).status === 0;
test.skipIf(!hasPython).each(cases)('Python: %s', (_name, isGenuine, asked) => {
  const read = 'import json, sys\nprint(str(is_genuine(*json.load(sys.stdin))).lower())';
  expect(run('python3', ['-c', `${code('python')}\n${read}`], asked)).toBe(String(isGenuine));
});
