/** `slipway config` says what is in force and where it comes from, and no secret. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { configCommand } from './config-command.ts';
import { splitConfigFile } from './config-file-option.ts';

const directory = mkdtempSync(join(tmpdir(), 'slipway-config-'));
const path = join(directory, 'slipway.config.yaml');
afterAll(() => rmSync(directory, { recursive: true }));
writeFileSync(join(directory, 'token'), `${'hunter-'.repeat(6)}\n`);
writeFileSync(
  path,
  `server: { port: 4100, trustedProxies: [10.0.0.1] }
signIn:
  adminToken: { file: token }
scanner: { url: "http://user:hunter@scanner.example.com" }
smtp: { host: mail.example.com, from: a@example.com, user: slipway, password: { env: MAIL } }
`,
);
const run = (args: readonly string[], more: NodeJS.ProcessEnv = {}, search = { path }): Promise<string> =>
  configCommand(args, { MAIL: 'hunter', SLIPWAY_DATA: directory, ...more }, search);

test('print says for each setting whether it is a default, from the file or from a variable', async () => {
  const output = await run(['print'], { SLIPWAY_SMTP_USER: 'other' });
  for (const line of [
    `# Configuration file: ${path}. Variables win.`,
    /^ {2}port: 4100 +# slipway\.config\.yaml:1$/m,
    /^ {2}host: 127\.0\.0\.1 +# default$/m,
    /^ {2}publicUrl: http:\/\/localhost:4100 +# default$/m,
    /^ {2}adminToken: \{ file: token \} +# slipway\.config\.yaml:3$/m,
    /^ {2}user: other +# variable SLIPWAY_SMTP_USER$/m,
    /^ {2}password: \{ env: MAIL \} +# slipway\.config\.yaml:5$/m,
  ])
    expect(output).toMatch(line);
  expect(output).not.toContain('hunter');
});

test('a secret that a variable contains is printed as a reference to the variable', async () => {
  const output = await run(['print', '--json'], { SLIPWAY_SMTP_PASSWORD: 'hunter', SLIPWAY_SCANNER_AUTHORIZATION: 'Bearer hunter' });
  const rows = JSON.parse(output) as { variable: string; value: unknown; origin: { kind: string } }[];
  expect(rows.filter(({ variable }) => ['SLIPWAY_SMTP_PASSWORD', 'SLIPWAY_SCANNER_AUTHORIZATION'].includes(variable))).toMatchObject([
    { value: { env: 'SLIPWAY_SCANNER_AUTHORIZATION' }, origin: { kind: 'variable' } },
    { value: { env: 'SLIPWAY_SMTP_PASSWORD' }, origin: { kind: 'variable' } },
  ]);
  expect(output).not.toContain('hunter');
});

test('the printed configuration is a valid file, which says the same', async () => {
  const copy = { path: join(directory, 'copy.yaml') };
  writeFileSync(copy.path, (await run(['print'])).replace('http://…@', 'http://'));
  const values = async (search: { path: string }) =>
    (JSON.parse(await run(['print', '--json'], {}, search)) as { variable: string; value: unknown }[]).map(({ variable, value }) =>
      variable === 'SLIPWAY_SCANNER_URL' ? variable : [variable, value],
    );
  expect(await values(copy)).toEqual(await values({ path }));
});

test('check says that all is valid, or every mistake', async () => {
  expect(await run(['check'])).toContain(`${path} and the variables are valid.`);
  expect(await configCommand(['check', '--json'], { SLIPWAY_CONFIG: '' }, {})).toBe('{"isValid":true,"file":null}');
  await expect(run(['check'], { SLIPWAY_SMTP_TLS: 'x' })).rejects.toThrow('SLIPWAY_SMTP_TLS (smtp.tls): must be required, implicit or off');
});

test.each([[[]], [['prnt']], [['print', 'x']], [['print', '--yaml']]])('%j is refused with the usage', async (args) => {
  await expect(run(args)).rejects.toThrow('slipway config print [--json]');
});

test('--config is taken out of the arguments of every command', () => {
  expect(splitConfigFile(['doctor', '--config', 'a.yaml', '--json'], '/x')).toEqual({
    args: ['doctor', '--json'],
    search: { path: 'a.yaml', from: '/x' },
  });
  expect(splitConfigFile(['--config=a=b', 'doctor'], '/x')).toMatchObject({ args: ['doctor'], search: { path: 'a=b' } });
  expect(splitConfigFile(['doctor'], '/x')).toEqual({ args: ['doctor'], search: {} });
});
